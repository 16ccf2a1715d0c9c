// Documents from JSON: nlohmann's parser tells what it reads, an iterator that it reads through tells where.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/text.hpp"
#include "io/document.hpp"
#include "io/json_text.hpp"

namespace stiction::internal {
namespace {

/// Characters of a text; remembers the furthest that was read.
class Watched {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Watched(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  Watched& operator++()
  {
    *furthest_ = ++at_;
    return *this;
  }
  bool operator==(const Watched& other) const { return at_ == other.at_; }
  bool operator!=(const Watched& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// Builds the entries of what is read.
class EntryBuilder {
 public:
  EntryBuilder(const std::string& text, const std::string& source)
      : source_(std::make_shared<const std::string>(source)),
        read_(text.data()),
        counted_(text.data()),
        line_start_(text.data())
  {
  }

  const char** furthest() { return &read_; }
  Entry root = {};

  bool null() { return add(Entry::Kind::kNull, "", place(4)); }
  bool boolean(bool value) { return add(Entry::Kind::kText, value ? "true" : "false", place(value ? 4 : 5)); }
  bool number_integer(std::int64_t value) { return number(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return number(std::to_string(value)); }
  bool number_float(double, const std::string& written) { return number(written); }
  bool string(const std::string& value)
  {
    add(Entry::Kind::kText, value, place(value.size() + 2));
    last_->quoted = true;
    return true;
  }
  bool binary(const nlohmann::json::binary_t&) { return false; }  // JSON has none
  bool start_object(std::size_t) { return open(Entry::Kind::kMap); }
  bool start_array(std::size_t) { return open(Entry::Kind::kList); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(const std::string& name)
  {
    key_ = name;
    key_place_ = place(name.size() + 2);
    if (!keys_.back().insert(name).second)
      throw InputError(where(key_place_), "want each key once, got " + quoted(name) + " twice");
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error)
  {
    throw InputError(where(place(1)), std::string("want JSON, got: ") + error.what());
  }

 private:
  struct Place {
    int line = 0, column = 0;  ///< from 1
  };

  /// Of a token of this length that was just read; before the end of a number is known, the parser has read on.
  Place place(std::size_t length, int ahead = 0)
  {
    const char* end = read_ - ahead;
    for (; counted_ < end; ++counted_)
      if (*counted_ == '\n') {
        ++line_;
        line_start_ = counted_ + 1;
      }
    const std::ptrdiff_t column = end - line_start_ - static_cast<std::ptrdiff_t>(length);
    return {line_, 1 + static_cast<int>(std::max<std::ptrdiff_t>(0, column))};
  }
  std::string where(const Place& at) const
  {
    return *source_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }

  bool number(const std::string& written) { return add(Entry::Kind::kText, written, place(written.size(), 1)); }
  bool add(Entry::Kind kind, const std::string& text, const Place& at)
  {
    if (++count_ > kMostJson) throw InputError(where(at), "want at most four million entries, got more");
    Entry& entry = open_.empty() ? root : open_.back()->items.emplace_back();
    entry.kind = kind;
    entry.text = text;
    entry.source = source_;
    entry.line = at.line;
    entry.column = at.column;
    if (!open_.empty() && open_.back()->kind == Entry::Kind::kMap) {
      open_.back()->keys.push_back(key_);
      entry.key_line = key_place_.line;
      entry.key_column = key_place_.column;
    }
    last_ = &entry;
    return true;
  }
  bool open(Entry::Kind kind)
  {
    const Place at = place(1);
    add(kind, "", at);
    open_.push_back(last_);
    keys_.emplace_back();
    if (static_cast<int>(open_.size()) > kDeepestJson)
      throw InputError(where(at), "want at most " + std::to_string(kDeepestJson) + " nested levels, got more");
    return true;
  }
  bool close()
  {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  static constexpr std::size_t kMostJson = 4'000'000;  // a matrix of a million numbers as triplets

  std::shared_ptr<const std::string> source_;
  const char* read_;     ///< one behind the last character that the parser saw
  const char* counted_;  ///< lines before it are counted
  const char* line_start_;
  int line_ = 1;
  std::size_t count_ = 0;
  std::vector<Entry*> open_;  ///< lists and maps around; what is inside of them may move, they do not
  std::vector<std::unordered_set<std::string>> keys_;  ///< of these
  Entry* last_ = nullptr;
  std::string key_;
  Place key_place_;
};

}  // namespace

Entry parse_json_entries(const std::string& text, const std::string& source)
{
  EntryBuilder builder(text, source);
  const char** furthest = builder.furthest();
  nlohmann::json::sax_parse(Watched(text.data(), furthest), Watched(text.data() + text.size(), furthest), &builder);
  return std::move(builder.root);
}

}  // namespace stiction::internal
