#include "io/json.hpp"
#include "io/report.hpp"
#include "stiction/error.hpp"

namespace stiction {

Verification verify_report(const std::string& text, const std::string& source)
{
  using namespace internal;
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(source, std::string("want a JSON report, got: ") + error.what());
  }
  const Field report(json, "report");
  if (report["stiction"].integer() != 1) report["stiction"].fail("version 1");
  const QuestionKind& kind = kind_of(report["question"].text(), "report.question");
  if (report["verdict"].text() == "undecided") return {false, "the report is undecided: it claims nothing, so there is no proof to check"};
  const Verification result = kind.verify(report);
  if (!result.valid) return result;
  const std::string written = report["checksum"].text();
  json.erase("checksum");
  if (written != checksum(json.dump(-1, ' ', false, Json::error_handler_t::replace)))
    return {false, "the checksum does not match: the report was changed after it was written"};
  return result;
}

}  // namespace stiction
