#include "oracle/conic_oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "stiction/contact_problem.hpp"

namespace stiction::test {
namespace {

using nlohmann::json;

json to_json(const ConeProgram& program)
{
  json out;
  out["E"] = json::array();
  for (Eigen::Index i = 0; i < program.E.rows(); ++i)
    out["E"].push_back(std::vector<double>(program.E.row(i).begin(), program.E.row(i).end()));
  out["e"] = std::vector<double>(program.e.begin(), program.e.end());
  out["cones"] = out["boxes"] = json::array();
  for (const auto& [col, cone] : program.cones)
    out["cones"].push_back({{"col", col},
                            {"tangents", cone.tangents},
                            {"mu", cone.mu},
                            {"torsional", cone.torsional},
                            {"torsion", cone.torsion},
                            {"sign", cone.sign}});
  const auto finite = [](double v) { return std::isfinite(v) ? json(v) : json(nullptr); };
  for (const auto& [col, lower, upper] : program.boxes)
    out["boxes"].push_back({{"col", col}, {"lower", finite(lower)}, {"upper", finite(upper)}});
  out["free"] = program.free;
  return out;
}

}  // namespace

std::vector<ConicDistance> conic_distances(const std::vector<ConeProgram>& programs, std::string& missing)
{
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) /
      ("stiction_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path problems = folder / "problems.jsonl", answers = folder / "answers.jsonl";
  {
    std::ofstream out(problems);
    for (const ConeProgram& program : programs) out << to_json(program).dump() << '\n';
  }
  const std::string command = std::string("'" STICTION_PYTHON "' '" STICTION_CONIC_ORACLE "' '") + problems.string() +
                              "' '" + answers.string() + "'";
  const int status = std::system(command.c_str());
  std::vector<ConicDistance> distances;
  if (status != 0 && WEXITSTATUS(status) == 3) {
    missing = "SKIPPED: Python modules clarabel, numpy, scipy not found by " STICTION_PYTHON
              "; the conic comparison did not run";
    return distances;
  }
  EXPECT_EQ(status, 0) << command;
  std::ifstream in(answers);
  for (std::string line; std::getline(in, line);) {
    const json answer = json::parse(line);
    const std::string said = answer["status"].get<std::string>();
    distances.push_back({answer["distance"].get<double>(), said == "Solved" || said == "AlmostSolved"});
  }
  std::filesystem::remove_all(folder);
  return distances;
}

double proved_distance(const ConeProgram& program, const Eigen::VectorXd& y)
{
  const Eigen::VectorXd h = program.E.transpose() * y;
  double gain = y.dot(program.e);
  for (const BoxVariable& box : program.boxes) {
    const double bound = h[box.col] > 0.0 ? box.upper : box.lower;
    if (std::isfinite(bound)) gain -= h[box.col] * bound;
  }
  return gain / y.norm();
}

}  // namespace stiction::test
