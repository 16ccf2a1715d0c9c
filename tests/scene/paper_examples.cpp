// The worked examples of the paper (spec 1, section 8) from the URDFs we ship. Spec plane (x, y) = world plane (x, z).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using testing::contact;
using testing::model_from_file;
using testing::own_urdf;
using testing::pinch;
using testing::scene_of;

constexpr double kPaperTolerance = 1e-12;
constexpr double kG = 9.81;
constexpr double kWidth = 0.6, kHeight = 0.4;                                   // block.urdf
constexpr double kBlockInertia = (kWidth * kWidth + kHeight * kHeight) / 12.0;  // mass 1

#define EXPECT_SAME(actual, expected)                                                                 \
  EXPECT_LT(((actual) - (expected)).cwiseAbs().maxCoeff(), kPaperTolerance) << #actual << " =\n"      \
                                                                            << (actual) << "\nwant\n" \
                                                                            << (expected)

/// Rows of J that are zero belong to the direction normal to the plane; the planar problem has the others.
Eigen::RowVectorXd normal_row(const ContactProblem& p, std::size_t i) { return p.J.row(p.contacts[i].row); }
Eigen::RowVectorXd tangent_row(const ContactProblem& p, std::size_t i, int planar_tangent)
{
  const int row = p.contacts[i].row;
  EXPECT_EQ(p.J.row(row + 3 - planar_tangent).cwiseAbs().maxCoeff(), 0.0);
  return p.J.row(row + planar_tangent);
}

Eigen::MatrixXd stacked(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b)
{
  Eigen::MatrixXd both(2, a.size());
  both << a, b;
  return both;
}

/// normal_frame world: the ground's normal.
ContactDescription ground_contact(const std::string& name, const std::string& link, const Eigen::Vector3d& point)
{
  ContactDescription c = contact(name, link, point, Eigen::Vector3d::UnitZ());
  c.normal_frame = ContactFrame::kWorld;
  return c;
}

TEST(PaperExamples, Example1BlockOnFlatGround)
{
  SceneDescription d = scene_of({model_from_file("b", own_urdf("block.urdf"), Base::kFixed)});
  d.contacts = {ground_contact("right", "b/block", {kWidth / 2, 0, -kHeight / 2}),
                ground_contact("left", "b/block", {-kWidth / 2, 0, -kHeight / 2})};
  const ContactProblem p = Scene(d).compute();
  p.validate();
  EXPECT_SAME(p.M, Eigen::MatrixXd(Eigen::Vector3d(1, 1, kBlockInertia).asDiagonal()));
  EXPECT_SAME(p.F, Eigen::Vector3d(0, kG, 0));
  Eigen::MatrixXd Jn(2, 3), Jt(2, 3);
  Jn << 0, 1, kWidth / 2, 0, 1, -kWidth / 2;
  Jt << 1, 0, kHeight / 2, 1, 0, kHeight / 2;
  EXPECT_SAME(stacked(normal_row(p, 0), normal_row(p, 1)), Jn);
  EXPECT_SAME(stacked(tangent_row(p, 0, 1), tangent_row(p, 1, 1)), Jt);
  EXPECT_EQ(p.gamma, Eigen::VectorXd::Zero(6));
  EXPECT_EQ(p.dof_names, (std::vector<std::string>{"b/x", "b/y", "b/theta"}));
}

