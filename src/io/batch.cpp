#include "io/batch.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/names.hpp"
#include "base/text.hpp"
#include "io/batch_output.hpp"
#include "io/check.hpp"
#include "io/report.hpp"
#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

constexpr std::size_t kChunkRows = 256;
constexpr std::size_t kChunkBytes = 1 << 20;

enum class Format { kJson, kCsv };

Format format_of(const std::string& file, const char* option)
{
  if (file.ends_with(".jsonl")) return Format::kJson;
  if (file.ends_with(".csv")) return Format::kCsv;
  throw InputError(option, "want a file that ends in .jsonl or .csv, got " + internal::quoted(file));
}

std::string json_text(const std::string& text)
{
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string csv_text(const std::string& text)
{
  if (text.find_first_of(",\"\r") == text.npos) return text;
  std::string quoted_text = "\"";
  for (char c : text) quoted_text += c == '"' ? "\"\"" : std::string(1, c);
  return quoted_text + "\"";
}

std::string number_text(double value, Format format)
{
  if (std::isfinite(value)) return text(value);
  if (std::isnan(value)) return format == Format::kJson ? "null" : "";  // not known
  return format == Format::kJson ? (value > 0 ? "\"inf\"" : "\"-inf\"") : (value > 0 ? "inf" : "-inf");
}

/// The id of a row as a CSV cell: JSON text loses its quotes.
std::string csv_id(const std::string& id)
{
  return csv_text(id.starts_with('"') ? printable(nlohmann::json::parse(id).get<std::string>()) : id);
}

struct OutputFormat {
  Format format;
  std::vector<std::string> columns;  ///< of the question, between verdict and summary; CSV only
  bool begins;                       ///< nothing is written before: a CSV needs its header

  std::string header() const
  {
    if (format == Format::kJson || !begins) return "";
    std::string line = "id,verdict,";
    for (const std::string& column : columns) line += column + ",";
    return line + "summary,error\n";
  }

  std::string row(const std::string& id, const RowAnswer& answer) const
  {
    if (format == Format::kCsv) {
      std::string line = csv_id(id) + "," + name_of(answer.verdict) + ",";
      for (const std::string& column : columns) {
        const auto cell = std::ranges::find(answer.cells, column, &RowCell::name);
        line += (cell == answer.cells.end() ? "" : cell_text(*cell)) + ",";
      }
      return line + csv_text(answer.summary) + ",\n";
    }
    std::string line = "{\"id\":" + id + ",\"verdict\":\"" + name_of(answer.verdict) + "\"";
    for (const RowCell& cell : answer.cells) line += std::string(",\"") + cell.name + "\":" + cell_text(cell);
    return line + ",\"summary\":" + json_text(answer.summary) + "}\n";
  }

  std::string cell_text(const RowCell& cell) const
  {
    if (cell.number) return number_text(*cell.number, format);
    if (cell.word) return format == Format::kCsv ? csv_text(cell.word) : json_text(cell.word);
    return format == Format::kCsv ? "" : "null";
  }

  std::string error(const std::string& id, std::uint64_t line, const std::string& message) const
  {
    const std::string clean = printable(message);
    if (format == Format::kCsv)
      return csv_id(id) + ",," + std::string(columns.size(), ',') + "," +
             csv_text("line " + std::to_string(line) + ": " + clean) + "\n";
    return "{\"id\":" + id + ",\"line\":" + std::to_string(line) + ",\"error\":" + json_text(clean) + "}\n";
  }

  /// Whether a written line answers the row of this id, by a verdict or by an error.
  bool answers(const std::string& line, const std::string& id, bool& error) const
  {
    const auto verdict = [](const std::string& word) {
      return word == name_of(Verdict::kHolds) || word == name_of(Verdict::kFails) ||
             word == name_of(Verdict::kUndecided);
    };
    if (format == Format::kCsv) {
      std::vector<std::string> cells;
      try {
        cells = split_csv(line);
      } catch (const InputError&) {
        return false;
      }
      if (cells.size() != columns.size() + 4 || csv_text(cells.front()) != csv_id(id)) return false;
      error = !cells.back().empty();
      return error ? cells[1].empty() : verdict(cells[1]);
    }
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("id") || json["id"].dump() != id) return false;
    error = json.contains("error");
    return error ||
           (json.contains("verdict") && json["verdict"].is_string() && verdict(json["verdict"].get<std::string>()));
  }
};

struct InputLine {
  std::string text;
  std::uint64_t line = 0, row = 0;  ///< from 1; rows do not count the header and blank lines
};

