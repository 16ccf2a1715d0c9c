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
  std::string text;                           ///< kText
  bool quoted = false;                        ///< kText: written with quotes, so not a number
  std::vector<std::string> keys;              ///< kMap, one per item
  std::vector<Entry> items;                   ///< kList, kMap
  std::shared_ptr<const std::string> source;  ///< file name, or the override as it was written
  int line = 0, column = 0;                   ///< from 1; 0: the source says it all
  int key_line = 0, key_column = 0;           ///< of the key, for an item of a map

  const Entry* find(std::string_view key) const;  ///< of a map; null when absent
  std::string where() const;                      ///< "file:3:7"
  std::string where_key() const;                  ///< the same of its key
  std::string shown() const;                      ///< for "got …": a short text

 private:
  std::string place(int at_line, int at_column) const;
};

/// Where in its source a text starts, from 1.
struct TextStart {
  int line = 1, column = 1;
};

/// @throws InputError "source:line:column: …" when it is not YAML, has a duplicate key, more than one document or is
/// out of all proportion.
Entry parse_yaml(const std::string& text, const std::string& source, TextStart start = {});

/// The same from JSON, strictly; much faster. @throws InputError "source:line:column: …"
Entry parse_json_entries(const std::string& text, const std::string& source);

/// The whole of a file of at most 16 MiB. @throws InputError
std::string read_text_file(const std::string& file, const std::string& path);

/// The steps of a dotted path ("contacts[2].at", "contacts.left_toe.at") down a document: keys of maps, and indices
/// or names of list entries. A step is the longest that the document has, so that names may have dots and brackets in
/// them; where it has none, one that ends at the next dot or bracket. Below `joints` and the like of a model the rest
/// is the name of a joint.
std::vector<std::string> split_path(const Entry& root, const std::string& path);

/// Puts `value` where the steps from `first` on lead to from `entry`. Maps grow new keys (what they may be is for the
/// reader to say); lists do not grow.
/// @throws InputError naming the step that leads nowhere.
void set_path(Entry& entry, const std::vector<std::string>& steps, const Entry& value, std::size_t first = 0);

/// Where the entry of an error path such as "contacts[2].normal" was written; the deepest part of it that exists.
const Entry& locate(const Entry& root, const std::string& path);

/// An error about an entry ("contacts[2].normal: …"), with the line and column of that entry in front.
InputError located(const Entry& root, const InputError& error);

/// Index in a list by number or by the `name` of an entry; -1 if there is none.
int find_in_list(const Entry& list, const std::string& part);

}  // namespace stiction::internal
