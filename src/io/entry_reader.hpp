// Strict reading of documents: every value is checked where it is read, errors say the place, the path and what is
// wanted.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/document.hpp"

namespace stiction::internal {

/// @throws InputError "file:3:7: path: want …, got …"
[[noreturn]] void fail(const Entry& entry, const std::string& path, const std::string& want);
/// The same for one of several words; a near one is suggested.
[[noreturn]] void fail_choice(const Entry& entry, const std::string& path, const std::vector<std::string>& choices);

double number(const Entry& entry, const std::string& path);  ///< finite
double number_at_least_zero(const Entry& entry, const std::string& path);
double positive_number(const Entry& entry, const std::string& path);
double number_or_infinite(const Entry& entry, const std::string& path);  ///< also the texts "inf" and "-inf"
std::uint64_t whole_number(const Entry& entry, const std::string& path, double least, double most);
bool boolean(const Entry& entry, const std::string& path);
const std::string& text_of(const Entry& entry, const std::string& path);
std::vector<double> numbers(const Entry& entry, const std::string& path);
Eigen::Vector3d vector3(const Entry& entry, const std::string& path);
Eigen::Vector3d unit_vector(const Entry& entry,
                            const std::string& path);  ///< to within kUnitRounding, as a scene wants it

template <class Value, std::size_t n>
Value one_of(const Entry& entry, const std::string& path, const std::array<std::pair<const char*, Value>, n>& choices)
{
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (entry.kind == Entry::Kind::kText && entry.text == name) return value;
    names.push_back(name);
  }
  fail_choice(entry, path, names);
}

/// Calls read(item, path[i]) for every item of a list; none for a list that is not there.
template <class Read>
void each(const Entry* list, const char* path, Read read)
{
  if (!list || list->kind == Entry::Kind::kNull) return;
  if (list->kind != Entry::Kind::kList) fail(*list, path, "a list");
  for (std::size_t i = 0; i < list->items.size(); ++i)
    read(list->items[i], std::string(path) + "[" + std::to_string(i) + "]");
}

/// A map with keys that are known.
class Map {
 public:
  enum class Others { kRefused, kAllowed };

  Map(const Entry& entry, const std::string& path, const std::vector<std::string>& known,
      Others others = Others::kRefused);

  const Entry* find(const char* key) const { return entry_.find(key); }
  const Entry& need(const char* key) const;
  std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  double number_or(const char* key, double fallback) const;
  Eigen::Vector3d vector_or(const char* key, const Eigen::Vector3d& fallback) const;
  std::string text_or(const char* key, const std::string& fallback) const;
  template <class Value, std::size_t n>
  Value choice_or(const char* key, const std::array<std::pair<const char*, Value>, n>& choices, Value fallback) const
  {
    const Entry* found = find(key);
    return found ? one_of(*found, path_of(key), choices) : fallback;
  }

 private:
  const Entry& entry_;
  std::string path_;
};

}  // namespace stiction::internal
