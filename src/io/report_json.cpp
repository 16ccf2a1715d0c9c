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

Json inputs_json(const Inputs& inputs)
{
  Json entry;
  entry["scenario"] = Json();
  if (!inputs.scenario.sha256.empty()) {
    entry["scenario"] = {{"sha256", inputs.scenario.sha256}, {"set", Json::array()}};
    for (const ScenarioOverride& change : inputs.scenario.set)
      entry["scenario"]["set"].push_back(change.path + "=" + change.value);
  }
  entry["urdf"] = Json::object();
  for (const auto& [model, sha256] : inputs.urdf) entry["urdf"][model]["sha256"] = sha256;
  return entry;
}

Json report_document(const Report& report)
{
  Json json_report;
  json_report["stiction"] = 1;
  json_report["name"] = report.scenario.name;
  json_report["question"] = stiction::name_of(report.scenario.question);
  json_report["verdict"] = name_of(report.verdict());
  json_report["summary"] = report.summary();
  report.answer->write_json(report, json_report);
  std::string solver = report.scenario.options.solver;
  if (const std::string second = report.answer->second_engine(); !second.empty()) solver += ", " + second;
  json_report["solver"] = {{"name", solver}, {"iterations", report.answer->iterations()}};
  json_report["warnings"] = report.warnings;
  json_report["inputs"] = inputs_json(report.inputs);
  return json_report;
}

std::string report_json(const Report& report)
{
  Json document = report_document(report);
  const auto dump = [&] {
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
  };  // names come from URDFs
  document["checksum"] = checksum(dump());
  return dump() + "\n";
}

}  // namespace stiction::internal
