#include "base/text.hpp"

#include <array>
#include <charconv>

#include "base/names.hpp"

namespace stiction::internal {

std::string text(double value)
{
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string text(const Eigen::Vector3d& vector)
{
  return "(" + text(vector.x()) + ", " + text(vector.y()) + ", " + text(vector.z()) + ")";
}

std::string quoted(const std::string& name) { return "'" + printable(name) + "'"; }

}  // namespace stiction::internal
