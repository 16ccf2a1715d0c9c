// The paper's MLCPs as matrices: (43), (62), (65a), (73), (74) and, with polygons for disks, (54)–(58).
#include "stiction/paper/mlcp.hpp"

#include <algorithm>
#include <cmath>

#include "ask/internal_forces.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"

namespace stiction {

using namespace internal;

namespace {

/// Rows of J that an MLCP has, in the order of the paper, and which contact each is a normal of (-1: none).
struct MlcpRows {
  std::vector<int> rows;
  std::vector<MlcpRole> roles;
  int equalities = 0;

  void add(const std::vector<int>& more, MlcpRole role)
  {
    rows.insert(rows.end(), more.begin(), more.end());
    roles.insert(roles.end(), more.size(), role);
  }
};

void require_slips(const ContactProblem& problem, const SlipDirections& slips)
{
  if (!slips.empty() && slips.size() != problem.contacts.size())
    throw InputError("slides", "want one entry per contact, got " + std::to_string(slips.size()));
  for (std::size_t i = 0; i < slips.size(); ++i) {
    if (!slips[i]) continue;
    const Contact& contact = problem.contacts[i];
    const std::string path = "slides[" + std::to_string(i) + "]";
    if (contact.side == Side::kBilateral && contact.mu > 0.0)
      throw InputError(path, "want a unilateral contact or one without friction: mu |λn| is not linear, got bilateral");
    if (contact.torsional) throw InputError(path, "want a contact without torsion, got one with");
    const bool planar = contact.tangents == 2 || slips[i]->y() == 0.0;
    if (contact.tangents > 0 && !(planar && std::abs(slips[i]->norm() - 1.0) <= kUnitRounding))
      throw InputError(path, "want a unit vector along the tangents, got another");
  }
}

MlcpRows mlcp_rows(const ContactProblem& problem, const SlipDirections& slips)
{
  RowRoles roles = row_roles(problem);
  for (std::size_t i = 0; i < slips.size(); ++i) {
    if (!slips[i]) continue;
    const Contact& contact = problem.contacts[i];
    const auto slides = [&](int row) { return row > contact.row && row < contact.row + contact.rows(); };
    std::erase_if(roles.tangential_bilateral, slides);
    std::erase_if(roles.tangential_unilateral, slides);
  }
  MlcpRows result;
  result.add(roles.normal_bilateral, MlcpRole::kNormalBilateral);
  result.add(roles.tangential_bilateral, MlcpRole::kTangentialBilateral);
  result.add(roles.tangential_unilateral, MlcpRole::kTangentialUnilateral);
  result.equalities = static_cast<int>(result.rows.size());
  result.add(roles.normal_unilateral, MlcpRole::kNormalUnilateral);
  return result;
}

/// What one newton of each multiplier does: J', and Jn' - mu Jt'd for a contact that slides along d (73).
Eigen::MatrixXd forces_per_multiplier(const Eigen::MatrixXd& J, const ContactProblem& problem,
                                      const SlipDirections& slips, const std::vector<int>& rows)
{
  Eigen::MatrixXd forces = J.transpose();
  for (std::size_t i = 0; i < slips.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    for (int k = 0; slips[i] && k < contact.tangents; ++k)
      forces.col(contact.row) -= contact.mu * (*slips[i])[k] * J.row(contact.row + 1 + k).transpose();
  }
  return forces(Eigen::all, rows);
}

std::vector<MlcpVariable> variables_of(const ContactProblem& problem, const MlcpRows& held, std::size_t first)
{
  const std::vector<std::string> names = row_labels(problem);
  std::vector<MlcpVariable> variables;
  for (std::size_t k = first; k < held.rows.size(); ++k)
    variables.push_back({names[static_cast<std::size_t>(held.rows[k])], held.roles[k], held.rows[k]});
  return variables;
}

Mlcp full_mlcp(const ContactProblem& problem, const MlcpRows& held, const Eigen::MatrixXd& push)
{
  const auto nv = problem.nv(), rows = static_cast<Eigen::Index>(held.rows.size());
  Mlcp mlcp;
  mlcp.Q.setZero(nv + rows, nv + rows);
  mlcp.Q.topLeftCorner(nv, nv) = problem.M;
  mlcp.Q.topRightCorner(nv, rows).array() -= push.array();  // not -push: zeros stay 0
  mlcp.Q.bottomLeftCorner(rows, nv) = problem.J(held.rows, Eigen::all);
  mlcp.q.resize(nv + rows);
  mlcp.q << problem.F, problem.gamma(held.rows);
  mlcp.equalities = static_cast<int>(nv) + held.equalities;
  for (Eigen::Index i = 0; i < nv; ++i) {
    const bool named = static_cast<Eigen::Index>(problem.dof_names.size()) == nv;
    mlcp.variables.push_back({named ? problem.dof_names[static_cast<std::size_t>(i)] : "v" + std::to_string(i),
                              MlcpRole::kAcceleration, static_cast<int>(i)});
  }
  for (MlcpVariable& variable : variables_of(problem, held, 0)) mlcp.variables.push_back(std::move(variable));
  return mlcp;
}

double without_rounding(double value, double rounding) { return std::abs(value) <= rounding ? 0.0 : value; }

/// Half-spaces of |f_t| <= 1 newton's worth of friction: C z + D >= 0 for the tangential and torsion rows of a contact.
void append_polygon(const Contact& contact, const ConeShape& shape, Eigen::Index column, Eigen::MatrixXd& C,
                    Eigen::VectorXd& D)
{
  const auto add = [&](Eigen::Index entry, double coefficient, double room) {
    C.conservativeResize(C.rows() + 1, Eigen::NoChange);
    C.bottomRows(1).setZero();
    C(C.rows() - 1, column + entry) = coefficient;
    D.conservativeResize(C.rows());
    D[C.rows() - 1] = room;
  };
  if (contact.tangents == 2 && shape.approximation == ConeApproximation::kExact && contact.mu > 0.0)
    throw InputError("shape",
                     "want inner or outer facets for " + contact.name + ", whose friction disk is round, got exact");
  if (contact.tangents == 2 && shape.approximation != ConeApproximation::kExact) {
    Eigen::MatrixX2d sides;
    Eigen::VectorXd room;
    polygon_halfspaces(friction_cone(contact, shape), sides, room);
    for (Eigen::Index k = 0; k < room.size(); ++k) {
      add(0, sides(k, 0), room[k]);
      C(C.rows() - 1, column + 1) = sides(k, 1);
    }
  } else {
    for (int t = 0; t < contact.tangents; ++t)
      for (const double side : {1.0, -1.0}) add(t, side, contact.mu);
  }
  if (contact.torsional)
    for (const double side : {1.0, -1.0}) add(contact.tangents, side, contact.torsion);
}

/// λn of (53) and, for bilateral normals and closures, of the equality rows; false: not unique or not found.
bool fix_normals(const ContactProblem& problem, const UnitMass& unit, FacetMlcp& result)
{
  const MixedContactLcp lcp = mixed_contact_lcp(problem);
  const RowRoles roles = row_roles(problem);
  const std::vector<int> equalities = equality_rows(roles);
  const Eigen::MatrixXd Je = rows_of(unit.J, equalities);
  result.hypotheses.require(lcp.unique_for_all_data,
                            "normal forces of unilateral contacts are not unique (Ac is singular)");
  // λnb + Δ is as good where Jnb'Δ + Jt'(…) = 0
  const Eigen::MatrixXd internal_forces = null_space(with_unit_rows(Je).transpose());
  const auto bilateral = static_cast<Eigen::Index>(roles.normal_bilateral.size());
  result.hypotheses.require(internal_forces.cols() == 0 || bilateral == 0 ||
                                internal_forces.topRows(bilateral).cwiseAbs().maxCoeff() <= kNoShare,
                            "normal forces of bilateral contacts or closures are not unique");
  const Eigen::VectorXd least = least_norm(Je, -problem.gamma(equalities));
  const Eigen::VectorXd miss = Je * least + problem.gamma(equalities);
  result.hypotheses.require(
      miss.size() == 0 ||
          miss.lpNorm<Eigen::Infinity>() <= kRankTolerance * (kTiny + problem.gamma.lpNorm<Eigen::Infinity>()) * 10,
      "bilateral and tangential rows contradict each other");
  if (!result.hypotheses.hold()) return false;
  const std::optional<Eigen::VectorXd> pressing = project_positive(lcp.Ac, lcp.Hc);
  result.hypotheses.require(pressing.has_value(), "the projection (53) was not found");
  if (!pressing) return false;
  for (std::size_t k = 0; k < lcp.normals.size(); ++k)
    result.lambda_n[lcp.normals[k]] = (*pressing)[static_cast<Eigen::Index>(k)];
  // X'(X λe + Y λn - f) + γe = 0 in whitened accelerations; only λnb of it is kept.
  const Eigen::MatrixXd X = unit.whitened(Je.transpose());
  const Eigen::VectorXd f = unit.whitened(unit.F - rows_of(unit.J, lcp.normals).transpose() * *pressing);
  const Eigen::VectorXd held = least_norm(X, f + least_norm(X.transpose(), -problem.gamma(equalities)));
  for (Eigen::Index k = 0; k < bilateral; ++k) result.lambda_n[equalities[static_cast<std::size_t>(k)]] = held[k];
  return true;
}

}  // namespace

double Mlcp::violation(const Eigen::VectorXd& z) const
{
  if (z.size() != q.size()) throw InputError("z", "want " + std::to_string(q.size()) + " unknowns, got another number");
  const Eigen::VectorXd w = Q * z + q, size = Q.cwiseAbs() * z.cwiseAbs() + q.cwiseAbs();
  double largest = 0.0, force = 0.0;
  for (Eigen::Index i = equalities; i < z.size(); ++i) force = std::max(force, std::abs(z[i]));
  // What a row of accelerations is compared with: rows of contacts at rest may be sums of nothing.
  const double scale = size.size() > 0 ? size.maxCoeff() : 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double row = w[i] / std::max({size[i], kProductRounding * scale, kTiny});
    if (i < equalities)
      largest = std::max(largest, std::abs(row));
    else
      largest = std::max(largest, std::abs(std::min(z[i] / std::max(force, kTiny), row)));
  }
  return largest;
}