/// Rows after the first `before`, up to number `last`.
struct RowRange {
  std::uint64_t before = 0, last = std::numeric_limits<std::uint64_t>::max();
};

/// The input as numbered rows.
class RowReader {
 public:
  RowReader(const std::string& file, Format format) : reader_(file, "--inputs"), format_(format)
  {
    InputLine line;
    if (format == Format::kJson) return;
    if (!next_line(line))
      throw InputError("--inputs", "want a header of paths, got an empty file " + internal::quoted(file));
    header_ = split_csv(line.text);
    for (std::size_t i = 0; i < header_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (header_[i] == header_[k])
          throw InputError("--inputs", "want each column once, got " + internal::quoted(header_[i]) + " twice");
  }

  /// Leaves out rows before the range, and ends after it.
  void restrict_to(const RowRange& range) { range_ = range; }

  bool next(InputLine& line)
  {
    do {
      if (rows_ == range_.before) left_out_ = reader_.bytes();
      if (rows_ == range_.last || !next_line(line)) return false;
      line.row = ++rows_;
    } while (rows_ <= range_.before);
    return true;
  }

  void parse(const InputLine& line, BatchRow& row) const
  {
    if (format_ == Format::kJson)
      parse_json_row(line.text, line.row, row);
    else
      parse_csv_row(header_, line.text, line.row, line.line, row);
  }

  std::uint64_t bytes() const { return reader_.bytes() - left_out_; }  ///< of the range

 private:
  bool next_line(InputLine& line)
  {
    do {
      if (!reader_.next(line.text)) return false;
      line.line = ++lines_;
    } while (line.text.find_first_not_of(" \t\r") == std::string::npos);
    return true;
  }

  LineReader reader_;
  Format format_;
  std::vector<std::string> header_;
  RowRange range_;
  std::uint64_t lines_ = 0, rows_ = 0, left_out_ = 0;
};

/// What an interrupted run left behind: whole rows, and where they end.
struct Leftover {
  std::uint64_t rows = 0, bad = 0, bytes = 0;
};

/// Reads rows and what answers them, side by side. A line without its end is torn and not counted.
/// @throws InputError when a line is not the answer to its row.
Leftover read_leftover(const std::string& file, const OutputFormat& format, RowReader& rows)
{
  Leftover left;
  LineReader reader(file, "--resume");
  std::string line;
  bool header = !format.header().empty();
  for (std::uint64_t before = 0; reader.next(line); before = reader.bytes()) {
    if (reader.bytes() == before + line.size()) break;
    if (header && line + "\n" != format.header())
      throw InputError("--resume", "want the results of the same options, got the header " +
                                       internal::quoted(line.substr(0, 80)) + " in " + internal::quoted(file));
    left.bytes = reader.bytes();
    if (std::exchange(header, false)) continue;
    InputLine input;
    if (!rows.next(input))
      throw InputError("--resume", "want results of these inputs, got more than " + std::to_string(left.rows) +
                                       " rows in " + internal::quoted(file));
    BatchRow row;
    try {
      rows.parse(input, row);
    } catch (const InputError&) {  // it was answered as an error
    }
    bool error = false;
    if (!format.answers(line, row.id, error))
      throw InputError("--resume", "want the answer to row " + std::to_string(left.rows + 1) + " named " + row.id +
                                       ", got " + internal::quoted(line.substr(0, 80)) + " in " +
                                       internal::quoted(file));
    ++left.rows;
    left.bad += error;
  }
  return left;
}

RowRange rows_of(const BatchShard& shard, const std::string& file, Format format)
{
  if (!std::filesystem::is_regular_file(file))
    throw InputError("--shard", "want rows in a regular file, which is read twice, got " + internal::quoted(file));
  std::uint64_t count = 0;
  InputLine line;
  for (RowReader all(file, format); all.next(line);) ++count;
  return {count * (shard.index - 1) / shard.count, count * shard.index / shard.count};
}

struct Chunk {
  std::vector<InputLine> lines;
  std::string output;
  std::uint64_t bad = 0, bytes = 0;
  bool done = false;
};

/// Workers take chunks in any order; the owner gets them back in order.
class Workers {
 public:
  Workers(const RowAnswerer& answerer, const RowReader& reader, const OutputFormat& format, int count)
  {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back(
          [this, &reader, format, own = std::make_shared<RowAnswerer>(answerer)] { work(*own, reader, format); });
  }
  ~Workers()
  {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void submit(const std::shared_ptr<Chunk>& chunk)
  {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(chunk);
    }
    wake_.notify_one();
  }

