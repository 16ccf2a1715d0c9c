#include "base/nearest_name.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace stiction::internal {

std::size_t edit_distance(std::string_view a, std::string_view b)
{
  // Rows i-2, i-1 and i of the table: row[j] is the distance between the first i letters of a and the first j of b.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates)
{
  std::string nearest;
  std::size_t nearest_distance = std::string_view::npos;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= std::max<std::size_t>(1, candidate.size() / 3) && distance < nearest_distance) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates)
{
  const std::string near = nearest_name(word, candidates);
  return near.empty() ? "" : ", did you mean " + quoted(near) + "?";
}

}  // namespace stiction::internal