StickingMlcp sticking_mlcp(const ContactProblem& problem, const SlipDirections& slips)
{
  problem.validate();
  require_slips(problem, slips);
  const MlcpRows held = mlcp_rows(problem, slips);
  StickingMlcp result;
  result.full = full_mlcp(problem, held, forces_per_multiplier(problem.J, problem, slips, held.rows));

  const UnitMass unit(problem);
  result.hypotheses.require(unit.definite, "M is singular");
  if (!unit.definite) return result;
  const auto rows = static_cast<Eigen::Index>(held.rows.size());
  const Eigen::MatrixXd push = unit.whitened(forces_per_multiplier(unit.J, problem, slips, held.rows));
  const Eigen::MatrixXd read = unit.whitened(rows_of(unit.J, held.rows).transpose());
  const Eigen::VectorXd f = unit.whitened(unit.F), gamma = problem.gamma(held.rows);
  Mlcp& forces = result.forces.emplace();
  forces.Q = read.transpose() * push;
  forces.q = gamma - read.transpose() * f;
  forces.equalities = held.equalities;
  forces.variables = variables_of(problem, held, 0);

  // Equality rows project; what is left of the normals makes Ac.
  const Eigen::Index equalities = held.equalities, normals = rows - equalities;
  const Eigen::MatrixXd X = read.leftCols(equalities), Y = read.rightCols(normals);
  const Eigen::MatrixXd free = null_space(X.transpose());
  const Eigen::VectorXd drift = least_norm(X.transpose(), -gamma.head(equalities));
  Mlcp& lcp = result.normals.emplace();
  lcp.Q = (free.transpose() * Y).transpose() * (free.transpose() * push.rightCols(normals));
  lcp.q = gamma.tail(normals) - (free.transpose() * Y).transpose() * (free.transpose() * f) + Y.transpose() * drift;
  lcp.variables = variables_of(problem, held, static_cast<std::size_t>(equalities));
  for (Eigen::Index i = 0; i < normals; ++i) {  // a normal inside the span of the held rows leaves rounding only
    const double reach = kProductRounding * Y.col(i).norm();
    for (Eigen::Index j = 0; j < normals; ++j)
      lcp.Q(i, j) = without_rounding(lcp.Q(i, j), reach * push.col(equalities + j).norm());
    lcp.q[i] = without_rounding(lcp.q[i], reach * (f.norm() + drift.norm()));
  }
  return result;
}

