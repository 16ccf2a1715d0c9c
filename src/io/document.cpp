#include "io/document.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/text.hpp"
#include "io/nearest_name.hpp"

namespace stiction::internal {
namespace {

constexpr int kDeepest = 32;  // a scenario needs 6
constexpr std::size_t kLargestFile = std::size_t{256} << 20;
constexpr std::size_t kMost = 1'000'000;  // entries; aliases of aliases grow exponentially

std::string place(const std::string& source, const YAML::Mark& mark)
{
  if (mark.is_null()) return source;
  return source + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
}

class Reader {
 public:
  explicit Reader(const std::string& source) : source_(std::make_shared<const std::string>(source)) {}

  Entry read(const YAML::Node& node, int depth = 0)
  {
    const YAML::Mark mark = node.Mark();
    if (depth > kDeepest) throw InputError(place(*source_, mark), "want at most 32 nested levels, got more");
    if (++count_ > kMost) throw InputError(place(*source_, mark), "want at most a million entries, got more");
    Entry entry;
    entry.source = source_;
    entry.line = mark.is_null() ? 0 : mark.line + 1;
    entry.column = mark.is_null() ? 0 : mark.column + 1;
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        entry.kind = Entry::Kind::kText;
        entry.text = node.Scalar();
        entry.quoted = node.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        entry.kind = Entry::Kind::kList;
        for (const YAML::Node& item : node) entry.items.push_back(read(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        entry.kind = Entry::Kind::kMap;
        for (const auto& pair : node) {
          const YAML::Node &key = pair.first, &value = pair.second;
          if (!key.IsScalar()) throw InputError(place(*source_, key.Mark()), "want a plain key, got a list or a map");
          const std::string& name = key.Scalar();
          if (entry.find(name))
            throw InputError(place(*source_, key.Mark()), "want each key once, got " + quoted(name) + " twice");
          entry.keys.push_back(name);
          entry.items.push_back(read(value, depth + 1));
          Entry& item = entry.items.back();
          item.key_line = key.Mark().line + 1;
          item.key_column = key.Mark().column + 1;
          if (item.kind == Entry::Kind::kNull) {  // its own mark is that of whatever comes next
            item.line = item.key_line;
            item.column = item.key_column;
          }
        }
        break;
    }
    return entry;
  }

 private:
  std::shared_ptr<const std::string> source_;
  std::size_t count_ = 0;
};

/// Position of the first byte that is not UTF-8; npos if there is none. Reports are JSON, which must be.
std::size_t not_utf8(const std::string& text)
{
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u; };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length == 0) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(k) & 0xc0) != 0x80) return i;
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf0 && byte(1) < 0x90) ||
        (lead == 0xf4 && byte(1) > 0x8f))
      return i;  // overlong, a surrogate, or beyond the last code point
    i += length;
  }
  return text.npos;
}

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

std::string Entry::where() const
{
  const std::string name = source ? *source : "";
  return line > 0 ? name + ":" + std::to_string(line) + ":" + std::to_string(column) : name;
}

std::string Entry::where_key() const
{
  return key_line > 0 ? *source + ":" + std::to_string(key_line) + ":" + std::to_string(key_column) : where();
}

std::string Entry::shown() const
{
  constexpr std::size_t kShown = 40;
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
  std::string clean;
  for (char c : text.substr(0, kShown)) clean += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return internal::quoted(text.size() > kShown ? clean + "…" : clean);
}

Entry parse_yaml(const std::string& text, const std::string& source)
{
  if (text.find('\0') != text.npos) throw InputError(source, "want YAML, got a binary file");
  if (const std::size_t bad = not_utf8(text); bad != text.npos)
    throw InputError(
        source + ":" +
            std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n')),
        "want UTF-8, got another encoding");
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1)
      throw InputError(source, "want one YAML document, got " + std::to_string(documents.size()));
    return Reader(source).read(documents.empty() ? YAML::Node() : documents.front());
  } catch (const YAML::Exception& error) {
    throw InputError(place(source, error.mark), "want YAML, got: " + error.msg);
  }
}

std::string read_text_file(const std::string& file, const std::string& path)
{
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) throw InputError(path, "want an existing file, got " + quoted(file));
  if (fs::is_directory(file, ignored)) throw InputError(path, "want a file, got the directory " + quoted(file));
  std::ifstream stream(file, std::ios::binary);
  std::string content, block(1 << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())), stream.gcount() > 0) {
    content.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (content.size() > kLargestFile) throw InputError(path, "want at most 256 MiB, got more in " + quoted(file));
  }
  if (!stream.eof()) throw InputError(path, "want a readable file, got " + quoted(file));
  return content;
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
        const std::string near = nearest_name(step, names);
        const std::string choice =
            names.empty() ? "an index below " + std::to_string(entry->items.size()) : "one of " + joined(names, ", ");
        throw InputError(value.where(), "want " + choice + ", got " + quoted(step) + " in " +
                                            quoted(joined(steps, ".")) +
                                            (near.empty() ? "" : ", did you mean " + quoted(near) + "?"));
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
