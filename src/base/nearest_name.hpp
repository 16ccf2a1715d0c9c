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

/// ", did you mean 'left_knee'?" for the end of a message; empty if nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The names of links, joints, models … for the same.
template <class Named>
std::vector<std::string> all_names(const std::vector<Named>& entries)
{
  std::vector<std::string> names;
  for (const Named& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace stiction::internal
