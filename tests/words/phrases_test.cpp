// The pieces that sentences are made of.
#include "words/phrases.hpp"

#include <gtest/gtest.h>

namespace stiction::internal {
namespace {

TEST(Phrases, ListsAreCutAfterSixNames)
{
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b"}), "a and b");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(join({"a", "b", "c", "d", "e", "f"}), "a, b, c, d, e and f");
  EXPECT_EQ(join({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
  EXPECT_EQ(comma_list({"a", "b", "c"}), "a, b, c");
}

TEST(Phrases, VerbsAgreeWithHowManyThereAre)
{
  EXPECT_EQ(say({"a"}, "lifts", "lift"), "a lifts");
  EXPECT_EQ(say({"a", "b"}, "lifts", "lift"), "a and b lift");
}

TEST(Phrases, NumbersHaveFourDigitsAndNoNegativeZero)
{
  EXPECT_EQ(number_text(0.123456), "0.1235");
  EXPECT_EQ(number_text(-12345.0), "-1.234e+04");
  EXPECT_EQ(number_text(-0.0), "0");
}

TEST(Phrases, DirectionsHaveTwoDecimalsWithTiesAwayFromZero)
{
  EXPECT_EQ(direction_text({1.0, 0.0, -1.0}), "(+1, 0, -1)");
  EXPECT_EQ(direction_text({0.70711, -0.5, 0.001}), "(+0.71, -0.5, 0)");
  // Halves of the last decimal, and what is a few bits off them.
  for (const double nudge : {-1e-15, 0.0, 1e-15}) {
    EXPECT_EQ(direction_text({0.125 + nudge, -0.125 + nudge, 0.0}), "(+0.13, -0.13, 0)") << nudge;
    EXPECT_EQ(direction_text({0.005 + nudge, -0.005 + nudge, 0.0}), "(+0.01, -0.01, 0)") << nudge;
  }
}

TEST(Phrases, SignCasesNameWhatPushesAndWhatPulls)
{
  std::vector<Contact> contacts(3);
  contacts[0].name = "left";
  contacts[1].name = "right";
  contacts[2].name = "rail";
  EXPECT_EQ(sign_case(contacts, {{1, 0, -1}, {}}, 4),
            " (if left pushes and rail pulls; it fails in each of the 4 sign cases)");
  EXPECT_EQ(sign_case(contacts, {{0, -1, -1}, {}}, 2),
            " (if right and rail pull; it fails in each of the 2 sign cases)");
}

TEST(Phrases, JointsMoveThatHaveAPartOfTheEnergy)
{
  ContactProblem problem;
  problem.M = Eigen::Vector3d(1.0, 100.0, 1.0).asDiagonal();
  problem.F = Eigen::Vector3d::Zero();
  problem.dofs = {{"leg", "hip", 0, 1}, {"leg", "knee", 0, 1}, {"leg", "ankle", 0, 1}};
  EXPECT_EQ(moving_joints(problem, Eigen::Vector3d(1.0, 1.0, 0.0)), (Names{"leg/knee"}));  // 1 J of 100 J
  EXPECT_EQ(moving_joints(problem, Eigen::Vector3d(3.0, 1.0, 0.0)), (Names{"leg/hip", "leg/knee"}));
  problem.M.setZero();  // without inertia by speed
  EXPECT_EQ(moving_joints(problem, Eigen::Vector3d(1.0, 0.01, 0.5)), (Names{"leg/hip", "leg/ankle"}));
}

}  // namespace
}  // namespace stiction::internal
