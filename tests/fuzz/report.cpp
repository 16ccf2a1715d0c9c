// A report is valid, or not, or an InputError.
#include <cstdint>

#include "stiction/error.hpp"
#include "stiction/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  try {
    stiction::verify_report(std::string(reinterpret_cast<const char*>(data), size), "report");
  } catch (const stiction::InputError&) {
  }
  return 0;
}
