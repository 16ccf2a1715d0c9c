#include "io/row_reader.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "io/npz.hpp"

namespace stiction::internal {

LineReader::LineReader(const std::string& file, const char* option)
    : file_(std::fopen(file.c_str(), "rb")), name_(file), option_(option)
{
  if (!file_ || std::filesystem::is_directory(file)) {
    if (file_) std::fclose(file_);
    throw InputError(option, "want a readable file, got " + internal::quoted(file));
  }
}

LineReader::~LineReader() { std::fclose(file_); }

bool LineReader::next(std::string& line)
{
  constexpr std::uint64_t kNoLine = 64 << 20;  // /dev/zero has no end
  const std::uint64_t start = bytes_;
  line.clear();
  for (int c; (c = ::getc_unlocked(file_)) != EOF;) {
    ++bytes_;
    if (c == '\n') return true;
    if (line.size() <= kLongest) line += static_cast<char>(c);
    if (bytes_ - start > kNoLine)
      throw InputError(option_, "want lines, got 64 MiB without an end of line in " + internal::quoted(name_));
  }
  if (std::ferror(file_)) throw InputError(option_, "want a readable file, got " + internal::quoted(name_));
  return !line.empty();
}

RowFormat text_format_of(const std::string& file, const char* option)
{
  if (file.ends_with(".jsonl")) return RowFormat::kJson;
  if (file.ends_with(".csv")) return RowFormat::kCsv;
  throw InputError(option, "want a file that ends in .jsonl or .csv, got " + internal::quoted(file));
}

struct RowReader::Source {
  virtual ~Source() = default;
  virtual bool next(InputLine& line) = 0;
  virtual std::uint64_t bytes() const = 0;
};

struct RowReader::Lines final : Source {
  explicit Lines(const std::string& file) : reader(file, "--inputs") {}

  bool next(InputLine& line) override
  {
    do {
      if (!reader.next(line.text)) return false;
      line.line = ++count;
    } while (line.text.find_first_not_of(" \t\r") == std::string::npos);
    return true;
  }
  std::uint64_t bytes() const override { return reader.bytes(); }

  LineReader reader;
  std::uint64_t count = 0;
};

/// A row's text is the bytes of its numbers, all of them as double.
struct RowReader::Arrays final : Source {
  explicit Arrays(const std::string& file) : arrays(file, "--inputs") {}

  bool next(InputLine& line) override
  {
    if (count == arrays.rows()) return false;
    line.text.clear();
    for (const NpzFile::Column& column : arrays.columns())
      for (std::uint64_t k = 0; k < column.width; ++k) {
        const double value = arrays.value(column, count, k);
        line.text.append(reinterpret_cast<const char*>(&value), sizeof value);
      }
    line.line = ++count;
    return true;
  }
  std::uint64_t bytes() const override { return arrays.rows() > 0 ? arrays.bytes() / arrays.rows() * count : 0; }

  void parse(const InputLine& line, BatchRow& row) const
  {
    row.id = std::to_string(line.row);
    row.changes.clear();
    const char* at = line.text.data();
    const auto number = [&] {
      double value = 0.0;
      std::memcpy(&value, at, sizeof value);
      at += sizeof value;
      Entry entry;
      entry.kind = Entry::Kind::kText;
      entry.text = internal::text(value);
      return entry;
    };
    for (const NpzFile::Column& column : arrays.columns()) {
      Entry entry;
      if (column.scalar) {
        entry = number();
      } else {
        entry.kind = Entry::Kind::kList;
        for (std::uint64_t k = 0; k < column.width; ++k) entry.items.push_back(number());
      }
      if (column.name == "id" && column.scalar)
        row.id = entry.text;
      else
        row.changes.emplace_back(column.name, std::move(entry));
    }
  }

  NpzFile arrays;
  std::uint64_t count = 0;
};

RowReader::RowReader(const std::string& file, RowFormat format) : format_(format)
{
  if (format == RowFormat::kNpz) {
    auto arrays = std::make_unique<Arrays>(file);
    for (const NpzFile::Column& column : arrays->arrays.columns()) header_.push_back(column.name);
    source_ = std::move(arrays);
    return;
  }
  source_ = std::make_unique<Lines>(file);
  if (format == RowFormat::kJson) return;
  InputLine line;
  if (!source_->next(line))
    throw InputError("--inputs", "want a header of paths, got an empty file " + internal::quoted(file));
  header_ = split_csv(line.text);
  for (std::size_t i = 0; i < header_.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (header_[i] == header_[k])
        throw InputError("--inputs", "want each column once, got " + internal::quoted(header_[i]) + " twice");
}

RowReader::~RowReader() = default;

bool RowReader::next(InputLine& line)
{
  do {
    if (rows_ == range_.before) left_out_ = source_->bytes();
    if (rows_ == range_.last || !source_->next(line)) return false;
    line.row = ++rows_;
  } while (rows_ <= range_.before);
  return true;
}

void RowReader::parse(const InputLine& line, BatchRow& row) const
{
  if (format_ == RowFormat::kNpz)
    static_cast<const Arrays&>(*source_).parse(line, row);
  else if (format_ == RowFormat::kJson)
    parse_json_row(line.text, line.row, row);
  else
    parse_csv_row(header_, line.text, line.row, line.line, row);
}

std::uint64_t RowReader::bytes() const { return source_->bytes() - left_out_; }

}  // namespace stiction::internal
