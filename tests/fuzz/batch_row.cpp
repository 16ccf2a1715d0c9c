// A row of a batch, JSON or a CSV header with a row below, ends in an answer or in an InputError; the answer does not
// depend on the rows before.
#include <cstdint>
#include <cstdlib>

#include "io/row_answerer.hpp"
#include "stiction/error.hpp"

namespace {

using namespace stiction::internal;

RowAnswerer make_answerer()
{
  return RowAnswerer(load_scenario(STICTION_SOURCE_DIR "/scenarios/block_on_ground.yaml"), {});
}

void parse(const std::string& text, BatchRow& row)
{
  if (const std::size_t end = text.find('\n'); text.starts_with('{') || end == text.npos)
    parse_json_row(text, 1, row);
  else
    parse_csv_row(split_csv(text.substr(0, end)), text.substr(end + 1), 1, 2, row);
}

/// Verdict and sentence, or the message.
std::string answer_of(RowAnswerer& answerer, const BatchRow& row)
{
  try {
    RowAnswer answer;
    answerer.answer(row, answer);
    return std::to_string(static_cast<int>(answer.verdict)) + answer.summary;
  } catch (const stiction::InputError& error) {
    return error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  static RowAnswerer used = make_answerer();
  static const RowAnswerer fresh = used;
  BatchRow row;
  try {
    parse(std::string(reinterpret_cast<const char*>(data), size), row);
  } catch (const stiction::InputError&) {
    return 0;
  }
  RowAnswerer own = fresh;
  if (answer_of(used, row) != answer_of(own, row)) std::abort();
  return 0;
}
