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

Json inputs_json(const ScenarioReport::Inputs& inputs)
{
  Json entry;
  entry["scenario"] = Json();
  if (!inputs.scenario.empty()) {
    entry["scenario"] = {{"sha256", inputs.scenario}, {"set", Json::array()}};
    for (const ScenarioOverride& change : inputs.set)
      entry["scenario"]["set"].push_back(change.path + "=" + change.value);
  }
  entry["urdf"] = Json::object();
  for (const auto& [model, sha256] : inputs.urdf) entry["urdf"][model]["sha256"] = sha256;
  for (const auto& [file, sha256] : inputs.meshes) entry["meshes"][file]["sha256"] = sha256;
  return entry;
}

Json detected_json(const std::vector<DetectedContact>& detected)
{
  Json list = Json::array();
  for (const DetectedContact& contact : detected)
    list.push_back(
        {{"contact", contact.name}, {"link", contact.link}, {"with", contact.with}, {"distances", contact.distances}});
  return list;
}

Json report_document(const ScenarioReport& report)
{
  Json json_report;
  json_report["stiction"] = 1;
  json_report["name"] = report.scenario.name;
  json_report["question"] = stiction::name_of(report.scenario.question);
  json_report["verdict"] = name_of(report.verdict);
  json_report["summary"] = report.summary;
  kind_of(report.scenario.question).write_json(report, json_report);
  json_report["solver"] = {{"name", report.solver}, {"iterations", report.iterations}};
  json_report["warnings"] = report.warnings;
  if (!report.detected.empty()) json_report["detected"] = detected_json(report.detected);
  json_report["inputs"] = inputs_json(report.inputs);
  return json_report;
}

namespace {

/// Names come from URDFs: what is not UTF-8 in them is replaced.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace
}  // namespace stiction::internal

namespace stiction {

std::string to_json(const ScenarioReport& report)
{
  internal::Json document = internal::report_document(report);
  document["checksum"] = internal::checksum(internal::dump(document));
  return internal::dump(document) + "\n";
}

std::string certificate_json(const ScenarioReport& report)
{
  return internal::dump(internal::report_document(report)["certificate"]);
}

}  // namespace stiction
