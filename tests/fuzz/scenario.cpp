// A scenario ends in a report that `verify` accepts, or in an InputError.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "stiction/error.hpp"
#include "stiction/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const stiction::ScenarioReport report =
        stiction::check_scenario_text(text, STICTION_SOURCE_DIR "/scenarios", "fuzz.yaml");
    if (report.verdict == stiction::Verdict::kUndecided) return 0;
    if (const stiction::Verification proof = stiction::verify_report(stiction::to_json(report), "report");
        !proof.valid) {
      std::fprintf(stderr, "refused: %s\n", proof.message.c_str());
      std::abort();
    }
  } catch (const stiction::InputError&) {
  }
  return 0;
}
