#include <gtest/gtest.h>

#include <limits>

#include "stiction/cone_program.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Columns 0-2 a cone, 3 a box, 4 free.
ConeProgram good()
{
  ConeProgram p;
  p.E = Eigen::MatrixXd::Ones(2, 5);
  p.e = Eigen::VectorXd::Ones(2);
  p.cones.push_back({0, FrictionCone{}});
  p.boxes.push_back({3, -1.0, kInf});
  p.free = {4};
  return p;
}

template <typename Change>
std::string bad_path(Change change)
{
  ConeProgram p = good();
  change(p);
  try {
    p.validate();
  } catch (const InputError& error) {
    return error.path();
  }
  return "accepted";
}

TEST(ConeProgram, AcceptsAWholeProgram)
{
  EXPECT_NO_THROW(good().validate());
  EXPECT_NO_THROW(ConeProgram{}.validate());
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.e_scale = Eigen::Vector2d(0, 3); }), "accepted");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.boxes[0] = {3, 2.0, 2.0}; }), "accepted");
}

TEST(ConeProgram, NamesTheBadEntry)
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.e.resize(3); }), "e");
  EXPECT_EQ(bad_path([&](ConeProgram& p) { p.e[0] = nan; }), "e");
  EXPECT_EQ(bad_path([&](ConeProgram& p) { p.E(1, 1) = kInf; }), "E");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.e_scale = Eigen::Vector3d::Ones(); }), "e_scale");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.e_scale = Eigen::Vector2d(1, -1); }), "e_scale");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.cones[0].cone.mu = -1; }), "cones[0].cone.mu");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.cones[0].col = 3; }), "cones[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.cones[0].col = -1; }), "cones[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.boxes[0].col = 2; }), "boxes[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.boxes[0] = {3, 1.0, 0.0}; }), "boxes[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.boxes[0] = {3, -kInf, kInf}; }), "boxes[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.boxes[0] = {3, kInf, kInf}; }), "boxes[0]");
  EXPECT_EQ(bad_path([&](ConeProgram& p) { p.boxes[0] = {3, nan, 1.0}; }), "boxes[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.free = {3}; }), "free[0]");
  EXPECT_EQ(bad_path([](ConeProgram& p) { p.free.clear(); }), "E");
}

}  // namespace
}  // namespace stiction
