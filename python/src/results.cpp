#include "types.hpp"
namespace stiction::python {
void bind_results(nb::module_&) {}
}  // namespace stiction::python
