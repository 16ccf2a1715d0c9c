// Batch rows of a box on four contacts, from the text of a row to its answer.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "io/row_answerer.hpp"

namespace stiction::internal {
namespace {

std::vector<std::string> rows()
{
  std::vector<std::string> lines;
  for (int i = 0; i < 256; ++i)
    lines.push_back("{\"id\": " + std::to_string(i) + ", \"contacts.bottom.mu\": " + std::to_string(0.2 + 0.002 * i) +
                    ", \"models.box.pose.rpy\": [0, " + std::to_string(0.0025 * ((7 * i) % 256)) + ", 0]}");
  return lines;
}

template <class Call>
double seconds(Call call)
{
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void batch_rows(benchmark::State& state)
{
  const ScenarioDocument document = load_scenario(std::string(STICTION_SOURCE_DIR) + "/scenarios/box_on_slope.yaml");
  RowAnswerer answerer(document, {});
  const std::vector<std::string> lines = rows();
  BatchRow row;
  RowAnswer answer;
  std::size_t next = 0;
  for (auto _ : state) {
    parse_json_row(lines[next % lines.size()], next + 1, row);
    ++next;
    answerer.answer(row, answer);
    benchmark::DoNotOptimize(answer);
  }
  state.SetItemsProcessed(state.iterations());

  // The share of parsing the row (nlohmann-json) and of the scene (Pinocchio), measured on the same rows.
  const double all = seconds([&] {
    for (const std::string& line : lines) {
      parse_json_row(line, 1, row);
      answerer.answer(row, answer);
    }
  });
  const double parsing = seconds([&] {
    for (const std::string& line : lines) parse_json_row(line, 1, row);
  });
  Scene scene(document.decode().scene);
  ContactProblem problem;
  const double dynamics = seconds([&] {
    for (std::size_t i = 0; i < lines.size(); ++i) scene.compute(scene.described_state(), problem);
  });
  state.counters["outside_share"] = (parsing + dynamics) / all;
}
BENCHMARK(batch_rows)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace stiction::internal
