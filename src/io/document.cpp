#include "io/document.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <unordered_set>

#include "base/file.hpp"
#include "base/limits.hpp"
#include "base/names.hpp"
#include "base/nearest_name.hpp"
#include "base/text.hpp"

namespace stiction::internal {
namespace {

constexpr int kDeepest = 32;                         // a scenario needs 6
constexpr std::size_t kMostYamlEntries = 1'000'000;  // entries; aliases of aliases grow exponentially

std::size_t entries_of(const Entry& entry)
{
  std::size_t count = 1;
  for (const Entry& item : entry.items) count += entries_of(item);
  return count;
}

/// Entries from the events of yaml-cpp's parser, counted while they come.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const std::string& source, TextStart start)
      : start_(start), source_(std::make_shared<const std::string>(source))
  {
    root_.source = source_;
  }

  Entry take() { return std::move(root_); }
  int documents() const { return documents_; }
  std::string place(const YAML::Mark& mark) const { return at(mark).where(); }
  [[noreturn]] void refuse_depth(const YAML::Mark& mark) const
  {
    throw InputError(place(mark), "want at most " + std::to_string(kDeepest) + " nested levels, got more");
  }

  void OnDocumentStart(const YAML::Mark&) override { ++documents_; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(at(mark), anchor, mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override
  {
    Entry entry = at(mark);
    entry.kind = Entry::Kind::kText;
    entry.text = value;
    entry.quoted = tag == "!";
    add(std::move(entry), anchor, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override
  {
    begin(Entry::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override
  {
    begin(Entry::Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override { end(); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
  {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw InputError(place(mark), "want an alias of something before it, got one inside it");
    count(entries_of(found->second), mark);
    add(Entry(found->second), 0, mark);
  }

 private:
  struct Open {
    Entry entry;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    std::unordered_set<std::string> keys;  ///< of a map
    bool after_key = false;                ///< the next entry is the value of the last key
  };

  Entry at(const YAML::Mark& mark) const
  {
    Entry entry;
    entry.source = source_;
    entry.line = mark.is_null() ? 0 : start_.line + mark.line;
    entry.column = mark.is_null() ? 0 : mark.column + (mark.line == 0 ? start_.column : 1);
    return entry;
  }

  void count(std::size_t more, const YAML::Mark& mark)
  {
    count_ += more;
    if (count_ > kMostYamlEntries) throw InputError(place(mark), "want at most a million entries, got more");
  }

  void begin(Entry::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor)
  {
    if (open_.size() > kDeepest) refuse_depth(mark);
    Entry entry = at(mark);
    entry.kind = kind;
    open_.push_back({std::move(entry), anchor, mark, {}, false});
  }

  void end()
  {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.entry), done.anchor, done.mark);
  }

  bool wants_key() const
  {
    return !open_.empty() && open_.back().entry.kind == Entry::Kind::kMap && !open_.back().after_key;
  }

  void add(Entry&& entry, YAML::anchor_t anchor, const YAML::Mark& mark)
  {
    count(1, mark);
    if (anchor != 0) {  // kept as often as it is nested
      count(entries_of(entry), mark);
      anchors_[anchor] = entry;
    }
    if (open_.empty()) {
      root_ = std::move(entry);
    } else if (wants_key()) {
      add_key(entry, mark);
    } else if (Open& last = open_.back(); last.after_key) {
      Entry& item = last.entry.items.back();
      entry.key_line = item.key_line;
      entry.key_column = item.key_column;
      if (entry.kind == Entry::Kind::kNull) {  // its own mark is that of whatever comes next
        entry.line = entry.key_line;
        entry.column = entry.key_column;
      }
      item = std::move(entry);
      last.after_key = false;
    } else {
      last.entry.items.push_back(std::move(entry));
    }
  }

  void add_key(const Entry& key, const YAML::Mark& mark)
  {
    if (key.kind == Entry::Kind::kList || key.kind == Entry::Kind::kMap)
      throw InputError(place(mark), "want a plain key, got a list or a map");
    if (key.kind == Entry::Kind::kNull) throw InputError(place(mark), "want a plain key, got none");
    Open& last = open_.back();
    if (!last.keys.insert(key.text).second)
      throw InputError(place(mark), "want each key once, got " + quoted(key.text) + " twice");
    last.entry.keys.push_back(key.text);
    last.entry.items.emplace_back();
    last.entry.items.back().key_line = key.line;
    last.entry.items.back().key_column = key.column;
    last.after_key = true;
  }

  const TextStart start_;
  std::shared_ptr<const std::string> source_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Entry> anchors_;
  Entry root_;
  int documents_ = 0;
  std::size_t count_ = 0;
};

std::string joined(const std::vector<std::string>& names, const char* separator)
{
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : separator) + name;
  return list;
}

std::vector<std::string> names_in(const Entry& list)
{
  std::vector<std::string> names;
  for (const Entry& item : list.items)
    if (const Entry* name = item.kind == Entry::Kind::kMap ? item.find("name") : nullptr) names.push_back(name->text);
  return names;
}

std::vector<std::string> names_below(const Entry& entry)
{
  return entry.kind == Entry::Kind::kMap ? entry.keys : names_in(entry);
}

/// What a step leads to; null when there is nothing.
const Entry* below(const Entry& entry, const std::string& step)
{
  if (entry.kind == Entry::Kind::kMap) return entry.find(step);
  const int index = entry.kind == Entry::Kind::kList ? find_in_list(entry, step) : -1;
  return index < 0 ? nullptr : &entry.items[static_cast<std::size_t>(index)];
}

}  // namespace

const Entry* Entry::find(std::string_view key) const
{
  const auto found = std::ranges::find(keys, key);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

std::string Entry::where() const { return place(line, column); }

std::string Entry::place(int at_line, int at_column) const
{
  const std::string name = source ? *source : "";
  if (at_line <= 0) return name;
  return (name.empty() ? "" : name + ":") + std::to_string(at_line) + ":" + std::to_string(at_column);
}

std::string Entry::where_key() const { return key_line > 0 ? place(key_line, key_column) : where(); }

std::string Entry::shown() const
{
  constexpr std::size_t kShownLetters = 40;
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list of " + std::to_string(items.size());
    case Kind::kMap:
      return "a map" + (keys.empty() ? "" : " with " + internal::quoted(keys.front()));
    case Kind::kText:
      break;
  }
  return internal::quoted(text.size() > kShownLetters ? text.substr(0, kShownLetters) + "…" : text);
}

Entry parse_yaml(const std::string& text, const std::string& source, TextStart start)
{
  Builder builder(source, start);
  if (text.find('\0') != text.npos) throw InputError(source, "want YAML, got a binary file");
  if (const std::size_t bad = not_utf8(text); bad != text.npos) {
    const auto line = static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n'));
    throw InputError(source + (source.empty() ? "" : ":") + std::to_string(start.line + line),
                     "want UTF-8, got another encoding");
  }
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder))
      if (builder.documents() > 1) throw InputError(source, "want one YAML document, got 2 or more");
    return builder.take();
  } catch (const YAML::DeepRecursion& error) {
    builder.refuse_depth(error.mark);
  } catch (const YAML::Exception& error) {
    throw InputError(builder.place(error.mark), "want YAML, got: " + error.msg);
  }
}

std::string read_text_file(const std::string& file, const std::string& path)
{
  return read_whole_file(file, kMostScenarioBytes, path);
}

std::vector<std::string> split_path(const Entry& root, const std::string& path)
{
  std::vector<std::string> steps;
  const Entry* entry = &root;
  const auto ends_step = [&](std::size_t i) { return i >= path.size() || path[i] == '.' || path[i] == '['; };
  for (std::size_t at = 0; at <= path.size();) {
    // Joints are named by their robot: Allegro's joint_0.0.
    constexpr std::string_view kByJoint[] = {"joints", "rates", "accelerations", "effort"};
    if (steps.size() == 3 && steps[0] == "models" && std::ranges::find(kByJoint, steps[2]) != std::end(kByJoint)) {
      steps.push_back(path.substr(at));
      return steps;
    }
    std::string step;
    for (const std::string& name : entry ? names_below(*entry) : std::vector<std::string>())
      if (name.size() > step.size() && path.compare(at, name.size(), name) == 0 && ends_step(at + name.size()))
        step = name;
    const bool known = !step.empty();
    at += step.size();
    if (!known)
      while (!ends_step(at)) step += path[at++];
    if (!known && step.ends_with(']')) step.pop_back();
    entry = entry ? below(*entry, step) : nullptr;
    steps.push_back(step);
    if (at++ == path.size()) break;
  }
  return steps;
}

int find_in_list(const Entry& list, const std::string& part)
{
  for (std::size_t i = 0; i < list.items.size(); ++i)
    if (list.items[i].kind == Entry::Kind::kMap)
      if (const Entry* name = list.items[i].find("name"); name && name->text == part) return static_cast<int>(i);
  int index = -1;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  const bool number = error == std::errc() && end == part.data() + part.size();
  return number && index >= 0 && index < static_cast<int>(list.items.size()) ? index : -1;
}

void set_path(Entry& root, const std::vector<std::string>& steps, const Entry& value, std::size_t first)
{
  Entry* entry = &root;
  for (std::size_t p = first; p < steps.size(); ++p) {
    const std::string& step = steps[p];
    if (step.empty())
      throw InputError(value.where(), "want a path such as contacts.left_toe.mu, got " + quoted(joined(steps, ".")));
    if (entry->kind == Entry::Kind::kNull) entry->kind = Entry::Kind::kMap;  // `options:` with nothing after it
    if (p > 0 && steps[p - 1] == "effort" && entry->kind == Entry::Kind::kText && entry->text == "none") {
      entry->kind = Entry::Kind::kMap;  // no efforts yet
      entry->text.clear();
    }
    if (entry->kind == Entry::Kind::kMap) {
      if (!entry->find(step)) {
        entry->keys.push_back(step);
        entry->items.emplace_back();
        entry->items.back().source = value.source;
      }
      entry = &entry->items[static_cast<std::size_t>(std::ranges::find(entry->keys, step) - entry->keys.begin())];
    } else if (entry->kind == Entry::Kind::kList) {
      const int index = find_in_list(*entry, step);
      if (index < 0) {
        const std::vector<std::string> names = names_in(*entry);
        const std::string choice =
            names.empty() ? "an index below " + std::to_string(entry->items.size()) : "one of " + joined(names, ", ");
        throw InputError(value.where(), "want " + choice + ", got " + quoted(step) + " in " +
                                            quoted(joined(steps, ".")) + did_you_mean(step, names));
      }
      entry = &entry->items[static_cast<std::size_t>(index)];
    } else {
      throw InputError(value.where(), "want a path of the scenario, got " + quoted(joined(steps, ".")) +
                                          ": nothing below " + entry->shown());
    }
  }
  *entry = value;
}

const Entry& locate(const Entry& root, const std::string& path)
{
  const Entry* entry = &root;
  for (const std::string& step : split_path(root, path)) {
    const Entry* next = below(*entry, step);
    if (!next) break;
    entry = next;
  }
  return *entry;
}

InputError located(const Entry& root, const InputError& error)
{
  const std::string message = error.what();
  const std::string path = error.path().substr(0, error.path().find('('));  // M(0,1) is an entry of the matrix M
  if (!root.find(split_path(root, path).front())) return error;
  const std::string where = locate(root, path).where();
  if (where.empty() || message.starts_with(where)) return error;
  return InputError(where + ": " + error.path(), message.substr(std::min(message.size(), error.path().size() + 2)));
}

}  // namespace stiction::internal
