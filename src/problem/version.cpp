#include "stiction/version.hpp"

namespace stiction {

const char* version() { return STICTION_VERSION; }

}  // namespace stiction
