// Verdicts on the mass matrices and Jacobians of real robots, loaded so that the answer is known. A wrong verdict here
// would be a wrong proof: both engines are judged by the same code.
#include <gtest/gtest.h>

#include "scene/helpers.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

using testing::uniform;

struct Robot {
  const char* name;
  const char* file;
  std::vector<const char*> feet;
  bool flat;  ///< a foot is a patch of four points: redundant rows
};

const Robot kRobots[] = {
    {"solo12", "/solo_description/robots/solo12.urdf", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}, false},
    {"anymal", "/anymal_b_simple_description/robots/anymal.urdf", {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"}, false},
    {"talos", "/talos_data/robots/talos_reduced.urdf", {"left_sole_link", "right_sole_link"}, true},
    {"g1", "/g1_description/urdf/g1_29dof_rev_1_0.urdf", {"left_ankle_roll_link", "right_ankle_roll_link"}, true},
};

using Case = std::tuple<int, const char*>;
class RealRobots : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, RealRobots,
                         ::testing::Combine(::testing::Range(0, 4), ::testing::Values("native", "qpoases")),
                         [](const auto& draw) {
                           return std::string(kRobots[std::get<0>(draw.param)].name) + "_" + std::get<1>(draw.param);
                         });

TEST_P(RealRobots, VerdictsAreThoseTheyWereBuiltFor)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  const Robot& robot = kRobots[std::get<0>(GetParam())];
  const bool native = std::string(std::get<1>(GetParam())) == "native";
  SceneDescription d =
      testing::scene_of({testing::model_from_file("r", testing::robot_folder() + robot.file, Base::kFloating)});
  for (const char* foot : robot.feet) {
    ContactDescription c = testing::contact(foot, std::string("r/") + foot, {0, 0, 0}, Eigen::Vector3d::UnitZ());
    if (robot.flat) c.points = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {-0.1, 0.05, 0}, {-0.1, -0.05, 0}};
    c.mu = 0.6;
    d.contacts.push_back(c);
  }
  Scene scene(d);
  testing::Rng rng{77};
  StickingChecker checker(make_engine(std::get<1>(GetParam())));
  StickingOptions options;
  options.largest_slack = false;
  ContactProblem p;
  StickingResult result;
  const int per_foot = robot.flat ? 4 : 1;
  for (int i = 0; i < (native ? 400 : 30); ++i) {
    SceneState state = scene.described_state();
    state.q = scene.integrate(state.q, 0.3 * testing::gaussian(rng, scene.nv()));
    scene.compute(state, p);
    const double weight = scene.total_mass() * 9.81;
    Eigen::VectorXd lambda(p.rows());
    const bool holds = i % 2;
    for (size_t foot = 0; foot < robot.feet.size(); ++foot) {
      // The whole foot pushes with one direction: inside every cone, or beyond what all of its points can do together.
      const double share =
          holds ? uniform(rng, 0.0, 0.95) : (foot == 0 ? uniform(rng, 1.05, 2.0) : uniform(rng, 0, 0.9));
      const double angle = uniform(rng, 0, 6.28);
      for (int k = 0; k < per_foot; ++k) {
        const Contact& c = p.contacts[foot * per_foot + k];
        const double normal = weight / p.contacts.size() * uniform(rng, 0.2, 1.5);
        lambda.segment<3>(c.row) << normal, share * c.mu * normal * std::cos(angle),
            share * c.mu * normal * std::sin(angle);
      }
    }
    p.F = p.J.transpose() * lambda;  // rounding of forces of the robot's weight in every row
    checker.check(p, options, result);
    ASSERT_EQ(result.verdict, holds ? Verdict::kHolds : Verdict::kFails) << i << ": " << result.reason;
    EXPECT_EQ(result.indeterminacy, robot.flat ? 12 : 0);
  }
}

}  // namespace
}  // namespace stiction
