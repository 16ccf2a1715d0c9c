#include <fmt/format.h>

#include <cstdint>

#include "io/json.hpp"
#include "io/report.hpp"

namespace stiction::internal {

std::string checksum(const std::string& text)
{
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string report_json(const Report& report)
{
  Json json_report;
  json_report["stiction"] = 1;
  json_report["name"] = report.scenario.name;
  json_report["question"] = stiction::name_of(report.scenario.question);
  json_report["verdict"] = name_of(report.verdict());
  json_report["summary"] = report.answer->summary();
  report.answer->write_json(report, json_report);
  json_report["solver"] = {{"name", report.scenario.options.solver}, {"iterations", report.answer->iterations()}};
  json_report["warnings"] = report.warnings;
  const auto dump = [&] { return json_report.dump(-1, ' ', false, Json::error_handler_t::replace); };   // names come from URDFs
  json_report["checksum"] = checksum(dump());
  return dump() + "\n";
}

}  // namespace stiction::internal
