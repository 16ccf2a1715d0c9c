// The propositions that ask a linear or quadratic program: P7 to P11.
#include <algorithm>
#include <cmath>

#include "ask/multiplier_set.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"

namespace stiction {

using namespace internal;

namespace {

/// x free in the first `free` columns, x >= 0 in the others.
ConeProgram half_free_program(Eigen::Index rows, Eigen::Index free, Eigen::Index nonnegative)
{
  ConeProgram program;
  program.E.setZero(rows, free + nonnegative);
  program.e.setZero(rows);
  for (Eigen::Index j = 0; j < free; ++j) program.free.push_back(static_cast<int>(j));
  for (Eigen::Index j = 0; j < nonnegative; ++j) program.boxes.push_back({static_cast<int>(free + j), 0.0, kInfinity});
  return program;
}

Verdict decided(Engine& engine, const ConeProgram& program)
{
  if (program.E.rows() == 0) return Verdict::kHolds;
  if (program.E.cols() == 0) return program.e.isZero(0.0) ? Verdict::kHolds : Verdict::kFails;
  ConeAnswer answer;
  return decide(engine, program, judge_claim, answer);
}

Verdict opposite(Verdict verdict)
{
  if (verdict == Verdict::kUndecided) return verdict;
  return verdict == Verdict::kHolds ? Verdict::kFails : Verdict::kHolds;
}

Verdict both(Verdict a, Verdict b)
{
  if (a == Verdict::kFails || b == Verdict::kFails) return Verdict::kFails;
  return a == Verdict::kHolds && b == Verdict::kHolds ? Verdict::kHolds : Verdict::kUndecided;
}

/// Entries that are rounding of a product with an orthonormal basis must not decide anything.
Eigen::MatrixXd without_noise(const Eigen::MatrixXd& A)
{
  return A.unaryExpr([](double x) { return std::abs(x) <= kProductRounding ? 0.0 : x; });
}

/// Is some d with A d = s, s >= 0, s = `least` + more?
Verdict reaches(Engine& engine, const Eigen::MatrixXd& A, double least)
{
  ConeProgram program = half_free_program(A.rows(), A.cols(), A.rows());
  program.E.leftCols(A.cols()) = A;
  program.E.rightCols(A.rows()).diagonal().setConstant(-1.0);
  program.e.setConstant(least);
  return decided(engine, program);
}

/// Is {d : A d >= 0} = {0}?
Verdict only_zero(Engine& engine, const Eigen::MatrixXd& A)
{
  if (A.cols() == 0) return Verdict::kHolds;
  if (rank_of(A) < A.cols()) return Verdict::kFails;
  // A pointed cone: a d other than zero has A d >= 0 with sum 1.
  const auto k = A.rows(), z = A.cols();
  ConeProgram program = half_free_program(k + 1, z, k);
  program.E.topLeftCorner(k, z) = A;
  program.E.topRightCorner(k, k).diagonal().setConstant(-1.0);
  program.E.row(k).tail(k).setOnes();
  program.e[k] = 1.0;
  return opposite(decided(engine, program));
}

/// Is im B' ∩ cone(A') = {0}? Otherwise some v = Q c in im B' with c_j = ±1 is A'x, x >= 0.
Verdict meet_at_zero(Engine& engine, const Eigen::MatrixXd& B, const Eigen::MatrixXd& A)
{
  if (B.rows() == 0 || A.rows() == 0) return Verdict::kHolds;
  const ColumnSpan span = column_span(B.transpose(), kRankTolerance);
  const auto n = B.cols(), r = span.rank;
  const Eigen::MatrixXd C = without_noise(span.Q.transpose() * A.transpose());
  ConeProgram program = half_free_program(n - r + 1, 0, A.rows());
  program.E.topRows(n - r) = C.bottomRows(n - r);  // nothing outside im B'
  Verdict meets = Verdict::kFails;
  for (Eigen::Index j = 0; j < r; ++j)
    for (const double sign : {1.0, -1.0}) {
      program.E.row(n - r) = sign * C.row(j);
      program.e[n - r] = 1.0;
      const Verdict found = decided(engine, program);
      if (found == Verdict::kHolds) return Verdict::kFails;
      if (found == Verdict::kUndecided) meets = found;
    }
  return opposite(meets);
}

}  // namespace

Solvability solvability(const ContactProblem& problem, Engine& engine)
{
  problem.validate();
  Solvability result;
  const UnitMass unit(problem);
  const RowRoles roles = row_roles(problem);
  const std::vector<int> equalities = equality_rows(roles);
  const Eigen::MatrixXd Je = rows_of(unit.J, equalities), Ju = rows_of(unit.J, roles.normal_unilateral);
  const auto nv = problem.nv(), e = Je.rows(), u = Ju.rows();

  ConeProgram primal = half_free_program(e + u, nv, u);  // Je a = -ge, Ju a - s = -gu, s >= 0
  primal.E.topLeftCorner(e, nv) = Je;
  primal.E.bottomLeftCorner(u, nv) = Ju;
  primal.E.bottomRightCorner(u, u).diagonal().setConstant(-1.0);
  primal.e << -problem.gamma(equalities), -problem.gamma(roles.normal_unilateral);
  result.consistent = decided(engine, primal);

  ConeProgram dual = half_free_program(nv, nv + e, u);  // -M a + Je'λe + Ju'λu = F, λu >= 0
  dual.E << -unit.M, Je.transpose(), Ju.transpose();
  dual.e = unit.F;
  result.balanced = unit.definite ? Verdict::kHolds : decided(engine, dual);
  result.solvable = both(result.consistent, result.balanced);

  Eigen::MatrixXd stack(nv + e, nv);
  stack << unit.M, Je;
  const Eigen::MatrixXd unit_normals = with_unit_rows(Ju), still = null_space(stack);
  result.free_motions = static_cast<int>(still.cols());
  result.no_free_motion = only_zero(engine, without_noise(unit_normals * still));
  const bool independent = rank_of(Je) == e;
  result.mfcq = reaches(engine, unit_normals, 1.0);
  result.consistent_for_every_drift =
      independent ? reaches(engine, without_noise(unit_normals * null_space(Je)), 1.0) : Verdict::kFails;
  result.ranges_independent = meet_at_zero(engine, with_unit_rows(Je), unit_normals);
  result.no_jam = independent ? result.ranges_independent : Verdict::kFails;
  result.E_is_zero = both(result.no_free_motion, result.no_jam);

  ConeProgram drifts = half_free_program(e, nv, 0);  // Je a = -ge
  drifts.E = Je;
  drifts.e = -problem.gamma(equalities);
  const Verdict no_contradiction = independent ? Verdict::kHolds : decided(engine, drifts);
  result.c2_applies =
      both(unit.definite ? Verdict::kHolds : Verdict::kFails, both(result.ranges_independent, no_contradiction));
  return result;
}

FacetSticking facet_sticking(const ContactProblem& problem, int facets, const StickingResult& solved)
{
  problem.validate();
  FacetSticking result;
  const CertificateKind kind = solved.certificate.kind;
  const bool motion_known = solved.acceleration.size() == problem.nv() && solved.lambda.size() == problem.rows() &&
                            kind != CertificateKind::kContradiction && kind != CertificateKind::kUnbalanced;
  result.hypotheses.require(motion_known, "the MLCP is not solvable");
  if (!motion_known) return result;

  ContactProblem p = problem;
  std::vector<char> detaching(p.contacts.size(), 0);
  std::vector<int> signs(p.contacts.size(), 0);
  Eigen::VectorXd scales;
  Judge().row_scales(p, solved.acceleration, scales);
  bool limited = false, sign_in_question = false;
  for (size_t i = 0; i < p.contacts.size(); ++i) {
    Contact& contact = p.contacts[i];
    limited = limited || contact.max_normal < kInfinity;
    contact.max_normal = kInfinity;
    if (contact.side == Side::kBilateral) {
      sign_in_question = sign_in_question || contact.rows() > 1;
      signs[i] = solved.lambda[contact.row] < 0.0 ? -1 : 1;
    } else {
      const double opening = p.J.row(contact.row).dot(solved.acceleration) + p.gamma[contact.row];
      detaching[i] = opening > kSolve * scales[contact.row];
    }
  }
  result.hypotheses.require(!limited, "a contact has a largest normal force");
  result.hypotheses.require(!sign_in_question, "a bilateral contact has friction: its double cone is not convex");

  const Eigen::VectorXd load = p.M * solved.acceleration + p.F;
  MultiplierSet multipliers;
  Loads loads;
  loads.reset(p);
  loads.e = load;
  loads.e_scale = load.cwiseAbs();
  multipliers.build(p, ConeShape::inner(facets), loads, detaching);
  result.program = multipliers.arrange(loads, signs);
  result.answer = solve_facet_qp(result.program);
  result.residual = load.norm() > 0.0 ? std::sqrt(2.0 * result.answer.optimum) / load.norm() : 0.0;
  multipliers.to_lambda(result.answer.lambda, result.lambda);
  result.sticks = result.answer.outcome == Outcome::kFeasible;
  return result;
}

MinimalFriction minimal_friction(const ContactProblem& problem, StickingChecker& checker)
{
  problem.validate();
  MinimalFriction result;
  bool torsional = false;
  for (const Contact& contact : problem.contacts) torsional = torsional || contact.torsional;
  result.hypotheses.require(!torsional, "a contact has torsional friction");
  StickingOptions options;
  options.margins = true;
  options.largest_slack = false;
  // The smallest factor on a common mu; a second mu in case the first one happens to be at the boundary itself.
  for (const double mu : {1.0, 1.7}) {
    ContactProblem p = problem;
    for (Contact& contact : p.contacts) {
      if (contact.mu > 0.0) contact.torsion *= mu / contact.mu;
      if (contact.tangents > 0) contact.mu = mu;
    }
    const StickingResult answer = checker.check(p, options);
    if (answer.verdict == Verdict::kUndecided) continue;
    const CertificateKind kind = answer.certificate.kind;
    const bool unsolvable = kind == CertificateKind::kContradiction || kind == CertificateKind::kUnbalanced;
    result.hypotheses.require(!unsolvable, "the MLCP is not solvable");
    const Margin& scale = answer.friction_scale;
    result.known = unsolvable || scale.settled();
    if (scale.state == Margin::State::kKnown) result.mu = scale.upper * mu;
    return result;
  }
  return result;
}

}  // namespace stiction
