// The propositions that need linear algebra only: P1 to P6 and P12.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ask/multiplier_set.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"

namespace stiction {

using namespace internal;

namespace {

constexpr double kResidual = 1e-9;  // share of its terms below which a linear equation counts as satisfied
constexpr double kFaint = 1e-6;     // share of the largest force below which a budget is measured by that one
static_assert(kRankTolerance == internal::kRank);

bool every_contact_bilateral(const ContactProblem& p)
{
  return std::all_of(p.contacts.begin(), p.contacts.end(), [](const Contact& c) { return c.side == Side::kBilateral; });
}

/// b = A x up to rounding of the terms and of the size `scale` of the numbers that b is made of.
bool solves(const Eigen::MatrixXd& A, const Eigen::VectorXd& x, const Eigen::VectorXd& b, const Eigen::VectorXd& scale)
{
  const Eigen::VectorXd miss = (A * x - b).cwiseAbs(), size = A.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs() + scale;
  return miss.size() == 0 ||
         (miss.array() <= kResidual * std::max(size.maxCoeff(), std::numeric_limits<double>::min())).all();
}

/// Ranks by QR and eigenvalues; compatibility by least squares.
KktStructure kkt_structure(const UnitMass& unit, const Eigen::MatrixXd& J, const Eigen::VectorXd& gamma)
{
  KktStructure s;
  const auto nv = unit.M.rows();
  s.rank_mass = static_cast<int>((unit.mass_eigenvalues().array() > kRankTolerance).count());
  s.rank_rows = rank_of(J);
  Eigen::MatrixXd stack(nv + J.rows(), nv);
  stack << unit.M, J;
  s.free_motions = static_cast<int>(nv - rank_of(stack));
  s.acceleration_unique = s.free_motions == 0;
  s.forces_unique = s.rank_rows == J.rows();
  const Eigen::VectorXd a = least_norm(J, -gamma), x = least_norm(stack.transpose(), unit.F);
  s.consistent = solves(J, a, -gamma, Eigen::VectorXd::Zero(J.rows()));
  s.balanced = s.acceleration_unique || solves(stack.transpose(), x, unit.F, Eigen::VectorXd::Zero(nv));
  return s;
}

/// (22) for every contact: utilisations, and whether all are within their cones to rounding.
bool within_cones(const ContactProblem& p, const Eigen::VectorXd& lambda, std::vector<double>& utilisations)
{
  bool within = true;
  utilisations.clear();
  const double scale = lambda.size() > 0 ? lambda.lpNorm<Eigen::Infinity>() : 0.0;
  for (const Contact& contact : p.contacts) {
    const double* f = lambda.data() + contact.row;
    FrictionCone cone = internal::friction_cone(contact, ConeShape::exact());
    utilisations.push_back(utilisation(cone, lambda.segment(contact.row, contact.rows())));
    double pressing = std::abs(f[0]);
    if (contact.side == Side::kUnilateral) {
      within = within && f[0] >= -kRounding * scale;
      pressing = std::max(f[0], 0.0);
    }
    const double slip = Eigen::Map<const Eigen::VectorXd>(f + 1, contact.tangents).norm();
    within = within && slip <= contact.mu * pressing + kRounding * scale && pressing <= contact.max_normal;
    if (contact.torsional)
      within = within && std::abs(f[1 + contact.tangents]) <= contact.torsion * pressing + kRounding * scale;
  }
  return within;
}

/// ½|w|² + (L⁻¹F̂)'w in whitened accelerations w: equality rows project, what is left of the normals makes Ac.
void reduce_to_normals(const ContactProblem& p, const UnitMass& unit, const std::vector<int>& equalities,
                       ContactLcp& lcp)
{
  const Eigen::MatrixXd X = unit.whitened(rows_of(unit.J, equalities).transpose());
  const Eigen::MatrixXd Y = unit.whitened(rows_of(unit.J, lcp.normals).transpose());
  const Eigen::VectorXd f = unit.whitened(unit.F);
  const Eigen::MatrixXd Z = null_space(X.transpose());
  const Eigen::MatrixXd free = Z.transpose() * Y;  // the part of each normal that no equality row blocks
  const Eigen::VectorXd w = least_norm(X.transpose(), -p.gamma(equalities));
  lcp.Ac = free.transpose() * free;
  lcp.Hc = p.gamma(lcp.normals) - free.transpose() * (Z.transpose() * f) + Y.transpose() * w;
  if (lcp.normals.empty()) {
    lcp.unique_for_all_data = true;
    return;
  }
  lcp.smallest_eigenvalue = symmetric_eigenvalues(lcp.Ac)[0];
  // Relative to the whole normal, so that a normal inside the span of the equality rows counts as lost.
  Eigen::MatrixXd share = free;
  for (Eigen::Index j = 0; j < share.cols(); ++j) {
    const double size = Y.col(j).norm();
    if (size > 0.0) share.col(j) /= size;
  }
  if (share.rows() > 0) lcp.rank = static_cast<int>((singular_values(share).array() > kRankTolerance).count());
  lcp.unique_for_all_data = lcp.rank == static_cast<int>(lcp.normals.size());
}

}  // namespace

BilateralKkt bilateral_kkt(const ContactProblem& problem)
{
  problem.validate();
  BilateralKkt result;
  const RowRoles roles = row_roles(problem);
  result.hypotheses.require(roles.normal_unilateral.empty(), "a contact is unilateral");
  const UnitMass unit(problem);
  std::vector<int> rows = roles.normal_bilateral;
  rows.insert(rows.end(), roles.tangential_bilateral.begin(), roles.tangential_bilateral.end());
  result.structure = kkt_structure(unit, rows_of(unit.J, rows), problem.gamma(rows));
  return result;
}

BilateralSticking bilateral_sticking(const ContactProblem& problem)
{
  problem.validate();
  BilateralSticking result;
  const UnitMass unit(problem);
  result.hypotheses.require(every_contact_bilateral(problem), "a contact is unilateral");
  result.hypotheses.require(unit.definite, "M is singular");
  result.hypotheses.require(rank_of(unit.J) == problem.rows(), "rows of J are dependent");
  if (!unit.definite) return result;
  const Eigen::MatrixXd X = unit.whitened(unit.J.transpose());
  const Eigen::VectorXd f = unit.whitened(unit.F);
  result.G = X.transpose() * X;
  // X'X λ = X'f - gamma without forming X'X: λ = X†(f + v), v the shortest vector with X'v = -gamma.
  result.lambda = least_norm(X, f + least_norm(X.transpose(), -problem.gamma));
  const Eigen::VectorXd w = X * result.lambda - f;
  result.acceleration = unit.S.cwiseProduct(Eigen::VectorXd(solve_lower_transposed(unit.L, w)));
  result.sticks = within_cones(problem, result.lambda, result.utilisation);
  return result;
}

BilateralStatics bilateral_statics(const ContactProblem& problem)
{
  problem.validate();
  BilateralStatics result;
  const UnitMass unit(problem);
  result.hypotheses.require(every_contact_bilateral(problem), "a contact is unilateral");
  result.hypotheses.require(rank_of(unit.J) == problem.rows(), "rows of J are dependent");
  result.hypotheses.require(problem.gamma.isZero(0.0), "gamma is not zero (the system moves)");
  result.lambda = least_norm(unit.J.transpose(), unit.F);
  result.hypotheses.require(solves(unit.J.transpose(), result.lambda, unit.F, Eigen::VectorXd::Zero(problem.nv())),
                            "no contact forces balance F at rest");
  result.sticks = within_cones(problem, result.lambda, result.utilisation);
  return result;
}

Persistence persistence(const ContactProblem& problem, const Eigen::VectorXd& lambda)
{
  problem.validate();
  if (lambda.size() != problem.rows() || !lambda.allFinite())
    throw InputError("lambda", "want " + std::to_string(problem.rows()) + " finite forces, got " +
                                   std::to_string(lambda.size()) + (lambda.allFinite() ? "" : " with non-finite ones"));
  Persistence result;
  const double scale = lambda.size() > 0 ? lambda.lpNorm<Eigen::Infinity>() : 0.0;
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const double* f = lambda.data() + contact.row;
    const double pressing = contact.side == Side::kBilateral ? std::abs(f[0]) : f[0];
    // What is left of each budget; a guide without tangential rows has none to exceed.
    double room = contact.side == Side::kUnilateral ? pressing : kInfinity;
    const double slip = Eigen::Map<const Eigen::VectorXd>(f + 1, contact.tangents).norm();
    if (contact.tangents > 0) room = std::min(room, contact.mu * pressing - slip);
    if (contact.torsional) room = std::min(room, contact.torsion * pressing - std::abs(f[1 + contact.tangents]));
    room = std::min(room, contact.max_normal - pressing);
    const double budget = std::abs(f[0]) * std::max(contact.mu, contact.torsion);
    const double rounding = internal::kRimShare * std::max({budget, slip, kFaint * scale});
    auto& list = room > rounding ? result.strict : (room >= -rounding ? result.rim : result.violated);
    list.push_back(static_cast<int>(i));
  }
  result.hypotheses.require(result.violated.empty(), "a force is outside its friction cone");
  result.persists = result.rim.empty() && result.violated.empty();
  return result;
}