  void wait_for(const Chunk& chunk)
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return chunk.done || error_; });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work(RowAnswerer& answerer, const RowReader& reader, const OutputFormat& format)
  {
    for (;;) {
      std::shared_ptr<Chunk> chunk;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
        if (stop_) return;
        chunk = waiting_.front();
        waiting_.pop_front();
      }
      std::exception_ptr error;
      try {
        answer(*chunk, answerer, reader, format);
      } catch (...) {
        error = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        chunk->done = true;
        if (error && !error_) error_ = error;
      }
      done_.notify_all();
    }
  }

  static void answer(Chunk& chunk, RowAnswerer& answerer, const RowReader& reader, const OutputFormat& format)
  {
    BatchRow row;
    RowAnswer answer;
    for (const InputLine& line : chunk.lines) {
      try {
        reader.parse(line, row);
        answerer.answer(row, answer);
        chunk.output += format.row(row.id, answer);
      } catch (const InputError& error) {
        ++chunk.bad;
        chunk.output += format.error(row.id, line.line, error.what());
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<std::shared_ptr<Chunk>> waiting_;
  bool stop_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

void answer_rows(const BatchArguments& arguments, const RowAnswerer& answerer, RowReader& reader,
                 const OutputFormat& format, BatchOutput& output, BatchProgress& progress)
{
  Workers workers(answerer, reader, format, arguments.threads);
  std::deque<std::shared_ptr<Chunk>> in_flight;
  InputLine line;
  const std::size_t most = 4 * static_cast<std::size_t>(arguments.threads);
  for (bool more = true; more || !in_flight.empty();) {
    while (more && in_flight.size() < most) {
      auto chunk = std::make_shared<Chunk>();
      for (std::size_t bytes = 0; chunk->lines.size() < kChunkRows && bytes < kChunkBytes && (more = reader.next(line));
           bytes += line.text.size())
        chunk->lines.push_back(line);
      chunk->bytes = reader.bytes();
      if (chunk->lines.empty()) break;
      in_flight.push_back(chunk);
      workers.submit(chunk);
    }
    if (in_flight.empty()) break;
    const std::shared_ptr<Chunk> chunk = in_flight.front();
    workers.wait_for(*chunk);
    output.write(chunk->output);
    in_flight.pop_front();
    progress.rows += chunk->lines.size();
    progress.bad += chunk->bad;
    progress.bytes = chunk->bytes;
    if (arguments.progress) arguments.progress(progress);
  }
  output.sync();
  progress.finished = true;
  if (arguments.progress) arguments.progress(progress);
}

}  // namespace

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

BatchShard parse_shard(const std::string& text)
{
  BatchShard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  constexpr std::uint64_t kMost = 1'000'000;
  if (!slash || count.ec != std::errc() || count.ptr != end || shard.index < 1 || shard.index > shard.count ||
      shard.count > kMost)
    throw InputError("--shard",
                     "want i/n with 1 <= i <= n <= " + std::to_string(kMost) + ", got " + internal::quoted(text));
  return shard;
}

BatchProgress run_batch(const BatchArguments& arguments)
{
  const Format input_format = format_of(arguments.inputs, "--inputs");
  const Format output_format = format_of(arguments.out, "--out");
  if (arguments.threads < 1 || arguments.threads > 1024)
    throw InputError("--threads", "want 1 to 1024, got " + std::to_string(arguments.threads));
  std::vector<std::string> files = input_files(arguments.document, arguments.package_paths);
  files.push_back(arguments.inputs);
  require_none_of(files, arguments.out, "--out");

  const RowAnswerer answerer(arguments.document, arguments.package_paths);
  const BatchShard shard = arguments.shard.value_or(BatchShard{});
  const OutputFormat format{output_format, answerer.columns(), shard.index == 1};
  RowReader reader(arguments.inputs, input_format);
  if (arguments.shard) reader.restrict_to(rows_of(shard, arguments.inputs, input_format));
  BatchProgress progress;
  std::error_code ignored;
  progress.total_bytes = std::filesystem::file_size(arguments.inputs, ignored) / shard.count;
  if (ignored) progress.total_bytes = 0;

  BatchOutput output(arguments.out);
  const BatchOrigin origin = origin_of(arguments, answerer.input_hashes());
  Leftover left;
  if (arguments.resume && output.size() > 0) {
    output.require_origin(origin);
    left = read_leftover(arguments.out, format, reader);
  }
  output.resume_at(left.bytes);
  if (left.bytes == 0) {
    output.write_origin(origin);
    output.write(format.header());
  }
  progress.rows = progress.resumed = left.rows;
  progress.bad = left.bad;
  answer_rows(arguments, answerer, reader, format, output, progress);
  return progress;
}

}  // namespace stiction::internal
