// Forces of moving robots: of a scene, and of the model that Pinocchio itself builds from the URDF.
#include <gtest/gtest.h>

#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include "scene/helpers.hpp"
#include "scene/urdf.hpp"

namespace stiction {
namespace {

/// F of both in one random state; false for robots whose joints Pinocchio names or moves differently.
bool compare_in_motion(const std::string& file, testing::Random& random)
{
  const std::string text = internal::read_urdf_file(file, {}, "urdf");
  const internal::UrdfTree tree = internal::parse_urdf(text, file);
  for (const auto& joint : tree.joints)
    if (joint.mimics >= 0 || internal::freedoms(joint.type) > 1) return false;
  pinocchio::Model model;
  pinocchio::urdf::buildModelFromXML(text, pinocchio::JointModelFreeFlyer(), model);
  pinocchio::Data data(model);

  SceneDescription description = testing::scene_of({testing::model_from_text("r", text, Base::kFloating)});
  description.gravity = {0, 0, -9.81};
  Eigen::VectorXd q = pinocchio::neutral(model), v(model.nv);
  const Eigen::Vector3d turn(0.4, -0.7, 1.1);
  description.models[0].pose.rpy = turn;
  q.segment<4>(3) = Eigen::Quaterniond(internal::isometry(Eigen::Vector3d::Zero(), turn).linear()).coeffs();
  for (const auto& joint : tree.joints) {
    if (internal::freedoms(joint.type) == 0) continue;
    const double angle = random.number();
    description.models[0].joints[joint.name] = angle;
    const auto& theirs = model.joints[model.getJointId(joint.name)];
    q[theirs.idx_q()] = theirs.nq() == 2 ? std::cos(angle) : angle;  // continuous joints
    if (theirs.nq() == 2) q[theirs.idx_q() + 1] = std::sin(angle);
  }
  Scene scene(description);
  SceneState state = scene.described_state();
  ContactProblem problem;
  scene.compute(state, problem);
  std::vector<int> place;  // of each of our velocities among theirs
  for (const Dof& dof : problem.dofs)
    place.push_back(dof.of_base() ? dof.index : model.joints[model.getJointId(dof.joint)].idx_v());
  for (std::size_t i = 0; i < place.size(); ++i) state.v[static_cast<Eigen::Index>(i)] = v[place[i]] = random.number();
  scene.compute(state, problem);
  const Eigen::VectorXd wanted = pinocchio::nonLinearEffects(model, data, q, v);
  for (std::size_t i = 0; i < place.size(); ++i)
    EXPECT_NEAR(problem.F[static_cast<Eigen::Index>(i)], wanted[place[i]], 1e-11 * wanted.lpNorm<1>())
        << file << " " << problem.dof_names[i];
  return true;
}

TEST(InMotion, ForcesAreThoseOfPinocchio)
{
  testing::Random random(11);
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::own_urdf("")))
    for (int draw = 0; draw < 3 && entry.path().extension() == ".urdf"; ++draw)
      compared += compare_in_motion(entry.path().string(), random);
  EXPECT_GE(compared, 15);
}

TEST(InMotion, HasALimitOfItsOwn)
{
  std::string text = "<robot name='chain'><link name='l0'/>";
  for (int i = 1; i <= 300; ++i) {
    const std::string k = std::to_string(i), before = std::to_string(i - 1);
    text += "<link name='l" + k +
            "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
            "<joint name='j" +
            k + "' type='continuous'><parent link='l" + before + "'/><child link='l" + k +
            "'/><origin xyz='0 0 0.1'/><axis xyz='1 0 0'/></joint>";
  }
  Scene scene(testing::scene_of({testing::model_from_text("r", text + "</robot>", Base::kFixed)}));
  SceneState state = scene.described_state();
  ContactProblem problem;
  scene.compute(state, problem);
  EXPECT_EQ(problem.nv(), 300);
  state.v[7] = 1.0;
  try {
    scene.compute(state, problem);
    FAIL() << "want a refusal: Pinocchio would take a gigabyte";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "models: want at most 256 degrees of freedom while something moves, got 300");
  }
}

}  // namespace
}  // namespace stiction
