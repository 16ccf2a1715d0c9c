#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/error.hpp"

namespace stiction::internal {

/// A YAML or JSON value that remembers where it was written: line and column of a file, or an override.
struct Entry {
  enum class Kind { kNull, kText, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;                 ///< kText
  bool quoted = false;              ///< kText: written with quotes, so not a number
  std::vector<std::string> keys;    ///< kMap, one per item
  std::vector<Entry> items;         ///< kList, kMap
  std::shared_ptr<const std::string> source;   ///< file name, or the override as it was written
  int line = 0, column = 0;         ///< from 1; 0: the source says it all
  int key_line = 0, key_column = 0; ///< of the key, for an item of a map

  const Entry* find(std::string_view key) const;   ///< of a map; null when absent
  std::string where() const;                       ///< "file:3:7"
  std::string where_key() const;                   ///< the same of its key
  std::string shown() const;                       ///< for "got …": a short text
};

/// @throws InputError "source:line:column: …" when it is not YAML, has a duplicate key, more than one document or is out of all
/// proportion.
Entry parse_yaml(const std::string& text, const std::string& source);

/// The whole of a file, up to 256 MiB: /dev/zero has no end. @throws InputError
std::string read_text_file(const std::string& file, const std::string& path);

/// Puts `value` at a dotted path: map keys, indices of lists, and names of list entries that have one
/// ("contacts.left_toe.mu"). Maps grow new keys (what they may be is for the reader to say); lists do not grow.
/// `root` is what the first `skip` parts of the path lead to.
/// @throws InputError naming the part of the path that leads nowhere.
void set_path(Entry& root, const std::string& path, const Entry& value, std::size_t skip = 0);

/// Where the entry of an error path such as "contacts[2].normal" was written; the deepest part of it that exists.
const Entry& locate(const Entry& root, const std::string& path);

/// "contacts[2].at" or "contacts.left_toe.at" -> its parts.
std::vector<std::string> split_path(const std::string& path);

/// Index in a list by number or by the `name` of an entry; -1 if there is none.
int find_in_list(const Entry& list, const std::string& part);

}  // namespace stiction::internal
