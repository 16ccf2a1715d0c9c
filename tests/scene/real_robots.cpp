#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

/// Robots that cannot be loaded, and the words of the message that says why.
const std::map<std::string, std::string> kUnusable = {
    {"alex_psyonic_hands.urdf", "mimic: want the name of a joint, got 'index_q1'"},  // the joints are Left_index_q1, …
    {"romeo_laas_small.urdf", "link 'base_link', inertia: want principal moments >= 0"},
    {"ur3.urdf", "want at least one <link>, got none"},
};

std::vector<std::string> all_urdfs()
{
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::robot_folder()))
    if (entry.path().extension() == ".urdf") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

TEST(RealRobots, AllLoadFloatingAndFixed)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  const auto files = all_urdfs();
  EXPECT_GE(files.size(), 60u);
  std::size_t unusable = 0;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto known = kUnusable.find(std::filesystem::path(file).filename().string());
    try {
      const RobotInfo info = inspect_urdf_file(file);
      Scene floating(testing::scene_of({testing::model_from_file("robot", file, Base::kFloating)}));
      Scene fixed(testing::scene_of({testing::model_from_file("robot", file, Base::kFixed)}));
      EXPECT_EQ(known, kUnusable.end()) << "listed as unusable, but loads";
      EXPECT_EQ(fixed.nv(), info.nv_fixed);
      EXPECT_EQ(floating.nv(), info.nv_fixed + 6);
      EXPECT_NEAR(floating.total_mass(), info.total_mass, 1e-9 * info.total_mass);
      const ContactProblem problem = floating.compute();
      problem.validate();
      fixed.compute().validate();
      // Force on the free flyer, root link axes = world axes at the described state: the whole weight.
      EXPECT_NEAR(problem.F(2), 9.81 * info.total_mass, 1e-9 * info.total_mass);
    } catch (const InputError& error) {
      ++unusable;
      if (known == kUnusable.end())
        ADD_FAILURE() << error.what();
      else
        EXPECT_NE(std::string(error.what()).find(known->second), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(unusable, kUnusable.size());
}

}  // namespace
}  // namespace stiction
