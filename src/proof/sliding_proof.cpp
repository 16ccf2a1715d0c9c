#include "stiction/sliding_proof.hpp"

#include <algorithm>
#include <cmath>

#include "problem/linear_algebra.hpp"
#include "proof/sign_cover.hpp"
#include "proof/sliding_program.hpp"
#include "proof/sums.hpp"

namespace stiction {

using internal::refuse;
using internal::SlidingColumns;
using internal::sticks;
using internal::Sum;

namespace internal {

bool has_choice(const Contact& contact, const std::optional<Eigen::Vector2d>& slip)
{
  if (contact.side == Side::kUnilateral) return true;
  const bool friction = contact.mu > 0.0 && contact.tangents > 0;
  return friction || (!slip && contact.torsional && contact.torsion > 0.0);
}

void write_sliding_program(const ContactProblem& p, const SlipDirections& slips, const std::vector<int>& signs,
                           ConeProgram& program, SlidingColumns& columns)
{
  const Eigen::Index nv = p.nv();
  const auto count = p.contacts.size();
  // Prescribed rows of J: normals, tangents and torsion of contacts that stick, closures.
  std::vector<int> rows;
  std::vector<int> normal_at(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Contact& c = p.contacts[i];
    normal_at[i] = static_cast<int>(nv) + static_cast<int>(rows.size());
    const int prescribed = sticks(c, slips[i]) ? c.rows() : 1;
    for (int k = 0; k < prescribed; ++k) rows.push_back(c.row + k);
  }
  for (const Closure& c : p.closures)
    for (int k = 0; k < c.rows; ++k) rows.push_back(c.row + k);

  columns.push.assign(count, -1);
  columns.pull.assign(count, -1);
  columns.separation.assign(count, -1);
  columns.closure.clear();
  program.cones.clear();
  program.boxes.clear();
  program.free.clear();
  int next = static_cast<int>(nv);
  for (int j = 0; j < next; ++j) program.free.push_back(j);
  for (std::size_t i = 0; i < count; ++i) {
    const Contact& c = p.contacts[i];
    const bool unilateral = c.side == Side::kUnilateral, choice = has_choice(c, slips[i]);
    const auto add_force = [&](double sign) {
      const int column = next;
      if (sticks(c, slips[i]) && choice) {
        program.cones.push_back({column, {c.tangents, c.torsional, c.mu, c.torsion, sign, ConeShape::exact()}});
        next += c.rows();
      } else {
        if (choice)
          program.boxes.push_back({column, 0.0, kInfinity});
        else
          program.free.push_back(column);
        ++next;
      }
      return column;
    };
    if (!choice || signs[i] >= 0) columns.push[i] = add_force(1.0);
    if (choice && !unilateral && signs[i] <= 0) columns.pull[i] = add_force(-1.0);
    if (unilateral && signs[i] <= 0) {
      columns.separation[i] = next;
      program.boxes.push_back({next++, 0.0, kInfinity});
    }
  }
  for (const Closure& c : p.closures) {
    columns.closure.push_back(next);
    for (int k = 0; k < c.rows; ++k) program.free.push_back(next++);
  }

  program.E.setZero(nv + static_cast<Eigen::Index>(rows.size()), next);
  program.e.resize(program.E.rows());
  program.e_scale.resize(0);
  program.E.topLeftCorner(nv, nv) = p.M;
  program.e.head(nv) = -p.F;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    program.E.row(nv + static_cast<Eigen::Index>(r)).head(nv) = p.J.row(rows[r]);
    program.e[nv + static_cast<Eigen::Index>(r)] = -p.gamma[rows[r]];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Contact& c = p.contacts[i];
    const bool cone = sticks(c, slips[i]) && has_choice(c, slips[i]);
    // M a - J'λ = -F. One that slides: λn J_n' + λt'J_t with λt = -mu |λn| d, where |λn| is the column's unknown.
    const auto write_force = [&](int column, double sign) {
      if (column < 0) return;
      if (cone) {
        for (int k = 0; k < c.rows(); ++k) program.E.col(column + k).head(nv) = -p.J.row(c.row + k).transpose();
        return;
      }
      auto force = program.E.col(column).head(nv);
      force = -sign * p.J.row(c.row).transpose();
      if (!slips[i] || c.mu == 0.0) return;
      const Eigen::Vector2d d = slips[i]->normalized();
      for (int k = 0; k < c.tangents; ++k) force += c.mu * d[k] * p.J.row(c.row + 1 + k).transpose();
    };
    write_force(columns.push[i], 1.0);
    write_force(columns.pull[i], -1.0);
    if (columns.separation[i] >= 0) program.E(normal_at[i], columns.separation[i]) = -1.0;
  }
  for (std::size_t i = 0; i < p.closures.size(); ++i)
    for (int k = 0; k < p.closures[i].rows; ++k)
      program.E.col(columns.closure[i] + k).head(nv) = -p.J.row(p.closures[i].row + k).transpose();
}

void sliding_forces(const ContactProblem& p, const SlipDirections& slips, const SlidingColumns& columns,
                    const Eigen::VectorXd& x, Eigen::VectorXd& lambda)
{
  lambda.setZero(p.rows());
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    if (sticks(c, slips[i]) && has_choice(c, slips[i])) {
      for (const int column : {columns.push[i], columns.pull[i]})
        if (column >= 0) lambda.segment(c.row, c.rows()) += x.segment(column, c.rows());
      continue;
    }
    const double push = columns.push[i] >= 0 ? x[columns.push[i]] : 0.0;
    const double pull = columns.pull[i] >= 0 ? x[columns.pull[i]] : 0.0;
    lambda[c.row] = push - pull;
    if (!slips[i]) continue;
    const Eigen::Vector2d d = slips[i]->normalized();
    lambda.segment(c.row + 1, c.tangents) = -c.mu * std::abs(lambda[c.row]) * d.head(c.tangents);
  }
  for (std::size_t i = 0; i < p.closures.size(); ++i)
    lambda.segment(p.closures[i].row, p.closures[i].rows) = x.segment(columns.closure[i], p.closures[i].rows);
}

