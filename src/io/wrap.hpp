#pragma once

#include <string>

namespace stiction::internal {

/// Words of `text` wrapped at 80 columns.
void append_wrapped(std::string& out, const std::string& text);

/// The same as an item of a list: the first line after " - ", later ones indented below it.
void append_item(std::string& out, const std::string& text);

}  // namespace stiction::internal
