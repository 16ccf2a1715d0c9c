#pragma once

/// Of these headers.
#define STICTION_VERSION_MAJOR 0
#define STICTION_VERSION_MINOR 2
#define STICTION_VERSION_PATCH 0
#define STICTION_VERSION "0.2.0"

namespace stiction {

/// Of the library that is linked, "major.minor.patch".
const char* version();

}  // namespace stiction
