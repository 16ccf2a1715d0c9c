#include "types.hpp"
namespace stiction::python {
void bind_scene(nb::module_&) {}
}  // namespace stiction::python