TEST(PaperExamples, Example2BlockOnOneCorner)
{
  for (double theta : {0.0, 0.3, 1.2, -0.7}) {
    SceneDescription d = scene_of({model_from_file("b", own_urdf("block.urdf"), Base::kFixed)});
    d.models[0].joints = {{"x", 0.4}, {"y", -0.2}, {"theta", theta}};
    d.contacts = {ground_contact("corner", "b/block", {-kWidth / 2, 0, -kHeight / 2})};
    const ContactProblem p = Scene(d).compute();
    const double a = (kHeight * std::sin(theta) - kWidth * std::cos(theta)) / 2;
    const double b = (kHeight * std::cos(theta) + kWidth * std::sin(theta)) / 2;
    EXPECT_SAME(normal_row(p, 0), Eigen::RowVector3d(0, 1, a));
    EXPECT_SAME(tangent_row(p, 0, 1), Eigen::RowVector3d(1, 0, b));
    // Ac of (40): Jn Mc^-1 Jn' with Mc the mass seen once the tangential row sticks.
    const double r = kBlockInertia;
    const Eigen::MatrixXd Minv = p.M.inverse();
    const Eigen::RowVectorXd Jn = normal_row(p, 0), Jt = tangent_row(p, 0, 1);
    const double nn = (Jn * Minv * Jn.transpose())(0), nt = (Jn * Minv * Jt.transpose())(0),
                 tt = (Jt * Minv * Jt.transpose())(0);
    EXPECT_NEAR(nn - nt * nt / tt, (r + a * a - a * a * b * b / (r + b * b)) / r, 1e-11);
  }
}

TEST(PaperExamples, Example3BlockWithPendulum)
{
  constexpr double kRod = 0.5, kRodMass = 0.3, kRodInertia = kRodMass * kRod * kRod / 12;
  for (double theta : {0.0, 0.4})
    for (double alpha : {0.0, 0.8, -2.0}) {
      SceneDescription d = scene_of({model_from_file("b", own_urdf("block_with_pendulum.urdf"), Base::kFixed)});
      const double theta_rate = theta == 0.0 ? 0.0 : 0.9, alpha_rate = 1.7;
      d.models[0].joints = {{"theta", theta}, {"alpha", alpha}};
      d.models[0].rates = {{"theta", theta_rate}, {"alpha", alpha_rate}, {"x", 0.3}};
      const ContactProblem p = Scene(d).compute();

      // By hand: rod centre c = (x, y) + top + rod, both turned; omega_rod = theta' + alpha'.
      const double phi = theta + alpha;
      const Eigen::Vector2d top = kHeight / 2 * Eigen::Vector2d(-std::sin(theta), std::cos(theta));
      const Eigen::Vector2d rod = kRod / 2 * Eigen::Vector2d(std::cos(phi), std::sin(phi));
      const auto turned = [](const Eigen::Vector2d& v) { return Eigen::Vector2d(-v.y(), v.x()); };
      Eigen::MatrixXd Jc(2, 4);
      Jc << Eigen::Matrix2d::Identity(), turned(top + rod), turned(rod);
      const Eigen::Vector4d spin(0, 0, 1, 1);
      Eigen::MatrixXd M = kRodMass * Jc.transpose() * Jc + kRodInertia * spin * spin.transpose();
      M.diagonal().head<3>() += Eigen::Vector3d(1, 1, kBlockInertia);
      EXPECT_SAME(p.M, M);

      const double rod_rate = theta_rate + alpha_rate;
      const Eigen::Vector2d drift = -theta_rate * theta_rate * top - rod_rate * rod_rate * rod;
      Eigen::VectorXd F = kRodMass * Jc.transpose() * (drift + Eigen::Vector2d(0, kG));
      F(1) += kG;
      EXPECT_SAME(p.F, F);
      if (theta == 0.0) {  // (42)
        const Eigen::Vector2d expected(
            -kRodMass * kRod * alpha_rate * alpha_rate * std::cos(alpha) / 2,
            -kRodMass * kRod * alpha_rate * alpha_rate * std::sin(alpha) / 2 + (1 + kRodMass) * kG);
        EXPECT_SAME(p.F.head<2>(), expected);
      }
    }
}