Determined determined(const ConeProgram& program, Eigen::Index nv)
{
  constexpr double kRank = 1e-11, kLeft = 1e-9;
  // Rows and columns brought to like sizes: ranks must not depend on units.
  Eigen::MatrixXd E = program.E;
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (auto row : E.rowwise())
      if (const double size = row.size() > 0 ? row.cwiseAbs().maxCoeff() : 0.0; size > 0.0) row /= std::sqrt(size);
    for (auto column : E.colwise())
      if (const double size = column.size() > 0 ? column.cwiseAbs().maxCoeff() : 0.0; size > 0.0)
        column /= std::sqrt(size);
  }
  Determined result;
  if (E.cols() == 0) return {true, true};
  if (E.rows() == 0) return result;
  const Eigen::MatrixXd inverse = internal::LeastNorm(E, kRank).solve(Eigen::MatrixXd::Identity(E.rows(), E.rows()));
  const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(E.cols(), E.cols()) - inverse * E;   // onto the null space
  // |I - R E| < 1 shows full column rank whatever R is, rounding of R included.
  result.everything = left.cwiseAbs().rowwise().sum().maxCoeff() < 0.5;
  result.acceleration = result.everything || nv == 0 || left.topRows(nv).cwiseAbs().maxCoeff() < kLeft;
  return result;
}

bool same_solution(const ContactProblem& p, const SlipDirections& slips, const SlidingWitness& one,
                   const SlidingWitness& other)
{
  constexpr double kSame = 1e-7;
  const double largest = p.nv() > 0 ? p.M.diagonal().maxCoeff() : 0.0;
  const auto inertia = [&](Eigen::Index j) { return p.M(j, j) > 0.0 ? p.M(j, j) : largest > 0.0 ? largest : 1.0; };
  const Eigen::VectorXd load_one = p.M * one.a + p.F, load_other = p.M * other.a + p.F;
  double squares = 0.0;
  for (Eigen::Index j = 0; j < p.nv(); ++j) {
    const double load = std::max({std::abs(load_one[j]), std::abs(load_other[j]), std::abs(p.F[j])});
    squares += load * load / inertia(j);
  }
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (std::abs(one.a[j] - other.a[j]) > kSame * (std::sqrt(squares / inertia(j)) + std::abs(one.a[j]))) return false;
  return proves_sliding_solution(p, slips, 0.5 * (one.a + other.a), 0.5 * (one.lambda + other.lambda));
}

}  // namespace internal

namespace {

/// What the laws are compared with: sizes of loads and of the accelerations they would cause (see Judge::row_scales).
struct SlidingScales {
  Eigen::VectorXd balance;        // tolerance of each equation of motion
  Eigen::VectorXd u, u_tolerance; // J a + gamma, and what counts as zero there
  bool balanced = true;
  Eigen::Index worst = 0;

