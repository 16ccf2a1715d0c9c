#pragma once

#include <string>
#include <string_view>

namespace stiction::internal {

/// FIPS 180-4, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);
/// Of a file that can be read, in constant memory.
std::string sha256_of_file(const std::string& file);

}  // namespace stiction::internal
