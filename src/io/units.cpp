#include "io/units.hpp"

#include <numbers>
#include <span>
#include <string_view>

namespace stiction::internal {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kUnits[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1.0}, {"rad", 1.0}, {"deg", std::numbers::pi / 180.0}};
constexpr std::span kLengths = std::span(kUnits).first(3);
constexpr std::span kAngles = std::span(kUnits).last(2);

constexpr const char* kNumeric = "+-.0123456789eE";

double measured(const Entry& entry, const std::string& path, std::span<const Unit> units, const char* want)
{
  const std::string& text = entry.text;
  if (entry.kind != Entry::Kind::kText || text.find_first_not_of(kNumeric) == text.npos) return number(entry, path);
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    Entry value = entry;
    value.quoted = false;  // JSON has no other way to write "15 deg"
    value.text.erase(text.size() - unit.name.size());
    value.text.erase(value.text.find_last_not_of(' ') + 1);
    if (!value.text.empty() && value.text.find_first_not_of(kNumeric) == value.text.npos)
      return number(value, path) * unit.factor;
  }
  if (text.find_first_of("0123456789") != text.npos) fail(entry, path, want);
  return number(entry, path);
}

template <class Read>
Eigen::Vector3d three(const Entry& entry, const std::string& path, const char* want, Read read)
{
  if (entry.kind != Entry::Kind::kList || entry.items.size() != 3) fail(entry, path, want);
  Eigen::Vector3d values;
  for (int i = 0; i < 3; ++i)
    values[i] = read(entry.items[static_cast<std::size_t>(i)], path + "[" + std::to_string(i) + "]");
  return values;
}

}  // namespace

double length(const Entry& entry, const std::string& path)
{
  return measured(entry, path, kLengths, "a number of metres, or a length such as 2 mm");
}

double angle(const Entry& entry, const std::string& path)
{
  return measured(entry, path, kAngles, "a number of radians, or an angle such as 15 deg");
}

double joint_position(const Entry& entry, const std::string& path)
{
  return measured(entry, path, kUnits, "a number (rad or m), an angle such as 15 deg or a length such as 2 mm");
}

double length_at_least_zero(const Entry& entry, const std::string& path)
{
  const double value = length(entry, path);
  if (value < 0.0) fail(entry, path, "a number >= 0");
  return value;
}

double positive_length(const Entry& entry, const std::string& path)
{
  const double value = length(entry, path);
  if (!(value > 0.0)) fail(entry, path, "a number > 0");
  return value;
}

Eigen::Vector3d lengths(const Entry& entry, const std::string& path)
{
  return three(entry, path, "a list of three numbers", length);
}

Eigen::Vector3d angles(const Entry& entry, const std::string& path)
{
  return three(entry, path, "a list of three numbers", angle);
}

Eigen::Vector3d lengths_or(const Map& map, const char* key, const Eigen::Vector3d& fallback)
{
  const Entry* found = map.find(key);
  return found ? lengths(*found, map.path_of(key)) : fallback;
}

}  // namespace stiction::internal
