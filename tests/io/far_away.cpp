// The gallery, a thousand kilometres from the world's origin.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "stiction/scenario.hpp"

namespace stiction {
namespace {

const Eigen::Vector3d kFar(1e6, 0.7e6, -0.3e6);

/// Largest change of an entry, relative to the largest entry of the matrix.
double change(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
  if (a.size() == 0) return 0.0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(a.cwiseAbs().maxCoeff(), 1e-300);
}

/// Points in the world move along; they and, where bodies touch, the poses round to 2^-33 m. Masses and forces do not.
TEST(Gallery, HasTheSameMatricesAThousandKilometresAway)
{
  int scenes = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(STICTION_SOURCE_DIR) + "/scenarios")) {
    if (file.path().extension() != ".yaml") continue;
    SceneDescription scene = read_scenario_file(file.path().string()).scene;
    const ContactProblem here = Scene(scene).compute();
    for (ModelDescription& model : scene.models) model.pose.xyz += kFar;
    for (ContactDescription& contact : scene.contacts)
      if (contact.at_frame == ContactFrame::kWorld || (contact.at_frame == ContactFrame::kOn && contact.on == "world"))
        for (Eigen::Vector3d& point : contact.points) point += kFar;
    const ContactProblem there = Scene(scene).compute();
    EXPECT_EQ(here.M, there.M) << file.path();
    EXPECT_EQ(here.F, there.F) << file.path();
    EXPECT_LE(change(here.J, there.J), 1e-9) << file.path();
    EXPECT_LE(change(here.gamma, there.gamma), 1e-8) << file.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 40);
}

}  // namespace
}  // namespace stiction
