#include "io/batch.hpp"

#include <charconv>

#include "base/text.hpp"
#include "io/row_answerer.hpp"
#include "io/row_run.hpp"

namespace stiction::internal {
namespace {

/// Rows that know nothing of each other.
class SingleRows final : public ChunkAnswerer {
 public:
  explicit SingleRows(const BatchArguments& arguments) : answerer_(arguments.document, arguments.package_paths) {}

  std::unique_ptr<ChunkAnswerer> clone() const override { return std::make_unique<SingleRows>(*this); }
  std::vector<std::string> columns() const override { return answerer_.columns(); }
  std::vector<std::pair<std::string, std::string>> input_hashes() const override { return answerer_.input_hashes(); }

  void answer(const RowReader& reader, const OutputFormat& format, Chunk& chunk) override
  {
    BatchRow row;
    RowAnswer answer;
    for (const InputLine& line : chunk.lines) {
      try {
        reader.parse(line, row);
        answerer_.answer(row, answer);
        chunk.output += format.row(row.id, answer);
      } catch (const InputError& error) {
        ++chunk.bad;
        chunk.output += format.error(row.id, line.line, error.what());
      }
    }
  }

 private:
  RowAnswerer answerer_;
};

}  // namespace

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
  const auto make = [&](const RowReader&) { return std::make_unique<SingleRows>(arguments); };
  return run_rows({arguments, text_format_of(arguments.inputs, "--inputs"), 0, make, {}});
}

}  // namespace stiction::internal
