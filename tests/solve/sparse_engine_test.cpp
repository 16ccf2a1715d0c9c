// The sparse engine beside programs whose answer is known by construction, and beside the native engine.
#include <gtest/gtest.h>

#include "random_programs.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using test::RandomPrograms;

ConeProgram sparse(const ConeProgram& program)
{
  ConeProgram result = program;
  result.sparse_E = program.E.sparseView(1.0, 0.0);
  result.sparse_E.makeCompressed();
  result.E.resize(0, 0);
  return result;
}

/// What is proved of an answer.
Verdict proved(const ConeProgram& program, const ConeAnswer& answer)
{
  if (answer.outcome == Outcome::kFeasible && proves_feasible(program, answer.x)) return Verdict::kHolds;
  if (answer.outcome == Outcome::kInfeasible && proves_infeasible(program, answer.y)) return Verdict::kFails;
  return Verdict::kUndecided;
}

class SparseEngine : public ::testing::Test {
 protected:
  /// By the sparse engine; dense and sparse programs must be judged alike.
  Verdict verdict_of(const ConeProgram& program)
  {
    program.validate();
    ConeAnswer answer;
    engine_->decide(sparse(program), answer);
    const Verdict verdict = proved(program, answer);
    EXPECT_EQ(proved(sparse(program), answer), verdict);
    if (answer.outcome != Outcome::kIterationLimit) {
      EXPECT_NE(verdict, Verdict::kUndecided) << "claimed without a proof";
    }
    return verdict;
  }

  std::unique_ptr<Engine> engine_ = make_sparse_engine();
};

const ConeShape kTried[] = {ConeShape::exact(), ConeShape::inner(5), ConeShape::outer(8)};

TEST_F(SparseEngine, FindsForcesThatAreThere)
{
  RandomPrograms random(1);
  const int trials = testing::trials(600);
  int undecided = 0;
  for (int i = 0; i < trials; ++i) {
    const Verdict verdict = verdict_of(random.feasible(random.integer(1, 12), kTried[i % 3]));
    EXPECT_NE(verdict, Verdict::kFails) << i;
    undecided += verdict == Verdict::kUndecided;
  }
  EXPECT_LE(undecided, trials / 20);  // where forces of few rays are at rims that leave no room
}

TEST_F(SparseEngine, FindsMotionsThatAreThere)
{
  RandomPrograms random(2);
  const int trials = testing::trials(600);
  int undecided = 0;
  for (int i = 0; i < trials; ++i) {
    const Verdict verdict = verdict_of(random.infeasible(random.integer(1, 12), kTried[i % 3], 0.1));
    EXPECT_NE(verdict, Verdict::kHolds) << i;
    undecided += verdict == Verdict::kUndecided;
  }
  EXPECT_LE(undecided, trials / 5);  // fewer columns than rows, mostly
}

/// Bodies on rough ground with boxes and free columns, and loads that are as often too large as not.
ConeProgram anything(RandomPrograms& random)
{
  ConeProgram program = random.feasible(random.integer(1, 6), ConeShape::exact());
  const auto add = [&](const Eigen::VectorXd& column) {
    program.E.conservativeResize(Eigen::NoChange, program.E.cols() + 1);
    program.E.rightCols(1) = column;
    return static_cast<int>(program.E.cols()) - 1;
  };
  const Eigen::VectorXd axis = Eigen::VectorXd::Unit(6, random.integer(0, 5));
  switch (random.integer(0, 5)) {
    case 0:
      program.boxes.push_back({add(random.vector(6)), -1.0, 2.0});
      break;
    case 1:
      program.boxes.push_back({add(axis), -kInfinity, 0.5});
      break;
    case 2:
      program.boxes.push_back({add(axis), 0.3, 0.3});
      break;
    case 3:
      program.free.push_back(add(random.vector(6)));
      break;
    case 4:
      program.free.push_back(add(axis));
      program.boxes.push_back({add(random.vector(6)), 0.0, kInfinity});
      break;
    default:
      break;
  }
  program.e = random.vector(6);
  program.e_scale.resize(0);
  return program;
}

TEST_F(SparseEngine, AgreesWithTheNativeEngine)
{
  RandomPrograms random(3);
  const std::unique_ptr<Engine> native = make_native_engine();
  const int trials = testing::trials(2000);
  int both[3][3] = {};
  for (int i = 0; i < trials; ++i) {
    const ConeProgram program = anything(random);
    ConeAnswer answer;
    native->decide(program, answer);
    ++both[static_cast<int>(proved(program, answer))][static_cast<int>(verdict_of(program))];
  }
  const int holds = static_cast<int>(Verdict::kHolds), fails = static_cast<int>(Verdict::kFails),
            undecided = static_cast<int>(Verdict::kUndecided);
  EXPECT_EQ(both[holds][fails] + both[fails][holds], 0);
  EXPECT_GT(both[holds][holds], trials / 10);
  EXPECT_GT(both[fails][fails], trials / 10);
  EXPECT_LE(both[holds][undecided] + both[fails][undecided], trials / 5);  // the same: it is made for many bodies
}

TEST_F(SparseEngine, DecidesWhatHasNoRoom)
{
  // A weight on two frictionless walls that face each other and on a floor: the walls carry nothing, or anything.
  ConeProgram program;
  program.E.setZero(3, 3);
  program.E.col(0) = Eigen::Vector3d(0, 0, 1);
  program.E.col(1) = Eigen::Vector3d(1, 0, 0);
  program.E.col(2) = Eigen::Vector3d(-1, 0, 0);
  program.e = Eigen::Vector3d(0, 0, 5);
  FrictionCone smooth;
  smooth.tangents = 0;
  for (int k = 0; k < 3; ++k) program.cones.push_back({k, smooth});
  EXPECT_EQ(verdict_of(program), Verdict::kHolds);
  program.e = Eigen::Vector3d(1, 0, -5);  // the walls wedge what the load lifts
  EXPECT_EQ(verdict_of(program), Verdict::kFails);
  program.e = Eigen::Vector3d(0, 1, 5);  // nothing acts in a row
  EXPECT_EQ(verdict_of(program), Verdict::kFails);
  program.E.col(2).setZero();  // one wall alone has to carry nothing
  program.e = Eigen::Vector3d(0, 0, 5);
  EXPECT_NE(verdict_of(program), Verdict::kFails);  // may stay open: no room on either side
  program.e.setZero();
  EXPECT_EQ(verdict_of(program), Verdict::kHolds);
}

TEST_F(SparseEngine, ForgedAnswersOfSparseProgramsAreRefused)
{
  RandomPrograms random(4);
  for (int i = 0; i < 50; ++i) {
    const ConeProgram program = sparse(random.feasible(5, ConeShape::exact()));
    ConeAnswer answer;
    engine_->decide(program, answer);
    if (answer.outcome != Outcome::kFeasible) continue;
    Eigen::VectorXd x = answer.x;
    x[random.integer(0, static_cast<int>(x.size()) - 1)] += 1e-9 * (1.0 + x.lpNorm<Eigen::Infinity>());
    EXPECT_FALSE(proves_feasible(program, x));
    EXPECT_FALSE(proves_infeasible(program, random.vector(6)));
  }
}

TEST(SparseProgram, DenseEnginesRefuseIt)
{
  RandomPrograms random(5);
  ConeAnswer answer;
  EXPECT_THROW(make_native_engine()->decide(sparse(random.feasible(2, ConeShape::exact())), answer), std::exception);
}

}  // namespace
}  // namespace stiction
