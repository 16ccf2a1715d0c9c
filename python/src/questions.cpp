#include "types.hpp"
namespace stiction::python {
void bind_questions(nb::module_&) {}
}  // namespace stiction::python
