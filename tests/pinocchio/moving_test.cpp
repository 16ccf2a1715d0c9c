// Forces of moving robots: our Newton-Euler and Pinocchio's.
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

}  // namespace
}  // namespace stiction
