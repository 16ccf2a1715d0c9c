// Every scenario of the gallery has the verdict that its first line promises, and a proof that verifies.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/check.hpp"
#include "io/checked.hpp"
#include "stiction/error.hpp"
#include "stiction/scenario.hpp"

namespace stiction::internal {
namespace {

std::vector<std::string> scenarios()
{
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(STICTION_SOURCE_DIR) + "/scenarios"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

class Gallery : public ::testing::TestWithParam<std::string> {};

TEST_P(Gallery, HasTheVerdictItPromises)
{
  const std::string text = read_text_file(GetParam(), "scenario");
  const std::string first = text.substr(0, text.find('\n'));
  ASSERT_TRUE(first == "# expect: holds" || first == "# expect: fails" || first == "# expect: undecided") << first;
  if (text.find("package://example-robot-data") != text.npos && robot_packages().empty())
    GTEST_SKIP() << "SKIPPED: no real robots. Install the Python wheel example-robot-data and set STICTION_ROBOT_DATA "
                    "(environment or CMake) to its share/example-robot-data/robots folder.";
  const ScenarioReport report = check_file(GetParam(), {}, {robot_packages()});
  EXPECT_EQ(first.substr(10), name_of(report.verdict)) << to_text(report);
  EXPECT_FALSE(report.scenario.name.empty());
  const Verification proof = verify_report(to_json(report), "report");
  EXPECT_EQ(proof.valid, report.verdict != Verdict::kUndecided) << proof.message;
}

/// Largest change of an entry, relative to the largest entry of the matrix.
double change(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(a.cwiseAbs().maxCoeff(), 1e-300);
}

/// Points in the world move along; they and, where bodies touch, the poses round to 2^-33 m. Masses and forces do not.
TEST_P(Gallery, HasTheSameMatricesAThousandKilometresAway)
{
  if (read_text_file(GetParam(), "scenario").find("package://example-robot-data") != std::string::npos &&
      robot_packages().empty())
    GTEST_SKIP() << "SKIPPED: no real robots.";
  const Eigen::Vector3d far(1e6, 0.7e6, -0.3e6);
  Scenario scenario = read_scenario_file(GetParam());
  scenario.scene.package_paths = {robot_packages()};
  SceneDescription scene = resolved_scenario(scenario).scene;
  const ContactProblem here = Scene(scene).compute();
  for (ModelDescription& model : scene.models) model.pose.xyz += far;
  for (ContactDescription& contact : scene.contacts)
    if (contact.at_frame == ContactFrame::kWorld || (contact.at_frame == ContactFrame::kOn && contact.on == "world"))
      for (Eigen::Vector3d& point : contact.points) point += far;
  const ContactProblem there = Scene(scene).compute();
  EXPECT_EQ(here.M, there.M);
  EXPECT_EQ(here.F, there.F);
  EXPECT_LE(change(here.J, there.J), 1e-9);
  EXPECT_LE(change(here.gamma, there.gamma), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Gallery, ::testing::ValuesIn(scenarios()),
                         [](const auto& test) { return std::filesystem::path(test.param).stem().string(); });

TEST(GallerySize, AtLeastFifteenAndAllVerdicts) { EXPECT_GE(scenarios().size(), 15u); }

}  // namespace
}  // namespace stiction::internal
