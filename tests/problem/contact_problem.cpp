#include "stiction/contact_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Example 1 of the paper as a grasp planner would write it: a block on two corners, planar contacts, plus a guide and
/// a motor.
ContactProblem block()
{
  ContactProblem p;
  p.M = Eigen::Vector3d(1, 1, 0.05).asDiagonal();
  p.F = Eigen::Vector3d(0, 9.81, 0);
  p.J.resize(5, 3);
  p.J << 0, 1, 0.3, 1, 0, 0.2, 0, 1, -0.3, 1, 0, 0.2, 1, 0, 0;
  p.gamma = Eigen::VectorXd::Zero(5);
  p.contacts.resize(2);
  p.contacts[0].name = "right";
  p.contacts[1].name = "left";
  p.contacts[1].row = 2;
  for (Contact& c : p.contacts) {
    c.tangents = 1;
    c.mu = 0.5;
  }
  p.loops = {{"guide", 4, 1}};
  p.actuators = {{"thruster", 0, -5.0, 5.0}};
  p.dof_names = {"x", "y", "theta"};
  return p;
}

/// A rod in natural coordinates, the paper's remark 4: its two end points are the coordinates, its mass sits in the
/// middle, so that M is singular, and its length is a frictionless bilateral row.
ContactProblem natural_coordinates()
{
  ContactProblem p;
  p.M = Eigen::MatrixXd::Zero(4, 4);  // mass 2 between the points (x1, y1) and (x2, y2): rank 2
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (i % 2 == j % 2) p.M(i, j) = 0.5;
  p.F = Eigen::Vector4d(0, 9.81, 0, 9.81);
  p.J.resize(1, 4);
  p.J << -2, 0, 2, 0;
  p.gamma = Eigen::VectorXd::Zero(1);
  p.loops = {{"rod length", 0, 1}};
  return p;
}

TEST(ContactProblem, AcceptsBareMatrices)
{
  EXPECT_NO_THROW(block().validate());
  EXPECT_NO_THROW(ContactProblem{}.validate());
}

TEST(ContactProblem, AcceptsSingularMass)
{
  EXPECT_NO_THROW(natural_coordinates().validate());
  ContactProblem massless = block();
  massless.M.setZero();
  EXPECT_NO_THROW(massless.validate());
}

TEST(ContactProblem, SemidefinitenessIsScaleFree)
{
  ContactProblem p = block();
  Eigen::Matrix3d mixed;  // tonnes beside a nut's inertia; the small block alone decides
  mixed << 1e6, 0, 0, 0, 1e-9, 0.999e-9, 0, 0.999e-9, 1e-9;
  p.M = mixed;
  EXPECT_NO_THROW(p.validate());
  p.M(1, 2) = p.M(2, 1) = 1.001e-9;
  EXPECT_THROW(p.validate(), InputError);
}

TEST(ContactProblem, RowRoles)
{
  ContactProblem p = block();
  p.contacts[1].side = Side::kBilateral;
  const RowRoles roles = row_roles(p);
  EXPECT_EQ(roles.normal_unilateral, (std::vector<int>{0}));
  EXPECT_EQ(roles.tangential_unilateral, (std::vector<int>{1}));
  EXPECT_EQ(roles.normal_bilateral, (std::vector<int>{2, 4}));
  EXPECT_EQ(roles.tangential_bilateral, (std::vector<int>{3}));
}

TEST(ContactProblem, RowRolesCountTorsionAsTangential)
{
  ContactProblem p;
  Contact c;
  c.torsional = true;
  c.row = 3;
  p.contacts = {c};
  EXPECT_EQ(row_roles(p).tangential_unilateral, (std::vector<int>{4, 5, 6}));
}

struct BadProblem {
  const char* name;
  std::function<void(ContactProblem&)> spoil;
  const char* path;
  const char* wanted;
};
void PrintTo(const BadProblem& bad, std::ostream* os) { *os << bad.name; }

