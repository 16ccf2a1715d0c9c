#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stiction::internal {

/// Position of the first byte that is not UTF-8; npos if there is none. Reports are JSON, which must be.
std::size_t not_utf8(std::string_view text);

/// UTF-8 without control characters: they, and bytes that are not UTF-8, become \x1b and the like. A name with a line
/// break in it would end a row, one with an escape sequence could rewrite a terminal.
std::string printable(std::string_view text);

/// @throws InputError at `path` for a name that is empty or that printable() would change
void require_name(const std::string& name, const std::string& path);

}  // namespace stiction::internal
