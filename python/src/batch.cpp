#include "types.hpp"
namespace stiction::python {
void bind_batch(nb::module_&) {}
}  // namespace stiction::python