TEST(PaperExamples, DiskInAHandOfThreeFingers)
{
  constexpr double kRadius = 0.1;
  SceneDescription d = scene_of({model_from_file("object", own_urdf("disk.urdf"), Base::kFixed),
                                 model_from_file("hand", own_urdf("three_finger_hand.urdf"), Base::kFixed)});
  d.models[1].effort = {Effort::Kind::kGiven, {{"finger1", 5.0}, {"finger2", 4.0}, {"finger3", 3.0}}};
  for (int i = 1; i <= 3; ++i) {
    ContactDescription c = contact("c" + std::to_string(i), "object/disk", {0, 0, 0}, Eigen::Vector3d::UnitX());
    c.on = "hand/tip" + std::to_string(i);
    c.at_frame = c.normal_frame = ContactFrame::kOn;  // at the tip, along the finger
    d.contacts.push_back(c);
  }
  const ContactProblem p = Scene(d).compute();
  p.validate();
  EXPECT_EQ(p.dof_names, (std::vector<std::string>{"object/plane[0]", "object/plane[1]", "object/plane[2]",
                                                   "hand/finger1", "hand/finger2", "hand/finger3"}));
  Eigen::VectorXd diagonal(6);
  diagonal << 0.5, 0.5, 0.0025, 0.1, 0.2, 0.3;
  EXPECT_SAME(p.M, Eigen::MatrixXd(diagonal.asDiagonal()));
  const double degrees[] = {270, 30, 150};
  Eigen::VectorXd F(6);
  F << 0, 0.5 * kG, 0, 0, 0, 0;
  for (int i = 0; i < 3; ++i) {
    const double angle = degrees[i] * std::numbers::pi / 180;
    const Eigen::Vector2d n(-std::cos(angle), -std::sin(angle)), t(n.y(), -n.x());  // t: clockwise from n
    Eigen::RowVectorXd Jn = Eigen::RowVectorXd::Zero(6), Jt = Jn;
    Jn.head<2>() = n;  // the normals meet at the centre: no moment
    Jn(3 + i) = -1;
    Jt.head<2>() = t;
    Jt(2) = kRadius;  // at p = -radius n: p x t
    EXPECT_SAME(normal_row(p, static_cast<std::size_t>(i)), Jn);
    // The tangent in the plane is the finger's z axis or its opposite.
    const Eigen::RowVectorXd row = tangent_row(p, static_cast<std::size_t>(i), 2);
    EXPECT_LT(std::min((row - Jt).cwiseAbs().maxCoeff(), (row + Jt).cwiseAbs().maxCoeff()), kPaperTolerance)
        << row << "\nwant +-\n"
        << Jt;
    const double masses[] = {0.1, 0.2, 0.3}, efforts[] = {5.0, 4.0, 3.0};
    F(3 + i) = masses[i] * kG * n.y() - efforts[i];
  }
  EXPECT_SAME(p.F, F);
}

TEST(PaperExamples, Example6PinchOnGuide)
{
  constexpr double kF1 = -3.0, kF2 = 4.0;  // F1 < 0 < F2
  SceneDescription d = pinch("pinch_on_guide.urdf");
  d.models[0].effort = {Effort::Kind::kGiven, {{"x1", -kF1}, {"x2", -kF2}}};
  const ContactProblem p = Scene(d).compute();
  p.validate();
  EXPECT_EQ(p.dof_names, (std::vector<std::string>{"p/x", "p/y", "p/x1", "p/x2"}));
  EXPECT_SAME(p.M, Eigen::MatrixXd(Eigen::MatrixXd::Identity(4, 4)));
  EXPECT_SAME(p.F, Eigen::Vector4d(0, kG, kF1, kF2));
  EXPECT_SAME(normal_row(p, 0), Eigen::RowVector4d(1, 0, -1, 0));
  EXPECT_SAME(normal_row(p, 1), Eigen::RowVector4d(-1, 0, 0, 1));
  EXPECT_SAME(tangent_row(p, 0, 2), Eigen::RowVector4d(0, 1, 0, 0));
  EXPECT_SAME(tangent_row(p, 1, 2), Eigen::RowVector4d(0, -1, 0, 0));  // t2 = n x y points down for n = -x
  EXPECT_EQ(p.loops[0].rows, 1);
  EXPECT_SAME(p.J.row(p.loops[0].row), Eigen::RowVector4d(1, 0, 0, 0));
  // The answers of the spec balance it: lambda_n1 = -F1, lambda_n2 = F2, lambda_nb = F1 + F2, tangential sum g.
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.rows());
  lambda(p.contacts[0].row) = -kF1;
  lambda(p.contacts[1].row) = kF2;
  lambda(p.contacts[0].row + 2) = 0.25 * kG;
  lambda(p.contacts[1].row + 2) = -0.75 * kG;
  lambda(p.loops[0].row) = kF1 + kF2;
  EXPECT_SAME(p.J.transpose() * lambda, p.F);
}