  SlidingScales(const ContactProblem& p, const Eigen::VectorXd& a, const Eigen::VectorXd& lambda)
      : balance(p.nv()), u(p.rows()), u_tolerance(p.rows())
  {
    const double largest = p.nv() > 0 ? p.M.diagonal().maxCoeff() : 0.0;
    const auto inertia = [&](Eigen::Index j) { return p.M(j, j) > 0.0 ? p.M(j, j) : largest > 0.0 ? largest : 1.0; };
    std::vector<Sum> rest(static_cast<std::size_t>(p.nv()));
    double squares = 0.0;
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      Sum& sum = rest[static_cast<std::size_t>(j)];
      for (Eigen::Index k = 0; k < p.nv(); ++k) sum.add(p.M(j, k), a[k]);
      sum.add(p.F[j]);
      const double load = std::max(std::abs(static_cast<double>(sum.value)), std::abs(p.F[j]));
      squares += load * load / inertia(j);
      for (Eigen::Index i = 0; i < p.rows(); ++i) sum.add(-p.J(i, j), lambda[i]);
    }
    for (Eigen::Index j = 0; j < p.nv(); ++j) {
      const Sum& sum = rest[static_cast<std::size_t>(j)];
      const double load_cap = kSolve * std::sqrt(squares * inertia(j));
      balance[j] = std::min(kRounding * static_cast<double>(sum.scale), load_cap);
      if (std::abs(sum.value) <= balance[j]) continue;
      balanced = false;
      worst = j;
    }
    for (Eigen::Index i = 0; i < p.rows(); ++i) {
      Sum sum;
      sum.add(p.gamma[i]);
      double scale = std::abs(p.gamma[i]);
      for (Eigen::Index j = 0; j < p.nv(); ++j) {
        sum.add(p.J(i, j), a[j]);
        scale += std::abs(p.J(i, j)) * std::sqrt(squares / inertia(j));
      }
      u[i] = static_cast<double>(sum.value);
      u_tolerance[i] = kSolve * scale;
    }
  }
};

/// True when a force of this size in a row of J changes no equation of motion by more than its tolerance.
bool changes_nothing(const ContactProblem& p, const Eigen::VectorXd& tolerance, Eigen::Index row, double force)
{
  if (force == 0.0) return true;
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    if (!(std::abs(p.J(row, j) * force) <= tolerance[j])) return false;
  return true;
}

bool well_formed(const ContactProblem& p, const SlipDirections& slips)
{
  const Eigen::Index n = p.nv(), m = p.rows();
  bool ok = p.M.rows() == n && p.M.cols() == n && p.J.rows() == m && p.J.cols() == n;
  ok = ok && slips.size() == p.contacts.size();
  ok = ok && internal::all_finite(p.M) && internal::all_finite(p.F) && internal::all_finite(p.J) &&
       internal::all_finite(p.gamma);
  for (std::size_t i = 0; ok && i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    ok = c.row >= 0 && c.tangents >= 0 && c.tangents <= 2 && c.row + c.rows() <= m;
    if (slips[i]) ok = ok && std::abs(slips[i]->norm() - 1.0) <= 1e-6 && slips[i]->tail(2 - c.tangents).isZero(0.0);
  }
  for (const Closure& c : p.closures) ok = ok && c.row >= 0 && c.rows >= 0 && c.row + c.rows <= m;
  return ok;
}

}  // namespace

ConeProgram sliding_program(const ContactProblem& problem, const SlipDirections& slips, const std::vector<int>& signs)
{
  ConeProgram program;
  SlidingColumns columns;
  internal::write_sliding_program(problem, slips, signs, program, columns);
  return program;
}

bool proves_sliding_solution(const ContactProblem& p, const SlipDirections& slips, const Eigen::VectorXd& a,
                             const Eigen::VectorXd& lambda, std::string* why)
{
  if (!well_formed(p, slips)) return refuse(why, [] { return std::string("the problem is malformed"); });
  if (a.size() != p.nv() || lambda.size() != p.rows() || !internal::all_finite(a) || !internal::all_finite(lambda))
    return refuse(why, [] { return std::string("the solution has the wrong size or is not finite"); });
  const SlidingScales s(p, a, lambda);
  if (!s.balanced)
    return refuse(why, [&] {
      const auto j = static_cast<std::size_t>(s.worst);
      const std::string name = j < p.dof_names.size() ? p.dof_names[j] : std::to_string(j);
      return "M a + F = J'lambda is violated at degree of freedom " + name;
    });
  const auto still = [&](int row) { return std::abs(s.u[row]) <= s.u_tolerance[row]; };
  for (const Closure& c : p.closures)
    for (int row = c.row; row < c.row + c.rows; ++row)
      if (!still(row)) return refuse(why, [&] { return "closure " + c.name + " does not keep its acceleration"; });
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const Contact& c = p.contacts[i];
    const bool unilateral = c.side == Side::kUnilateral;
    const double* f = lambda.data() + c.row;
    if (unilateral ? s.u[c.row] < -s.u_tolerance[c.row] : !still(c.row))
      return refuse(why, [&] { return "contact " + c.name + " does not keep its normal acceleration"; });
    if (sticks(c, slips[i]))
      for (int row = c.row + 1; row < c.row + c.rows(); ++row)
        if (!still(row)) return refuse(why, [&] { return "contact " + c.name + " does not stick"; });

    // The admissible force nearest in kind: none for a contact that opens, the law of friction otherwise.
    double near[4] = {0.0, 0.0, 0.0, 0.0};
    const bool opens = unilateral && !still(c.row);
    if (!opens) {
      near[0] = unilateral ? std::max(f[0], 0.0) : f[0];
      const double budget = c.mu * std::abs(near[0]);
      if (slips[i]) {
        const Eigen::Vector2d d = slips[i]->normalized();
        for (int k = 0; k < c.tangents; ++k) near[1 + k] = -budget * d[k];
      } else {
        const double size = c.tangents == 2 ? std::hypot(f[1], f[2]) : c.tangents == 1 ? std::abs(f[1]) : 0.0;
        for (int k = 1; k <= c.tangents; ++k) near[k] = size <= budget ? f[k] : f[k] * (budget / size);
        const int last = 1 + c.tangents;
        const double twist = c.torsion * std::abs(near[0]);
        if (c.torsional) near[last] = std::clamp(f[last], -twist, twist);
      }
    }
    for (int k = 0; k < c.rows(); ++k)
      if (!changes_nothing(p, s.balance, c.row + k, f[k] - near[k]))
        return refuse(why, [&] {
          if (opens) return "contact " + c.name + " separates and still carries a force";
          return "the force of contact " + c.name + " breaks the law of " + (slips[i] ? "sliding" : "sticking");
        });
  }
  return true;
}

