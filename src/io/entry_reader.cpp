#include "io/entry_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/nearest_name.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"

namespace stiction::internal {

void fail(const Entry& entry, const std::string& path, const std::string& want)
{
  const std::string where = entry.where();
  throw InputError(where.empty() ? path : where + ": " + path, "want " + want + ", got " + entry.shown());
}

void fail_choice(const Entry& entry, const std::string& path, const std::vector<std::string>& choices)
{
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : " | ") + choice;
  const std::string where = entry.where();
  throw InputError(where.empty() ? path : where + ": " + path,
                   "want " + list + ", got " + entry.shown() +
                       (entry.kind == Entry::Kind::kText ? did_you_mean(entry.text, choices) : ""));
}

double number(const Entry& entry, const std::string& path)
{
  const std::string& text = entry.text;
  if (entry.kind != Entry::Kind::kText || entry.quoted || text.empty()) fail(entry, path, "a number");
  const char* begin = text.data() + (text[0] == '+' && text.size() > 1 && text[1] != '-');
  double value = 0.0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) fail(entry, path, "a number");
  if (error != std::errc() || !std::isfinite(value)) fail(entry, path, "a finite number");
  return value;
}

double number_at_least_zero(const Entry& entry, const std::string& path)
{
  const double value = number(entry, path);
  if (value < 0.0) fail(entry, path, "a number >= 0");
  return value;
}

double positive_number(const Entry& entry, const std::string& path)
{
  const double value = number(entry, path);
  if (!(value > 0.0)) fail(entry, path, "a number > 0");
  return value;
}

double number_or_infinite(const Entry& entry, const std::string& path)
{
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (entry.kind == Entry::Kind::kText && entry.text == "inf") return kInfinite;
  if (entry.kind == Entry::Kind::kText && entry.text == "-inf") return -kInfinite;
  return number(entry, path);
}

std::uint64_t whole_number(const Entry& entry, const std::string& path, double least, double most)
{
  const double value = number(entry, path);
  if (value != std::floor(value) || value < least || value > most)
    fail(entry, path, "a whole number from " + text(least) + " to " + text(most));
  return static_cast<std::uint64_t>(value);
}

bool boolean(const Entry& entry, const std::string& path)
{
  if (entry.kind == Entry::Kind::kText && !entry.quoted && (entry.text == "true" || entry.text == "false"))
    return entry.text == "true";
  fail(entry, path, "true or false");
}

const std::string& text_of(const Entry& entry, const std::string& path)
{
  if (entry.kind != Entry::Kind::kText || entry.text.empty()) fail(entry, path, "a text");
  return entry.text;
}

std::vector<double> numbers(const Entry& entry, const std::string& path)
{
  if (entry.kind != Entry::Kind::kList) fail(entry, path, "a list of numbers");
  std::vector<double> values;
  for (std::size_t i = 0; i < entry.items.size(); ++i)
    values.push_back(number(entry.items[i], path + "[" + std::to_string(i) + "]"));
  return values;
}

Eigen::Vector3d vector3(const Entry& entry, const std::string& path)
{
  if (entry.kind != Entry::Kind::kList || entry.items.size() != 3) fail(entry, path, "a list of three numbers");
  const std::vector<double> values = numbers(entry, path);
  return {values[0], values[1], values[2]};
}

Eigen::Vector3d unit_vector(const Entry& entry, const std::string& path)
{
  const Eigen::Vector3d value = vector3(entry, path);
  const std::string where = entry.where();
  if (!(std::abs(value.norm() - 1.0) <= kUnitRounding))
    throw InputError((where.empty() ? "" : where + ": ") + path, "want a unit vector, got " + text(value));
  return value;
}

Map::Map(const Entry& entry, const std::string& path, const std::vector<std::string>& known, Others others)
    : entry_(entry), path_(path)
{
  if (entry.kind != Entry::Kind::kMap) fail(entry, path.empty() ? "scenario" : path, "a map");
  for (std::size_t i = 0; i < entry.keys.size() && others == Others::kRefused; ++i) {
    if (std::ranges::find(known, entry.keys[i]) != known.end()) continue;
    std::string list;
    for (const std::string& key : known) list += (list.empty() ? "" : ", ") + key;
    const std::string where = entry.items[i].where_key();
    throw InputError(
        (where.empty() ? "" : where + ": ") + path_of(entry.keys[i]),
        "want a known key (" + list + "), got " + quoted(entry.keys[i]) + did_you_mean(entry.keys[i], known));
  }
}

const Entry& Map::need(const char* key) const
{
  if (const Entry* found = find(key)) return *found;
  const std::string where = entry_.where();
  throw InputError((where.empty() ? "" : where + ": ") + path_of(key), "want an entry " + quoted(key) + ", got none");
}

double Map::number_or(const char* key, double fallback) const
{
  const Entry* found = find(key);
  return found ? number(*found, path_of(key)) : fallback;
}

Eigen::Vector3d Map::vector_or(const char* key, const Eigen::Vector3d& fallback) const
{
  const Entry* found = find(key);
  return found ? vector3(*found, path_of(key)) : fallback;
}

std::string Map::text_or(const char* key, const std::string& fallback) const
{
  const Entry* found = find(key);
  return found ? text_of(*found, path_of(key)) : fallback;
}

}  // namespace stiction::internal
