// Many bodies: generated walls, arcades and piles of 10 to 10 000 free blocks, and published contact problems
// (STICTION_PROBLEMS, or beside the repository), each decided and proved. blocks_table.py puts Clarabel beside them.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "../tests/support/blocks.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/problem_file.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

EquilibriumOptions plain()
{
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  return options;
}

void decide(benchmark::State& state, const ContactProblem& problem, Verdict wanted)
{
  Verdict verdict = Verdict::kUndecided;
  for (auto _ : state) verdict = EquilibriumChecker().check(problem, {}, plain()).verdict;
  if (wanted != Verdict::kUndecided && verdict != wanted) state.SkipWithError("another verdict");
  state.SetLabel(to_string(verdict));
  state.counters["blocks"] = static_cast<double>(problem.nv()) / 6.0;
}

void wall(benchmark::State& state)  // ten courses
{
  decide(state, test::wall(static_cast<int>(state.range(0)) / 10, 10, 0.7), Verdict::kHolds);
}
void arcade(benchmark::State& state)  // of ten stones
{
  decide(state, test::arcade(static_cast<int>(state.range(0)) / 10, 10, 0.2), Verdict::kHolds);
}
void pile(benchmark::State& state)
{
  decide(state, test::pile(static_cast<int>(std::lround(std::cbrt(3.0 * static_cast<double>(state.range(0))))), 0.5),
         Verdict::kHolds);
}
void falling_wall(benchmark::State& state)  // without friction and with ends that tip
{
  decide(state, test::wall(static_cast<int>(state.range(0)) / 10, 10, 0.0, 1.2), Verdict::kFails);
}

BENCHMARK(wall)->Name("blocks/wall")->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMillisecond);
BENCHMARK(falling_wall)
    ->Name("blocks/falling_wall")
    ->RangeMultiplier(10)
    ->Range(10, 10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(arcade)->Name("blocks/arcade")->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMillisecond);
BENCHMARK(pile)->Name("blocks/pile")->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMillisecond);

const bool registered = [] {
  const char* named = std::getenv("STICTION_PROBLEMS");
  const fs::path folder =
      named ? fs::path(named) : fs::path(STICTION_SOURCE_DIR) / ".." / "shared" / "data" / "problems";
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".json")
      benchmark::RegisterBenchmark(("problems/" + entry.path().stem().string()).c_str(), [file = entry.path().string()](
                                                                                             benchmark::State& state) {
        decide(state, read_problem_file(file).bare->problem, Verdict::kUndecided);
      })->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace stiction