FacetMlcp facet_mlcp(const ContactProblem& problem, const ConeShape& shape)
{
  problem.validate();
  FacetMlcp result;
  const UnitMass unit(problem);
  std::vector<int> tangents;
  std::vector<MlcpVariable> ratios, sides;
  const std::vector<std::string> names = row_labels(problem);
  std::vector<int> pressing;  // per tangential row: the normal row whose force it is multiplied by
  for (const Contact& contact : problem.contacts)
    for (int k = 1; k < contact.rows(); ++k) {
      tangents.push_back(contact.row + k);
      pressing.push_back(contact.row);
      ratios.push_back({names[static_cast<std::size_t>(contact.row + k)], MlcpRole::kFrictionRatio, contact.row + k});
    }
  const auto count = static_cast<Eigen::Index>(tangents.size());
  result.C.resize(0, count);
  Eigen::Index column = 0;
  bool limited = false;
  for (const Contact& contact : problem.contacts) {
    const Eigen::Index before = result.C.rows();
    append_polygon(contact, shape, column, result.C, result.D);
    column += contact.rows() - 1;
    for (Eigen::Index k = before; k < result.C.rows(); ++k)
      sides.push_back(
          {contact.name + " side " + std::to_string(k - before), MlcpRole::kFacet, static_cast<int>(k - before)});
    limited = limited || contact.max_normal < kInfinity;
  }
  result.lambda_n = Eigen::VectorXd::Zero(problem.rows());
  result.hypotheses.require(unit.definite, "M is singular");
  result.hypotheses.require(!limited, "a contact has a largest normal force");
  if (!unit.definite || !fix_normals(problem, unit, result)) return result;

  const Eigen::MatrixXd T = unit.whitened(rows_of(unit.J, tangents).transpose());
  const Eigen::VectorXd normals = unit.whitened(unit.J.transpose() * result.lambda_n), load = unit.whitened(unit.F);
  result.A = T.transpose() * T;
  for (Eigen::Index j = 0; j < count; ++j)
    result.A.col(j) *= std::abs(result.lambda_n[pressing[static_cast<std::size_t>(j)]]);
  const Eigen::VectorXd gamma = problem.gamma(tangents);
  result.F = T.transpose() * (normals - load) + gamma;
  for (Eigen::Index j = 0; j < count; ++j)
    result.scale = std::max(result.scale, T.col(j).norm() * (normals.norm() + load.norm()) + std::abs(gamma[j]));

  const Eigen::Index facets = result.C.rows();
  Mlcp& mlcp = result.mlcp;
  mlcp.Q.setZero(count + facets, count + facets);
  mlcp.Q.topLeftCorner(count, count) = result.A.transpose() * result.A;
  mlcp.Q.topRightCorner(count, facets) -= result.C.transpose();
  mlcp.Q.bottomLeftCorner(facets, count) = result.C;
  mlcp.q.resize(count + facets);
  mlcp.q << result.A.transpose() * result.F, result.D;
  mlcp.equalities = static_cast<int>(count);
  mlcp.variables = std::move(ratios);
  mlcp.variables.insert(mlcp.variables.end(), sides.begin(), sides.end());
  return result;
}

