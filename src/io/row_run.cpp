#include "io/row_run.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "io/batch_output.hpp"
#include "io/check.hpp"

namespace stiction::internal {
namespace {

constexpr std::size_t kChunkRows = 256;
constexpr std::size_t kChunkBytes = 1 << 20;

/// Rows one by one or in chunks that know their neighbours.
class NeighbourReader {
 public:
  NeighbourReader(RowReader& reader, std::size_t neighbours) : reader_(reader), neighbours_(neighbours) {}

  bool next(InputLine& line)
  {
    if (!look_ahead(1)) return false;
    line = ahead_.front();
    pass();
    return true;
  }

  bool next(Chunk& chunk)
  {
    chunk.lines.assign(behind_.begin(), behind_.end());
    chunk.before = behind_.size();
    for (std::size_t rows = 0, bytes = 0; rows < kChunkRows && bytes < kChunkBytes && look_ahead(1); ++rows) {
      bytes += ahead_.front().text.size();
      chunk.lines.push_back(ahead_.front());
      pass();
    }
    look_ahead(neighbours_);
    chunk.after = ahead_.size();
    chunk.lines.insert(chunk.lines.end(), ahead_.begin(), ahead_.end());
    chunk.bytes = reader_.bytes();
    return chunk.rows() > 0;
  }

 private:
  /// Whether so many rows are still to come.
  bool look_ahead(std::size_t count)
  {
    InputLine line;
    while (ahead_.size() < count && reader_.next(line)) ahead_.push_back(line);
    return ahead_.size() >= count;
  }

  void pass()
  {
    behind_.push_back(std::move(ahead_.front()));
    ahead_.pop_front();
    if (behind_.size() > neighbours_) behind_.pop_front();
  }

  RowReader& reader_;
  std::size_t neighbours_;
  std::deque<InputLine> behind_, ahead_;
};

/// What an interrupted run left behind: whole rows, and where they end.
struct Leftover {
  std::uint64_t rows = 0, bad = 0, bytes = 0;
};

/// Reads rows and what answers them, side by side. A line without its end is torn and not counted.
/// @throws InputError when a line is not the answer to its row.
Leftover read_leftover(const std::string& file, const OutputFormat& format, const RowReader& parser,
                       NeighbourReader& rows, const std::function<void(const std::string&)>& written)
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
      parser.parse(input, row);
    } catch (const InputError&) {  // it was answered as an error
    }
    bool error = false;
    if (!format.answers(line, row.id, error))
      throw InputError("--resume", "want the answer to row " + std::to_string(left.rows + 1) + " named " + row.id +
                                       ", got " + internal::quoted(line.substr(0, 80)) + " in " +
                                       internal::quoted(file));
    ++left.rows;
    left.bad += error;
    if (written) written(line);
  }
  return left;
}

RowRange rows_of(const BatchShard& shard, const std::string& file, RowFormat format)
{
  if (!std::filesystem::is_regular_file(file))
    throw InputError("--shard", "want rows in a regular file, which is read twice, got " + internal::quoted(file));
  std::uint64_t count = 0;
  InputLine line;
  for (RowReader all(file, format); all.next(line);) ++count;
  return {count * (shard.index - 1) / shard.count, count * shard.index / shard.count};
}

/// Workers take chunks in any order; the owner gets them back in order.
class Workers {
 public:
  Workers(const ChunkAnswerer& answerer, const RowReader& reader, const OutputFormat& format, int count)
  {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back(
          [this, &reader, format, own = std::shared_ptr(answerer.clone())] { work(*own, reader, format); });
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
  void work(ChunkAnswerer& answerer, const RowReader& reader, const OutputFormat& format)
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
        answerer.answer(reader, format, *chunk);
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

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<std::shared_ptr<Chunk>> waiting_;
  bool stop_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

void tell_lines(const std::string& output, const std::function<void(const std::string&)>& written)
{
  for (std::size_t at = 0, end = 0; written && (end = output.find('\n', at)) != output.npos; at = end + 1)
    written(output.substr(at, end - at));
}

void answer_rows(const RowRun& run, const ChunkAnswerer& answerer, const RowReader& parser, NeighbourReader& reader,
                 const OutputFormat& format, BatchOutput& output, BatchProgress& progress)
{
  const BatchArguments& arguments = run.arguments;
  Workers workers(answerer, parser, format, arguments.threads);
  std::deque<std::shared_ptr<Chunk>> in_flight;
  const std::size_t most = 4 * static_cast<std::size_t>(arguments.threads);
  for (bool more = true; more || !in_flight.empty();) {
    while (more && in_flight.size() < most) {
      auto chunk = std::make_shared<Chunk>();
      if (!(more = reader.next(*chunk))) break;
      in_flight.push_back(chunk);
      workers.submit(chunk);
    }
    if (in_flight.empty()) break;
    const std::shared_ptr<Chunk> chunk = in_flight.front();
    workers.wait_for(*chunk);
    output.write(chunk->output);
    tell_lines(chunk->output, run.written);
    in_flight.pop_front();
    progress.rows += chunk->rows();
    progress.bad += chunk->bad;
    progress.bytes = chunk->bytes;
    if (arguments.progress) arguments.progress(progress);
  }
  output.sync();
  progress.finished = true;
  if (arguments.progress) arguments.progress(progress);
}

}  // namespace

BatchProgress run_rows(const RowRun& run)
{
  const BatchArguments& arguments = run.arguments;
  const RowFormat output_format = text_format_of(arguments.out, "--out");
  if (arguments.threads < 1 || arguments.threads > 1024)
    throw InputError("--threads", "want 1 to 1024, got " + std::to_string(arguments.threads));
  std::vector<std::string> files = input_files(arguments.document, arguments.package_paths);
  files.push_back(arguments.inputs);
  require_none_of(files, arguments.out, "--out");

  RowReader reader(arguments.inputs, run.inputs);
  const std::unique_ptr<ChunkAnswerer> answerer = run.make(reader);
  const BatchShard shard = arguments.shard.value_or(BatchShard{});
  const OutputFormat format{output_format, answerer->columns(), shard.index == 1};
  if (arguments.shard) reader.restrict_to(rows_of(shard, arguments.inputs, run.inputs));
  NeighbourReader rows(reader, run.neighbours);
  BatchProgress progress;
  std::error_code ignored;
  progress.total_bytes = std::filesystem::file_size(arguments.inputs, ignored) / shard.count;
  if (ignored) progress.total_bytes = 0;

  BatchOutput output(arguments.out);
  const BatchOrigin origin = origin_of(arguments, answerer->input_hashes());
  Leftover left;
  if (arguments.resume && output.size() > 0) {
    output.require_origin(origin);
    left = read_leftover(arguments.out, format, reader, rows, run.written);
  }
  output.resume_at(left.bytes);
  if (left.bytes == 0) {
    output.write_origin(origin);
    output.write(format.header());
  }
  progress.rows = progress.resumed = left.rows;
  progress.bad = left.bad;
  answer_rows(run, *answerer, reader, rows, format, output, progress);
  return progress;
}

}  // namespace stiction::internal