MinimumNormForces minimum_norm_forces(const ContactProblem& problem)
{
  problem.validate();
  MinimumNormForces result;
  const UnitMass unit(problem);
  result.structure = kkt_structure(unit, unit.J, problem.gamma);
  result.hypotheses.require(result.structure.consistent, "rows of J contradict each other");
  result.hypotheses.require(result.structure.balanced, "nothing can balance F");
  // a = a0 + Z u: the constraints fix a0, M on their null space fixes Z u up to ker M.
  const Eigen::VectorXd a0 = least_norm(unit.J, -problem.gamma);
  const Eigen::MatrixXd Z = null_space(unit.J);
  const Eigen::VectorXd a = a0 + Z * least_norm(Z.transpose() * unit.M * Z, -Z.transpose() * (unit.F + unit.M * a0));
  result.acceleration = unit.S.cwiseProduct(a);
  result.lambda = least_norm(unit.J.transpose(), unit.M * a + unit.F);
  return result;
}

ContactLcp contact_lcp(const ContactProblem& problem)
{
  problem.validate();
  ContactLcp result;
  const UnitMass unit(problem);
  const RowRoles roles = row_roles(problem);
  result.hypotheses.require(unit.definite, "M is singular");
  result.hypotheses.require(roles.normal_bilateral.empty(), "a contact or closure is bilateral (see P12)");
  const Eigen::MatrixXd tangents = rows_of(unit.J, roles.tangential_unilateral);
  result.hypotheses.require(rank_of(tangents) == tangents.rows(), "tangential rows are dependent");
  result.normals = roles.normal_unilateral;
  if (unit.definite) reduce_to_normals(problem, unit, equality_rows(roles), result);
  return result;
}