TEST(PaperExamples, Example6bFreeFingers)
{
  constexpr double kF1x = -3.0, kF2x = 4.0, kFy = -1.5;
  SceneDescription d = pinch("pinch_free_fingers.urdf");
  d.models[0].effort = {Effort::Kind::kGiven, {{"x1", -kF1x}, {"x2", -kF2x}, {"y1", kG - kFy}, {"y2", kG - kFy}}};
  const ContactProblem p = Scene(d).compute();
  p.validate();
  Eigen::VectorXd F(6);
  F << 0, kG, kF1x, kFy, kF2x, kFy;
  EXPECT_SAME(p.M, Eigen::MatrixXd(Eigen::MatrixXd::Identity(6, 6)));
  EXPECT_SAME(p.F, F);
  Eigen::RowVectorXd n1(6), n2(6), t1(6), t2(6);
  n1 << 1, 0, -1, 0, 0, 0;
  n2 << -1, 0, 0, 0, 1, 0;
  t1 << 0, 1, 0, -1, 0, 0;
  t2 << 0, 1, 0, 0, 0, -1;
  EXPECT_SAME(normal_row(p, 0), n1);
  EXPECT_SAME(normal_row(p, 1), n2);
  EXPECT_SAME(tangent_row(p, 0, 2), t1);
  EXPECT_SAME(tangent_row(p, 1, 2), -t2);
  // lambda_t = (g - F1y) / 3, y'' = -(g + 2 F1y) / 3: the moving system sticks.
  const double tangential = (kG - kFy) / 3, up = -(kG + 2 * kFy) / 3;
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(p.rows()), a(6);
  lambda(p.contacts[0].row) = -kF1x;
  lambda(p.contacts[1].row) = kF2x;
  lambda(p.contacts[0].row + 2) = tangential;
  lambda(p.contacts[1].row + 2) = -tangential;
  lambda(p.loops[0].row) = kF1x + kF2x;
  a << 0, up, 0, up, 0, up;
  EXPECT_SAME(p.M * a + p.F, p.J.transpose() * lambda);
  EXPECT_SAME(p.J * a, Eigen::VectorXd::Zero(p.rows()));
}

TEST(ShippedUrdfs, AllLoadAndLookRight)
{
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(own_urdf(""))) {
    SCOPED_TRACE(entry.path());
    ++count;
    const RobotInfo info = inspect_urdf_file(entry.path().string());
    EXPECT_EQ(info.name, entry.path().stem().string());
    for (Base base : {Base::kFloating, Base::kFixed})
      Scene(scene_of({model_from_file("m", entry.path().string(), base)})).compute().validate();
    std::ifstream stream(entry.path());
    std::ostringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(text.str().find("mesh"), std::string::npos);
  }
  EXPECT_GE(count, 11);
}

TEST(ShippedUrdfs, BipedStandsOnItsSolesAndQuadrupedOnItsFeet)
{
  SceneDescription d = scene_of({model_from_file("biped", own_urdf("biped.urdf"), Base::kFloating),
                                 model_from_file("quadruped", own_urdf("quadruped.urdf"), Base::kFloating)});
  d.models[0].pose.xyz = {0, 0, 0.9};
  d.models[1].pose.xyz = {2, 0, 0.5};
  d.contacts = {contact("toe", "biped/left_sole", {0.1, 0.05, 0}, Eigen::Vector3d::UnitZ()),
                contact("foot", "quadruped/rh_foot", {0, 0, 0}, Eigen::Vector3d::UnitZ())};
  Scene scene(d);
  const ContactProblem p = scene.compute();
  EXPECT_SAME(p.contacts[0].point_W, Eigen::Vector3d(0.12, 0.15, 0));
  EXPECT_SAME(p.contacts[1].point_W, Eigen::Vector3d(1.75, -0.15, 0));
  EXPECT_NEAR(scene.total_mass(), 32.0 + 17.2, 1e-12);
  EXPECT_TRUE(scene.warnings().empty());
}

}  // namespace
}  // namespace stiction
