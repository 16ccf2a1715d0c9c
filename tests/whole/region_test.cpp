// Support regions of real robots with the effort limits of their URDFs: what is inside holds and what is outside fails,
// asked again as a question of its own.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/helpers.hpp"
#include "stiction/region.hpp"
#include "stiction/region_input.hpp"
#include "support/random_problems.hpp"

namespace stiction {
namespace {

struct Stance {
  const char* name;
  const char* file;
  std::vector<const char*> feet;
  std::vector<Eigen::Vector3d> points;                  ///< of a foot, in its frame
  std::vector<std::pair<const char*, double>> posture;  ///< endings of joint names and their angles
};

const std::vector<Eigen::Vector3d> kSole = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {-0.1, 0.05, 0}, {-0.1, -0.05, 0}};
const std::vector<Eigen::Vector3d> kPoint = {{0, 0, 0}};

const Stance kStances[] = {
    {"talos",
     "/talos_data/robots/talos_reduced.urdf",
     {"left_sole_link", "right_sole_link"},
     kSole,
     {{"leg_left_3_joint", -0.41},
      {"leg_left_4_joint", 0.86},
      {"leg_left_5_joint", -0.45},
      {"leg_right_3_joint", -0.41},
      {"leg_right_4_joint", 0.86},
      {"leg_right_5_joint", -0.45}}},
    {"anymal",
     "/anymal_b_simple_description/robots/anymal.urdf",
     {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"},
     kPoint,
     {{"LF_HFE", 0.7},
      {"RF_HFE", 0.7},
      {"LH_HFE", -0.7},
      {"RH_HFE", -0.7},
      {"LF_KFE", -1.4},
      {"RF_KFE", -1.4},
      {"LH_KFE", 1.4},
      {"RH_KFE", 1.4}}},
    {"solo12",
     "/solo_description/robots/solo12.urdf",
     {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"},
     kPoint,
     {{"FL_HFE", 0.8},
      {"FR_HFE", 0.8},
      {"HL_HFE", -0.8},
      {"HR_HFE", -0.8},
      {"FL_KFE", -1.6},
      {"FR_KFE", -1.6},
      {"HL_KFE", 1.6},
      {"HR_KFE", 1.6}}},
    {"g1",
     "/g1_description/urdf/g1_29dof_rev_1_0.urdf",
     {"left_ankle_roll_link", "right_ankle_roll_link"},
     kSole,
     {{"left_hip_pitch_joint", -0.3},
      {"left_knee_joint", 0.6},
      {"left_ankle_pitch_joint", -0.3},
      {"right_hip_pitch_joint", -0.3},
      {"right_knee_joint", 0.6},
      {"right_ankle_pitch_joint", -0.3}}},
    {"go2",
     "/go2_description/urdf/go2.urdf",
     {"FL_foot", "FR_foot", "RL_foot", "RR_foot"},
     kPoint,
     {{"FL_thigh_joint", 0.8},
      {"FR_thigh_joint", 0.8},
      {"RL_thigh_joint", 0.8},
      {"RR_thigh_joint", 0.8},
      {"FL_calf_joint", -1.6},
      {"FR_calf_joint", -1.6},
      {"RL_calf_joint", -1.6},
      {"RR_calf_joint", -1.6}}},
};

class RegionOfRealRobots : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, RegionOfRealRobots, ::testing::Range(0, 5),
                         [](const auto& robot) { return kStances[robot.param].name; });

TEST_P(RegionOfRealRobots, InnerHoldsAndBeyondOuterFails)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  const Stance& robot = kStances[GetParam()];
  ModelDescription model = testing::model_from_file("r", testing::robot_folder() + robot.file, Base::kFloating);
  for (const auto& [joint, angle] : robot.posture) model.joints[joint] = angle;
  model.effort.kind = Effort::Kind::kLimits;
  SceneDescription d = testing::scene_of({model});
  d.gravity = {0.6, -0.3, -9.77};  // a slope
  for (const char* foot : robot.feet) {
    ContactDescription c = testing::contact(foot, std::string("r/") + foot, {0, 0, 0}, Eigen::Vector3d::UnitZ(), 0.6);
    c.normal_frame = ContactFrame::kWorld;
    c.points = robot.points;
    d.contacts.push_back(c);
  }
  Scene scene(d);
  testing::Rng rng{31};
  RegionChecker region_checker;
  EquilibriumChecker checker;
  EquilibriumOptions quick;
  quick.largest_slack = quick.structure = quick.explain = false;
  ContactProblem p;
  int bounded = 0, cut_by_motors = 0;
  for (int posture = 0; posture < 10; ++posture) {
    SceneState state = scene.described_state();
    state.q = scene.integrate(state.q, (posture > 0 ? 0.05 : 0.0) * testing::gaussian(rng, scene.nv()));
    scene.compute(state, p);
    const RegionInput input = region_input(scene, state, p, "r");
    const Eigen::MatrixX2d& shift = input.shift;
    const Eigen::Vector2d& position = input.position;
    for (int k = 0; k < 2; ++k) {
      LoadDescription torque;
      torque.link = scene.root_link("r");
      torque.torque = Eigen::Vector3d::Unit(k).cross(-scene.total_mass() * d.gravity);  // F is minus what acts
      EXPECT_LE((shift.col(k) - scene.generalised_force(state, torque)).norm(), 1e-9 * shift.norm());
    }
    EXPECT_LE((position - scene.center_of_mass(state).head<2>()).norm(), 1e-12);
    const RegionResult region = region_checker.check(input);
    std::string why;
    EXPECT_TRUE(proved_region(input, {}, region.proof, &why)) << posture << ": " << why;
    ASSERT_NE(region.kind, RegionKind::kUndecided) << posture << ": " << region.reason;
    const auto verdict_at = [&](const Eigen::Vector2d& c) {
      ContactProblem moved = p;
      moved.F += shift * (c - position);
      EquilibriumResult result;
      checker.check(moved, {}, quick, result);
      return result.verdict;
    };
    EXPECT_EQ(region.verdict, verdict_at(position)) << posture;
    ContactProblem strong = p;
    strong.actuators.clear();
    for (int j = 6; j < p.nv(); ++j)
      strong.actuators.push_back({"motor " + std::to_string(j), j, -kInfinity, kInfinity});
    const RegionResult by_contacts = region_checker.check(strong, {}, shift, position);
    ASSERT_EQ(by_contacts.kind, RegionKind::kBounded) << by_contacts.reason;
    if (region.kind != RegionKind::kBounded) {
      EXPECT_EQ(region.kind,
                RegionKind::kEmpty);  // the motors cannot even carry the robot's own weight in this posture
      EXPECT_EQ(region.verdict, Verdict::kFails);
      continue;
    }
    ++bounded;
    EXPECT_LE(region.area.lower, by_contacts.area.upper * (1 + 1e-9));
    cut_by_motors += region.area.upper < by_contacts.area.lower;

    ASSERT_EQ(region.pieces.size(), 1u);
    const RegionPiece& piece = region.pieces[0];
    Eigen::Vector2d middle = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& c : piece.inner) middle += c / static_cast<double>(piece.inner.size());
    double size = 0.0;
    for (const Eigen::Vector2d& c : piece.outer) size = std::max(size, (c - middle).norm());
    for (const Eigen::Vector2d& c : piece.inner)
      EXPECT_EQ(verdict_at(c + 1e-3 * (middle - c)), Verdict::kHolds) << posture << ": " << c.transpose();
    for (size_t i = 0; i < piece.outer.size(); ++i) {
      const Eigen::Vector2d& from = piece.outer[i];
      const Eigen::Vector2d& to = piece.outer[(i + 1) % piece.outer.size()];
      const Eigen::Vector2d out = Eigen::Vector2d(to.y() - from.y(), from.x() - to.x()).normalized();
      EXPECT_EQ(verdict_at(0.5 * (from + to) + 1e-3 * size * out), Verdict::kFails) << posture << ": side " << i;
    }
  }
  EXPECT_GT(bounded, 5);
  RecordProperty("cut_by_motors", cut_by_motors);
}

}  // namespace
}  // namespace stiction