SlidingJudgement judge_sliding(const ContactProblem& p, const SlipDirections& slips,
                               const SlidingCertificate& certificate)
{
  SlidingJudgement result;
  const auto blame = [&](std::string words) {
    if (result.why.empty()) result.why = std::move(words);
  };
  if (!well_formed(p, slips)) {
    blame("the problem is malformed");
    return result;
  }
  const auto fits = [&](const std::vector<int>& signs, bool full) {
    if (signs.size() != p.contacts.size()) return false;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      const bool choice = internal::has_choice(p.contacts[i], slips[i]);
      if (std::abs(signs[i]) > 1 || (!choice && signs[i] != 0) || (full && choice && signs[i] == 0)) return false;
    }
    return true;
  };

  std::vector<MotionLeaf> settled;   // modes that are empty, or whose one acceleration is among the witnesses
  std::vector<const SlidingWitness*> proved;
  for (const MotionLeaf& leaf : certificate.leaves) {
    std::string why;
    if (!fits(leaf.signs, false))
      blame("the signs of a leaf do not fit the contacts");
    else if (proves_infeasible(sliding_program(p, slips, leaf.signs), leaf.motion, &why))
      settled.push_back({leaf.signs, {}});
    else
      blame("a mode is not shown to be impossible: " + why);
  }
  ConeProgram program;
  SlidingColumns columns;
  for (const SlidingWitness& witness : certificate.witnesses) {
    std::string why;
    if (!fits(witness.signs, true)) {
      blame("the signs of a solution do not fit the contacts");
      continue;
    }
    if (!proves_sliding_solution(p, slips, witness.a, witness.lambda, &why)) {
      blame(why);
      continue;
    }
    proved.push_back(&witness);
    internal::write_sliding_program(p, slips, witness.signs, program, columns);
    // A witness settles a mode only when it is one of that mode: signs of its forces agree, open contacts carry none.
    bool of_mode = internal::determined(program, p.nv()).acceleration;
    if (!of_mode) blame("a mode leaves accelerations open");
    const SlidingScales s(p, witness.a, witness.lambda);
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Contact& c = p.contacts[i];
      const double normal = witness.lambda[c.row];
      if (witness.signs[i] == 0) continue;
      const bool unilateral = c.side == Side::kUnilateral;
      const bool agrees = unilateral && witness.signs[i] > 0 ? std::abs(s.u[c.row]) <= s.u_tolerance[c.row]
                          : unilateral                       ? changes_nothing(p, s.balance, c.row, normal)
                          : normal * witness.signs[i] >= 0.0 || changes_nothing(p, s.balance, c.row, normal);
      if (!agrees) {
        of_mode = false;
        blame("a solution is not of the mode it is listed for");
      }
    }
    if (of_mode) settled.push_back({witness.signs, {}});
  }
  result.complete = internal::covers_every_sign(settled, p.contacts.size());
  if (!result.complete) blame("not every mode is settled");
  bool several = false;
  for (std::size_t i = 1; i < proved.size() && !several; ++i)
    several = !internal::same_solution(p, slips, *proved[0], *proved[i]);
  if (proved.empty())
    result.count = result.complete ? SolutionCount::kNone : SolutionCount::kUndecided;
  else if (several)
    result.count = SolutionCount::kSeveral;
  else
    result.count = result.complete ? SolutionCount::kUnique : SolutionCount::kAtLeastOne;
  return result;
}

}  // namespace stiction
