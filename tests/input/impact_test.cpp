// Which rows take part in an impact.
#include "stiction/impact_input.hpp"

#include <numbers>

#include "input/boxes.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

using testing::box_on_floor;
using testing::contact;
using testing::error_of;
using ::testing::HasSubstr;
using testing::model_from_file;
using testing::own_urdf;
using testing::scene_of;

/// The block of urdf/block.urdf moves in x, z and about y; normal z, t1 = x turned by `yaw`.
ContactProblem planar(double yaw, double mu = 0.5, double torsion = 0.0)
{
  ModelDescription block = model_from_file("b", own_urdf("block.urdf"), Base::kFixed);
  block.pose.rpy = {0.0, 0.0, yaw};
  SceneDescription d = scene_of({block});
  ContactDescription corner = contact("corner", "b/block", {0.3, 0, -0.2}, Eigen::Vector3d::UnitZ(), mu);
  corner.normal_frame = ContactFrame::kWorld;
  corner.torsion = torsion;
  d.contacts = {corner};
  return Scene(d).compute();
}

TEST(ImpactInput, APlanarMechanismHasPlanarFriction)
{
  for (const double yaw : {0.0, 0.4, 0.5 * std::numbers::pi, 2.0}) {
    const ContactProblem problem = planar(yaw, 0.5, 0.01);
    const ImpactInput input = impact_input(problem, Eigen::Vector3d(1, -1, 0));
    EXPECT_NO_THROW(validate(input.problem, input.impact));
    const Contact& corner = input.problem.contacts[0];
    EXPECT_EQ(corner.tangents, 1) << yaw;
    EXPECT_FALSE(corner.torsional);
    EXPECT_EQ(corner.torsion, 0.0);
    EXPECT_EQ(corner.mu, 0.5);
    ASSERT_EQ(input.problem.rows(), 2);
    // The row is the velocity along the tangent that the axes say: x of the mechanism, turned by yaw.
    const Eigen::Vector3d x_W(std::cos(yaw), std::sin(yaw), 0.0);
    EXPECT_NEAR(std::abs(corner.axes_W.col(1).dot(x_W)), 1.0, 1e-12) << yaw;
    EXPECT_NEAR(input.problem.J(1, 0), corner.axes_W.col(1).dot(x_W), 1e-12) << yaw;
    EXPECT_NEAR(corner.axes_W.determinant(), 1.0, 1e-12);
    EXPECT_EQ(input.problem.J.row(0), problem.J.row(0));
    EXPECT_TRUE(input.problem.F.isZero(0.0));
    EXPECT_TRUE(input.problem.gamma.isZero(0.0));
    EXPECT_EQ(input.problem.dofs, problem.dofs);
  }
}

TEST(ImpactInput, OrthotropicFrictionKeepsItsAxes)
{
  ImpactLaw law;
  law.mu_second = 0.2;
  const auto only = [&](double yaw) { return impact_input(planar(yaw), Eigen::Vector3d::Zero(), {law}); };
  EXPECT_EQ(only(0.0).problem.contacts[0].mu, 0.5);                     // moves along t1
  EXPECT_EQ(only(0.5 * std::numbers::pi).problem.contacts[0].mu, 0.2);  // moves along t2
  EXPECT_FALSE(only(0.0).impact.laws[0].mu_second);
  EXPECT_EQ(only(0.4).problem.contacts[0].tangents, 2);  // moves along both
  EXPECT_EQ(only(0.4).impact.laws[0].mu_second, 0.2);
}

TEST(ImpactInput, InSpaceNothingIsLeftOut)
{
  SceneDescription d = box_on_floor(0.5, 0.3);
  d.contacts[0].torsion = 0.01;
  Scene scene(d);
  const ContactProblem problem = scene.compute();
  std::vector<ImpactLaw> laws(4);
  laws[2].normal = 0.5;
  const ImpactInput input = impact_input(problem, Eigen::VectorXd::Unit(6, 0), laws);
  EXPECT_EQ(input.problem.J, problem.J);
  EXPECT_EQ(input.impact.laws[2].normal, 0.5);
  EXPECT_EQ(input.impact.velocity, Eigen::VectorXd::Unit(6, 0));
  EXPECT_THAT(error_of([&] { impact_input(problem, Eigen::VectorXd::Zero(6), {ImpactLaw{}}); }),
              HasSubstr("laws: want one per contact (4) or none, got 1"));
}

TEST(ImpactInput, TakesProblemsWithFewerTangents)
{
  ContactProblem plane;  // a point that moves in x and y; the second contact's tangent moves nothing
  plane.M = Eigen::Matrix2d::Identity();
  plane.F = Eigen::Vector2d(0, 9.81);
  plane.J.resize(5, 2);
  plane.J << 0, 1, 1, 0, 0, 1, 0, 0, 1, 0;
  plane.gamma = Eigen::VectorXd::Ones(5);
  plane.contacts.resize(3);
  for (int i = 0; i < 3; ++i) {
    Contact& c = plane.contacts[static_cast<std::size_t>(i)];
    c.name = "c" + std::to_string(i);
    c.row = 2 * i;
    c.tangents = i < 2 ? 1 : 0;
    c.mu = i < 2 ? 0.5 : 0.0;
  }
  const ImpactInput input = impact_input(plane, Eigen::Vector2d(1, -1));
  EXPECT_NO_THROW(validate(input.problem, input.impact));
  EXPECT_EQ(input.problem.rows(), 4);
  EXPECT_EQ(input.problem.contacts[0].tangents, 1);
  EXPECT_EQ(input.problem.contacts[1].tangents, 0);
  EXPECT_EQ(input.problem.contacts[1].mu, 0.0);
  EXPECT_EQ(input.problem.contacts[2].row, 3);
}

}  // namespace
}  // namespace stiction