Eigen::VectorXd FacetMlcp::forces(const Eigen::VectorXd& z) const
{
  if (z.size() != mlcp.equalities)
    throw InputError("z", "want " + std::to_string(mlcp.equalities) + " ratios, got " + std::to_string(z.size()));
  Eigen::VectorXd lambda = lambda_n;
  double pressing = 0.0;
  int last = -2;
  for (Eigen::Index j = 0; j < z.size(); ++j) {  // tangential rows follow the normal of their contact
    const int row = mlcp.variables[static_cast<std::size_t>(j)].index;
    if (row != last + 1) pressing = std::abs(lambda_n[row - 1]);
    lambda[row] = pressing * z[j];
    last = row;
  }
  return lambda;
}

FacetMlcpAnswer solve_facet_mlcp(const FacetMlcp& problem, double tolerance)
{
  FacetMlcpAnswer answer;
  if (!problem.hypotheses.hold()) return answer;
  const PolygonQpAnswer found = solve_polygon_qp(problem.A, problem.F, problem.C, problem.D);
  answer.solved = found.solved;
  answer.z = found.z;
  answer.multipliers = found.multipliers;
  const double miss = (problem.A * answer.z + problem.F).norm();
  answer.optimum = 0.5 * miss * miss;
  answer.residual = problem.scale > 0.0 ? miss / problem.scale : 0.0;
  answer.sticks = answer.solved && answer.residual <= tolerance;
  return answer;
}

std::vector<std::string> row_labels(const ContactProblem& problem)
{
  static const char* const kParts[] = {" x", " y", " z", " about x", " about y", " about z"};
  const bool planar = std::any_of(problem.contacts.begin(), problem.contacts.end(),
                                  [](const Contact& contact) { return contact.tangents == 1; });
  std::vector<std::string> names(static_cast<std::size_t>(problem.rows()));
  for (const Contact& contact : problem.contacts)
    for (int k = 0; k < contact.rows(); ++k)
      names[static_cast<std::size_t>(contact.row + k)] =
          contact.name + (k == 0                  ? " normal"
                          : k <= contact.tangents ? " t" + std::to_string(k)
                                                  : " torsion");
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k)
      names[static_cast<std::size_t>(closure.row + k)] =
          closure.name + (closure.rows == 1            ? ""
                          : planar || closure.rows > 6 ? " " + std::to_string(k)
                                                       : kParts[k]);
  return names;
}

}  // namespace stiction
