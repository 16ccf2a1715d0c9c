#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stiction::internal {

/// Fewest single-character insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate a person most likely meant by `word`: the nearest one, if at most a third of its letters are wrong
/// (one in short words); empty otherwise.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace stiction::internal