class BadProblems : public ::testing::TestWithParam<BadProblem> {};

TEST_P(BadProblems, NameTheEntryAndWhatWasWanted)
{
  ContactProblem p = block();
  GetParam().spoil(p);
  try {
    p.validate();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.path(), GetParam().path) << error.what();
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().wanted));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("got"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    ContactProblem, BadProblems,
    ::testing::Values(
        BadProblem{"MassSize", [](auto& p) { p.M = Eigen::MatrixXd::Identity(2, 3); }, "M", "want 3 x 3"},
        BadProblem{"JacobianSize", [](auto& p) { p.J.conservativeResize(5, 2); }, "J", "want 5 x 3"},
        BadProblem{"GammaSize", [](auto& p) { p.gamma.conservativeResize(4); }, "J", "want 4 x 3"},
        BadProblem{"NanInMass", [](auto& p) { p.M(1, 2) = kNan; }, "M(1,2)", "want a finite number"},
        BadProblem{"InfinityInForce", [](auto& p) { p.F(1) = kInfinity; }, "F(1)", "want a finite number"},
        BadProblem{"NanInJacobian", [](auto& p) { p.J(4, 0) = kNan; }, "J(4,0)", "want a finite number"},
        BadProblem{"InfinityInGamma", [](auto& p) { p.gamma(3) = -kInfinity; }, "gamma(3)", "want a finite number"},
        BadProblem{"AsymmetricMass", [](auto& p) { p.M(0, 1) = 1e-6; }, "M(0,1)", "want M symmetric"},
        BadProblem{"NegativeMass", [](auto& p) { p.M(1, 1) = -1; }, "M", "want positive semidefinite"},
        BadProblem{"IndefiniteMass", [](auto& p) { p.M(0, 1) = p.M(1, 0) = 1.01; }, "M", "want positive semidefinite"},
        BadProblem{"CouplingWithoutMass",
                   [](auto& p) {
                     p.M(0, 0) = 0;
                     p.M(0, 1) = p.M(1, 0) = 0.1;
                   },
                   "M(0,1)", "beside a zero diagonal entry"},
        BadProblem{"NegativeMu", [](auto& p) { p.contacts[1].mu = -0.1; }, "contacts[1].mu", "want finite and >= 0"},
        BadProblem{"NanMu", [](auto& p) { p.contacts[0].mu = kNan; }, "contacts[0].mu", "want finite and >= 0"},
        BadProblem{"InfiniteMu", [](auto& p) { p.contacts[0].mu = kInfinity; }, "contacts[0].mu",
                   "want finite and >= 0"},
        BadProblem{"NegativeTorsion", [](auto& p) { p.contacts[0].torsion = -1; }, "contacts[0].torsion",
                   "want finite and >= 0"},
        BadProblem{"TorsionWithoutRow", [](auto& p) { p.contacts[0].torsion = 0.1; }, "contacts[0].torsion",
                   "without a torsion row"},
        BadProblem{"MuWithoutRows", [](auto& p) { p.contacts[0].tangents = 0; }, "contacts[0].mu",
                   "without tangential rows"},
        BadProblem{"ThreeTangents", [](auto& p) { p.contacts[0].tangents = 3; }, "contacts[0].tangents",
                   "want 0, 1 or 2"},
        BadProblem{"NanLimit", [](auto& p) { p.contacts[0].max_normal = kNan; }, "contacts[0].max_normal", "want >= 0"},
        BadProblem{"NegativeLimit", [](auto& p) { p.contacts[0].max_normal = -1; }, "contacts[0].max_normal",
                   "want >= 0"},
        BadProblem{"NanPoint", [](auto& p) { p.contacts[0].point_W(2) = kNan; }, "contacts[0].point_W(2)",
                   "want a finite number"},
        BadProblem{"LeftHandedAxes", [](auto& p) { p.contacts[0].axes_W.col(2) *= -1; }, "contacts[0].axes_W",
                   "right-handed"},
        BadProblem{"RowsOverlap", [](auto& p) { p.contacts[1].row = 1; }, "contacts[1].row",
                   "row 1 that contacts[0] owns"},
        BadProblem{"RowsBeyond", [](auto& p) { p.contacts[1].row = 4; }, "contacts[1].row", "want rows within 0..4"},
        BadProblem{"NegativeRow", [](auto& p) { p.contacts[0].row = -1; }, "contacts[0].row", "want rows within 0..4"},
        BadProblem{"OrphanRow", [](auto& p) { p.loops.clear(); }, "J", "row 4 in none"},
        BadProblem{"EmptyClosure", [](auto& p) { p.loops[0].rows = 0; }, "closures[0].rows", "want >= 1"},
        BadProblem{"SameName", [](auto& p) { p.contacts[1].name = "right"; }, "contacts[1].name", "'right' twice"},
        BadProblem{"ClosureNamedAsContact", [](auto& p) { p.loops[0].name = "left"; }, "closures[0].name",
                   "'left' twice"},
        BadProblem{"NoName", [](auto& p) { p.contacts[0].name.clear(); }, "contacts[0].name", "want a name"},
        BadProblem{"MotorOnNothing", [](auto& p) { p.actuators[0].dof = 3; }, "actuators[0].dof", "want 0..2"},
        BadProblem{"CrossedLimits", [](auto& p) { p.actuators[0].lower = 6; }, "actuators[0]", "want lower <= upper"},
        BadProblem{"NanEffort", [](auto& p) { p.actuators[0].upper = kNan; }, "actuators[0]", "want lower <= upper"},
        BadProblem{"TwoNamesForThree", [](auto& p) { p.dof_names.pop_back(); }, "dof_names", "want 3 names or none"},
        BadProblem{"TwoDofsForThree", [](auto& p) { p.dofs = {{"m", "x"}, {"m", "y"}}; }, "dofs",
                   "want 3 or none, got 2"},
        BadProblem{"SameDof", [](auto& p) { p.dofs = {{"m", "x"}, {"m", "y"}, {"m", "x"}}; }, "dofs[2]", "one twice"},
        BadProblem{"DofBeyondItsJoint", [](auto& p) { p.dofs = {{"m", "x"}, {"m", "y", 1, 1}, {"m", "z"}}; },
                   "dofs[1].index", "want 0..0, got 1"},
        BadProblem{"SameDofName", [](auto& p) { p.dof_names[2] = "x"; }, "dof_names[2].name", "'x' twice"}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(DofLabels, AreDifferentWhateverTheNames)
{
  std::vector<Dof> dofs;
  const auto add = [&](const std::string& model, const std::string& joint, int size) {
    for (int k = 0; k < size; ++k) dofs.push_back({model, joint, k, size});
  };
  add("r", "", 6);
  add("r", "base", 1);
  add("r", "plane", 3);
  add("r", "plane[1]", 1);
  add("r", "x/y.z[0]", 1);
  add("hand", "", 6);
  add("", "x", 1);
  const std::vector<std::string> joints = joint_labels(dofs), labels = dof_labels(dofs);
  EXPECT_EQ(joints[0], "r/base_");
  EXPECT_EQ(joints[6], "r/base");
  EXPECT_EQ(joints[7], "r/plane_");
  EXPECT_EQ(joints[10], "r/plane[1]");
  EXPECT_EQ(joints[11], "r/x/y.z[0]");
  EXPECT_EQ(joints[12], "hand/base");
  EXPECT_EQ(joints[18], "x");
  EXPECT_EQ(labels[5], "r/base_[5]");
  EXPECT_EQ(labels[6], "r/base");
  EXPECT_EQ(labels[8], "r/plane_[1]");
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), dofs.size());
}

}  // namespace
}  // namespace stiction
