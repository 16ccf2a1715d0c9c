#pragma once

#include <cstddef>
#include <string>

namespace stiction::internal {

/// The whole of a file, pipe or device of at most `most` bytes: /dev/zero has no end. @throws InputError at `path`
std::string read_whole_file(const std::string& file, std::size_t most, const std::string& path);

}  // namespace stiction::internal