MixedContactLcp mixed_contact_lcp(const ContactProblem& problem)
{
  problem.validate();
  MixedContactLcp result;
  const UnitMass unit(problem);
  const RowRoles roles = row_roles(problem);
  const std::vector<int> equalities = equality_rows(roles);
  result.hypotheses.require(unit.definite, "M is singular");
  result.hypotheses.require(rank_of(rows_of(unit.J, equalities)) == static_cast<int>(equalities.size()),
                            "bilateral and tangential rows are dependent");
  result.normals = roles.normal_unilateral;
  if (!unit.definite) return result;
  reduce_to_normals(problem, unit, equalities, result);

  const Eigen::MatrixXd X = unit.whitened(rows_of(unit.J, equalities).transpose());
  const Eigen::MatrixXd Y = unit.whitened(rows_of(unit.J, result.normals).transpose());
  double largest = 1.0;
  result.separation = 1.0;
  for (const Eigen::MatrixXd* rows : {&X, &Y}) {
    if (rows->cols() == 0) continue;
    const Eigen::VectorXd sigma = singular_values(rows->transpose() * *rows);
    result.separation *= sigma[sigma.size() - 1];
    largest *= sigma[0];
  }
  if (X.cols() > 0 && Y.cols() > 0) result.coupling = std::pow(singular_values(Y.transpose() * X)[0], 2);
  result.bound_holds = result.coupling < result.separation - internal::kProductRounding * largest;
  return result;
}

}  // namespace stiction
