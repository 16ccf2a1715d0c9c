#include "solve/decide.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"

namespace stiction::internal {
namespace {

/// The variables of a cone that may take part in a correction, each by its own size: friction that is zero stays zero,
/// and what presses little takes little.
void add_loaded_columns(const ConeBlock& block, const Eigen::VectorXd& x, std::vector<Eigen::Index>& loaded,
                        std::vector<double>& sizes)
{
  for (int k = 0; k < block.cone.dim(); ++k) {
    const double reach = k == 0 ? 1.0 : k <= block.cone.tangents ? block.cone.mu : block.cone.torsion;
    if (!(reach > 0.0)) continue;
    loaded.push_back(block.col + k);
    sizes.push_back(std::min(reach, 1.0) * std::abs(x[block.col]));
  }
}

/// An engine stops where the residual is rounding of the whole load. Rows in which next to nothing is carried have less
/// rounding, so a solution that the judge refuses is corrected in its rows before it is given up.
Verdict judged(const ConeProgram& program, ClaimJudge judge, ConeAnswer& answer)
{
  const Verdict verdict = judge(program, answer);
  if (verdict != Verdict::kUndecided || answer.outcome != Outcome::kFeasible) return verdict;
  balance(program, answer.x);
  return judge(program, answer);
}

/// Forces well inside of every cone, of one newton each, to all sides.
Eigen::VectorXd spread_forces(const ConeProgram& program)
{
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(program.E.cols());
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    const auto& [col, cone] = program.cones[i];
    const double aside = 0.35 * std::min(cone.mu, 1.0);  // both tangents: half of the friction
    forces[col] = cone.sign;
    if (cone.tangents > 0) forces[col + 1] = i % 2 == 0 ? aside : -aside;
    if (cone.tangents > 1) forces[col + 2] = i / 2 % 2 == 0 ? aside : -aside;
  }
  return forces;
}

/// Few loaded contacts, as engines find them among many, leave rows in which only rounding is carried, and what a proof
/// forgives there is rounding of that. With a share of the load on every contact all rows carry something: forces of
/// the rest of the load are looked for, and put on top.
Verdict judged_inside(Engine& engine, const ConeProgram& program, ClaimJudge judge, ConeAnswer& answer)
{
  if (answer.outcome != Outcome::kFeasible || program.cones.empty()) return Verdict::kUndecided;
  double load = 0.0;
  for (const ConeBlock& block : program.cones) load += std::abs(answer.x[block.col]);
  const Eigen::VectorXd spread = spread_forces(program);
  ConeProgram lighter = program;
  ConeAnswer rest;
  constexpr double kShares[] = {0.1, 1e-2, 1e-3};  // of the load, on all contacts together
  for (const double share : kShares) {
    const double each = share * load / static_cast<double>(program.cones.size());
    if (!(each > 0.0)) break;
    lighter.e = program.e - each * (program.E * spread);
    engine.decide(lighter, rest);
    answer.iterations += rest.iterations;
    if (rest.outcome != Outcome::kFeasible) continue;
    rest.x += each * spread;
    balance(program, rest.x);
    if (judge(program, rest) != Verdict::kHolds) continue;
    answer.x = rest.x;
    return Verdict::kHolds;
  }
  return Verdict::kUndecided;
}

}  // namespace

void balance(const ConeProgram& program, Eigen::VectorXd& x)
{
  constexpr int kPasses = 3;
  constexpr double kUnloaded = 1e-10;  // share of the largest force below which a contact carries nothing
  const double largest = x.lpNorm<Eigen::Infinity>(), least = kUnloaded * largest;
  std::vector<Eigen::Index> loaded(program.free.begin(), program.free.end());
  std::vector<double> sizes(loaded.size(), largest);
  for (const ConeBlock& block : program.cones) {
    if (block.cone.sign * x[block.col] > least)
      add_loaded_columns(block, x, loaded, sizes);
    else
      x.segment(block.col, block.cone.dim()).setZero();
  }
  for (const BoxVariable& box : program.boxes) {
    const double room = std::min({x[box.col] - box.lower, box.upper - x[box.col], largest});
    if (!(room > least)) continue;
    loaded.push_back(box.col);
    sizes.push_back(room);
  }
  if (loaded.empty()) return;
  // Rows count by the sums in them: where next to nothing is carried, next to nothing is rounding.
  Eigen::VectorXd weight = (program.E.cwiseAbs() * x.cwiseAbs()).cwiseMax(program.e.cwiseAbs());
  weight = weight.unaryExpr([](double size) { return size > 0.0 ? 1.0 / size : 0.0; });
  const Eigen::Map<const Eigen::VectorXd> size(sizes.data(), static_cast<Eigen::Index>(sizes.size()));
  const LeastNorm solver(weight.asDiagonal() * program.E(Eigen::all, loaded) * size.asDiagonal(), kDependent);
  Eigen::VectorXd left(program.e.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    for (Eigen::Index i = 0; i < left.size(); ++i) {
      long double sum = program.e[i];
      for (Eigen::Index j = 0; j < x.size(); ++j) sum -= static_cast<long double>(program.E(i, j)) * x[j];
      left[i] = static_cast<double>(sum) * weight[i];
    }
    const Eigen::VectorXd change = solver.solve(left);
    for (std::size_t k = 0; k < loaded.size(); ++k) x[loaded[k]] += sizes[k] * change[static_cast<Eigen::Index>(k)];
  }
}

Verdict believe(const ConeProgram&, const ConeAnswer& claim)
{
  if (claim.outcome == Outcome::kFeasible) return Verdict::kHolds;
  return claim.outcome == Outcome::kInfeasible ? Verdict::kFails : Verdict::kUndecided;
}

Verdict decide(Engine& engine, const ConeProgram& program, ClaimJudge judge, ConeAnswer& answer)
{
  engine.decide(program, answer);
  const Verdict verdict = judged(program, judge, answer);
  return verdict == Verdict::kUndecided ? judged_inside(engine, program, judge, answer) : verdict;
}

Verdict decide_next(Engine& engine, const ConeProgram& program, ClaimJudge judge, ConeAnswer& answer)
{
  engine.decide_next(program, answer);
  const Verdict verdict = judged(program, judge, answer);
  return verdict == Verdict::kUndecided ? decide(engine, program, judge, answer) : verdict;
}

}  // namespace stiction::internal
