// Walls, arches and piles as sparse problems, beside the same problems solved and judged densely.
#include <gtest/gtest.h>

#include "stiction/equilibrium.hpp"
#include "stiction/error.hpp"
#include "stiction/sticking.hpp"
#include "support/blocks.hpp"

namespace stiction {
namespace {

EquilibriumOptions plain()
{
  EquilibriumOptions options;
  options.structure = options.largest_slack = false;
  return options;
}

/// The verdict of a sparse problem, which both judges accept of it and of the dense problem.
Verdict sparse_verdict(const ContactProblem& problem, EquilibriumResult* result = nullptr)
{
  EquilibriumResult found = EquilibriumChecker().check(problem, {}, plain());
  std::string why;
  EXPECT_EQ(judge_equilibrium(problem, {}, {}, found.certificate, &why), found.verdict) << why;
  EXPECT_EQ(judge_equilibrium(problem.dense(), {}, {}, found.certificate, &why), found.verdict) << why;
  if (result) *result = found;
  return found.verdict;
}

struct Case {
  const char* name;
  ContactProblem problem;
  Verdict verdict;
};

/// By hand: bond, thickness and friction decide.
std::vector<Case> cases()
{
  ContactProblem lifted = test::wall(3, 2, 0.7);
  lifted.F[2] = -1.0;  // of the first block, which three others weigh down with more than that
  ContactProblem thrown = test::wall(3, 2, 0.7);
  thrown.F[6 * 5 + 2] = -1.0;
  return {{"wall", test::wall(3, 4, 0.7), Verdict::kHolds},
          {"wall without friction", test::wall(3, 4, 0.0), Verdict::kHolds},
          {"wall whose ends tip", test::wall(3, 4, 0.0, 1.2), Verdict::kFails},
          {"wall with a light stone", lifted, Verdict::kHolds},
          {"wall with a stone pulled off", thrown, Verdict::kFails},
          {"arch", test::arcade(1, 15, 0.13), Verdict::kHolds},
          {"thin arch", test::arcade(1, 15, 0.09), Verdict::kFails},
          {"slippery arch", test::arcade(1, 15, 0.13, 0.1), Verdict::kFails},
          {"arcade", test::arcade(3, 11, 0.2), Verdict::kHolds},
          {"pile", test::pile(3, 0.5), Verdict::kHolds},
          {"pile on ice", test::pile(3, 0.0), Verdict::kHolds}};
}

TEST(SparseEquilibrium, IsDecidedAsByHandAndAsDensely)
{
  for (const Case& c : cases()) {
    EXPECT_EQ(sparse_verdict(c.problem), c.verdict) << c.name;
    EXPECT_EQ(EquilibriumChecker().check(c.problem.dense(), {}, plain()).verdict, c.verdict) << c.name;
  }
}

TEST(SparseEquilibrium, ForcesAreInsideTheirCones)
{
  EquilibriumResult result;
  ASSERT_EQ(sparse_verdict(test::wall(4, 4, 0.7), &result), Verdict::kHolds);
  EXPECT_TRUE(result.strict);
  EXPECT_GT(result.slack, 0.0);
  EXPECT_EQ(result.indeterminacy, -1);
  for (const ContactReport& contact : result.contacts) EXPECT_LT(contact.utilisation, 1.0);
}

TEST(SparseEquilibrium, JudgesRefuseForgedProofs)
{
  EquilibriumResult holds, fails;
  const ContactProblem stands = test::wall(3, 3, 0.7), falls = test::wall(3, 3, 0.0, 1.2);
  ASSERT_EQ(sparse_verdict(stands, &holds), Verdict::kHolds);
  ASSERT_EQ(sparse_verdict(falls, &fails), Verdict::kFails);
  const auto refused = [](const ContactProblem& problem, const Certificate& forged) {
    return judge_equilibrium(problem, {}, {}, forged) == Verdict::kUndecided &&
           judge_equilibrium(problem.dense(), {}, {}, forged) == Verdict::kUndecided;
  };
  for (Eigen::Index i = 0; i < holds.lambda.size(); i += 7) {
    Certificate forged = holds.certificate;
    forged.lambda[i] += 1e-6 * holds.lambda.lpNorm<Eigen::Infinity>();
    EXPECT_TRUE(refused(stands, forged)) << i;
  }
  Certificate forged = fails.certificate;
  forged.leaves[0].motion = -forged.leaves[0].motion;
  EXPECT_TRUE(refused(falls, forged));
  EXPECT_TRUE(refused(stands, fails.certificate));
  EXPECT_TRUE(refused(falls, holds.certificate));
  ContactProblem heavier = stands;
  heavier.F[8] *= 1.0 + 1e-9;
  EXPECT_TRUE(refused(heavier, holds.certificate));
}

/// Motors, limits of normal forces, a rail and torsion: what columns and rows beside the forces are for.
TEST(SparseEquilibrium, MotorsLimitsRailsAndTorsion)
{
  const auto verdicts = [](const ContactProblem& p) {
    const Verdict verdict = sparse_verdict(p);
    EXPECT_EQ(EquilibriumChecker().check(p.dense(), {}, plain()).verdict, verdict);
    return verdict;
  };
  ContactProblem p = test::wall(2, 2, 0.5);
  p.F[6 * 2] = 50.0;  // a push along the wall that friction does not hold
  EXPECT_EQ(verdicts(p), Verdict::kFails);
  p.actuators.push_back({"winch", 12, -60.0, 60.0});
  EXPECT_EQ(verdicts(p), Verdict::kHolds);
  p.actuators = {{"weak", 12, -15.0, 10.0}, {"second", 12, -15.0, 40.0}};
  EXPECT_EQ(verdicts(p), Verdict::kHolds);
  p.actuators = {{"endless", 12, -kInfinity, kInfinity}};
  EXPECT_EQ(verdicts(p), Verdict::kHolds);
  p.actuators = {{"one way", 12, -kInfinity, 1.0}};
  EXPECT_EQ(verdicts(p), Verdict::kFails);

  p = test::wall(2, 1, 0.5);
  for (Contact& contact : p.contacts) contact.max_normal = 6.0;  // each block weighs 19.62 N on four corners
  EXPECT_EQ(verdicts(p), Verdict::kHolds);
  for (Contact& contact : p.contacts) contact.max_normal = 4.0;
  EXPECT_EQ(verdicts(p), Verdict::kFails);

  p = test::wall(2, 1, 0.5);
  p.F[2] = -5.0;  // one block is lifted
  EXPECT_EQ(verdicts(p), Verdict::kFails);
  for (int i = 0; i < 4; ++i) {
    p.contacts[static_cast<std::size_t>(i)].side = Side::kBilateral;
    p.contacts[static_cast<std::size_t>(i)].mu = 0.0;
  }
  EXPECT_EQ(verdicts(p), Verdict::kHolds);
}

TEST(SparseEquilibrium, APrescribedAccelerationIsALoad)
{
  ContactProblem p = test::wall(2, 2, 0.3);
  const auto verdict = [&](double a) {
    Eigen::VectorXd accelerations = Eigen::VectorXd::Zero(p.nv());
    for (Eigen::Index d = 0; d < p.nv(); d += 6) accelerations[d] = a;
    ContactProblem moving = p;
    moving.gamma = -(p.sparse_J * accelerations);  // the ground goes along
    const Verdict found = EquilibriumChecker().check(moving, accelerations, plain()).verdict;
    EXPECT_EQ(EquilibriumChecker().check(moving.dense(), accelerations, plain()).verdict, found);
    return found;
  };
  EXPECT_EQ(verdict(0.2 * 9.81), Verdict::kHolds);
  EXPECT_EQ(verdict(0.4 * 9.81), Verdict::kFails);
  Eigen::VectorXd leaves = Eigen::VectorXd::Ones(p.nv());
  EXPECT_THROW(EquilibriumChecker().check(p, leaves, plain()), InputError);
}

TEST(SparseProblem, SaysWhatIsWrong)
{
  const auto message = [](const ContactProblem& problem) -> std::string {
    try {
      problem.validate(ContactProblem::Storage::kAny);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const ContactProblem good = test::wall(2, 2, 0.5);
  EXPECT_EQ(message(good), "");
  ContactProblem bad = good;
  bad.sparse_M.coeffRef(3, 3) = -1.0;
  EXPECT_NE(message(bad).find("M"), std::string::npos);
  bad = good;
  bad.sparse_M.coeffRef(0, 1) = 0.5;
  bad.sparse_M.makeCompressed();
  EXPECT_NE(message(bad).find("symmetric"), std::string::npos);
  bad.sparse_M.coeffRef(1, 0) = bad.sparse_M.coeffRef(0, 1) = 3.0;  // of two masses of 2 kg
  bad.sparse_M.makeCompressed();
  EXPECT_NE(message(bad).find("semidefinite"), std::string::npos);
  bad = good;
  bad.sparse_J.valuePtr()[5] = std::nan("");
  EXPECT_NE(message(bad).find("finite"), std::string::npos);
  EXPECT_EQ(judge_equilibrium(bad, {}, {}, Certificate{}), Verdict::kUndecided);
  bad = good;
  bad.contacts[0].side = Side::kBilateral;
  EXPECT_THROW(EquilibriumChecker().check(bad, {}, plain()), InputError);
  EXPECT_THROW(StickingChecker().check(good), InputError);
  EXPECT_THROW(good.validate(), InputError);
  EXPECT_NO_THROW(good.dense().validate());
}

TEST(SparseProblem, MarginsAreNotKnown)
{
  EquilibriumOptions options = plain();
  options.friction_scale = true;
  const EquilibriumResult result = EquilibriumChecker().check(test::wall(2, 2, 0.5), {}, options);
  EXPECT_EQ(result.friction_scale.state, Margin::State::kUndecided);
  EXPECT_FALSE(result.friction_scale.reason.empty());
}

}  // namespace
}  // namespace stiction
