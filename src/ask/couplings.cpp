// Inertial couplings between unilateral and bilateral rows: Delassus blocks, kinetic angles, indeterminacy, joint
// shock.
#include "stiction/couplings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ask/coupling_parts.hpp"
#include "ask/propositions_algebra.hpp"
#include "base/text.hpp"
#include "proof/motion_bounds.hpp"
#include "solve/cast.hpp"
#include "stiction/error.hpp"

namespace stiction {

using namespace internal;

namespace {

void choose_rows(const ContactProblem& problem, TangentialRows tangential, std::vector<int>& unilateral,
                 std::vector<int>& bilateral)
{
  const RowRoles roles = row_roles(problem);
  unilateral = roles.normal_unilateral;
  bilateral = tangential == TangentialRows::kHeld ? equality_rows(roles) : roles.normal_bilateral;
}

/// Rows as columns whose scalar products are those of M⁻¹ (of unit-diagonal coordinates when M is singular).
Eigen::MatrixXd columns_of(const UnitMass& unit, const std::vector<int>& rows)
{
  const Eigen::MatrixXd X = rows_of(unit.J, rows).transpose();
  return unit.definite && X.size() > 0 ? unit.whitened(X) : X;
}

Eigen::MatrixXd unit_columns(const Eigen::MatrixXd& X) { return with_unit_rows(X.transpose()).transpose(); }

/// Orthonormal basis of the span of the columns.
Eigen::MatrixXd span_of(const Eigen::MatrixXd& X)
{
  if (X.size() == 0) return Eigen::MatrixXd(X.rows(), 0);
  return column_span(unit_columns(X), kRankTolerance).basis();
}

double smallest_eigenvalue(const Eigen::MatrixXd& A) { return A.size() == 0 ? 0.0 : symmetric_eigenvalues(A)[0]; }

/// (9) for all pairs of columns.
Eigen::MatrixXd angles_between(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y)
{
  Eigen::MatrixXd angles(X.cols(), Y.cols());
  for (Eigen::Index i = 0; i < X.cols(); ++i)
    for (Eigen::Index j = 0; j < Y.cols(); ++j) {
      const double size = X.col(i).norm() * Y.col(j).norm();
      angles(i, j) = size > 0.0 ? std::numbers::pi - std::acos(std::clamp(X.col(i).dot(Y.col(j)) / size, -1.0, 1.0))
                                : std::numeric_limits<double>::quiet_NaN();
    }
  return angles;
}

void delassus(const UnitMass& unit, const Eigen::MatrixXd& Xh, const Eigen::MatrixXd& Xg, Couplings& c)
{
  const auto nv = unit.S.size();
  c.A = Xh.transpose() * Xh;
  c.B = Xg.transpose() * Xg;
  c.E = Xh.transpose() * Xg;
  const Eigen::MatrixXd Q = span_of(Xg), P = span_of(Xh);
  Eigen::MatrixXd free = Xh - Q * (Q.transpose() * Xh);
  free -= Q * (Q.transpose() * free).eval();
  // A row inside the span of the held ones leaves rounding, which pivoting would take for a stiff contact.
  for (Eigen::Index j = 0; j < free.cols(); ++j)
    if (free.col(j).norm() <= kRankTolerance * Xh.col(j).norm()) free.col(j).setZero();
  c.Ac = free.transpose() * free;
  if (nv > 0) {
    Eigen::MatrixXd root = Eigen::MatrixXd::Identity(nv, nv) - Q * Q.transpose();
    root = unit.S.asDiagonal() * solve_lower_transposed(unit.L, root);
    c.constrained_inertia_inverse = root * root.transpose();
  }
  c.smallest_A = smallest_eigenvalue(c.A);
  c.smallest_B = smallest_eigenvalue(c.B);
  c.smallest_Ac = smallest_eigenvalue(c.Ac);

  c.angles = {angles_between(Xh, Xh), angles_between(Xh, Xg), angles_between(Xg, Xg)};
  c.constrained_angles.uu = angles_between(free, free);
  c.shock_gain = Eigen::MatrixXd::Zero(Xg.cols(), Xh.cols());
  for (Eigen::Index j = 0; Xg.size() > 0 && j < Xh.cols(); ++j) c.shock_gain.col(j) = -least_norm(Xg, Xh.col(j));
  c.decoupled = true;
  for (Eigen::Index i = 0; i < c.E.rows(); ++i)
    for (Eigen::Index j = 0; j < c.E.cols(); ++j)
      c.decoupled = c.decoupled && std::abs(c.E(i, j)) <= kRankTolerance * Xh.col(i).norm() * Xg.col(j).norm();
  c.worst_unilateral.setZero(Xh.cols());
  c.worst_bilateral.setZero(Xg.cols());
  if (P.cols() > 0 && Q.cols() > 0) {
    const SingularVectors svd = thin_svd(P.transpose() * Q);
    c.principal_cosines = svd.values.cwiseMin(1.0);
    // Sines come from what is left outside the other span: 1 - σ² would lose half of the digits.
    const Eigen::MatrixXd outside = P - Q * (Q.transpose() * P);
    const Eigen::VectorXd direction = P * svd.U.col(0);
    c.singularity_margin = std::min(1.0, (outside * svd.U.col(0)).squaredNorm());
    c.worst_unilateral = least_norm(Xh, direction);
    c.worst_bilateral = least_norm(Xg, Q * svd.V.col(0));
  }
  if (Xh.cols() == 0) return;
  const Eigen::MatrixXd Jh = rows_of(unit.J, c.unilateral), Z = null_space(rows_of(unit.J, c.bilateral));
  Eigen::MatrixXd reduced = Eigen::MatrixXd::Zero(Jh.rows(), Jh.rows());
  if (Z.cols() > 0) {
    const Eigen::MatrixXd JZ = Jh * Z;
    reduced = JZ * solve_definite(Z.transpose() * unit.M * Z, JZ.transpose());
  }
  const double size = c.A.cwiseAbs().maxCoeff();
  if (size > 0.0) c.reduced_coordinate_gap = (reduced - c.Ac).cwiseAbs().maxCoeff() / size;
}

/// Gauss' principle over the chosen rows, judged.
struct Motion {
  GaussOutcome outcome = GaussOutcome::kNotRun;
  bool proved = false;
  Eigen::VectorXd a, lambda;  ///< or a Farkas vector over the rows, or the direction of an imbalance for a
};

Motion gauss(const ContactProblem& problem, const std::vector<int>& unilateral, const std::vector<int>& bilateral,
             Engine& engine)
{
  const GaussProgram program{problem.M,
                             problem.F,
                             rows_of(problem.J, bilateral),
                             problem.gamma(bilateral),
                             rows_of(problem.J, unilateral),
                             problem.gamma(unilateral)};
  GaussAnswer answer;
  engine.gauss(program, answer);
  Motion motion;
  motion.outcome = answer.outcome;
  motion.lambda.setZero(problem.rows());
  const MotionBounds bounds = acceleration_bounds(problem);
  if (answer.outcome == GaussOutcome::kUnbalanced) {
    motion.a = (bounds.load.array() > 0.0).select(answer.a, 0.0);  // rounding in parts without loads
    motion.proved = proves_imbalance(problem, unilateral, bilateral, motion.a);
  }
  if (answer.outcome != GaussOutcome::kSolved && answer.outcome != GaussOutcome::kContradiction) return motion;
  for (std::size_t k = 0; k < bilateral.size(); ++k)
    motion.lambda[bilateral[k]] = answer.lambda_e[static_cast<Eigen::Index>(k)];
  for (std::size_t k = 0; k < unilateral.size(); ++k)
    motion.lambda[unilateral[k]] = answer.lambda_u[static_cast<Eigen::Index>(k)];
  motion.a = answer.a;
  if (answer.outcome == GaussOutcome::kSolved) {  // rounding in parts that nothing moves
    motion.a = (bounds.motion.array() > 0.0).select(motion.a, 0.0);
    motion.lambda = (bounds.force.array() > 0.0).select(motion.lambda, 0.0);
  }
  motion.proved = answer.outcome == GaussOutcome::kSolved
                      ? proves_motion(problem, unilateral, bilateral, motion.a, motion.lambda)
                      : proves_contradiction(problem, unilateral, bilateral, motion.lambda);
  return motion;
}

/// Rows one after the other.
std::vector<int> joined(std::vector<int> first, const std::vector<int>& second)
{
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Where rows depend on each other only through some that touch without force: can these push at all? A vector for
/// either answer, which read_motion judges.
void pin_or_shift(const ContactProblem& problem, const ActiveRows& rows, Engine& engine, Couplings& c)
{
  const UnitMass unit(problem);
  const std::vector<int> active = joined(rows.loaded, rows.touching);
  const auto nv = problem.nv(), loaded = static_cast<Eigen::Index>(rows.loaded.size());
  const auto count = static_cast<Eigen::Index>(active.size());
  const Eigen::MatrixXd J = rows_of(unit.J, active);
  ConeProgram program;  // E z = 0, z >= 0 on touching rows, whose sum is 1
  program.E.setZero(nv + 1, count);
  program.E.topRows(nv) = with_unit_rows(J).transpose();
  program.E.row(nv).tail(count - loaded).setOnes();
  program.e.setZero(nv + 1);
  program.e[nv] = 1.0;
  for (Eigen::Index k = 0; k < loaded; ++k) program.free.push_back(static_cast<int>(k));
  for (Eigen::Index k = loaded; k < count; ++k) program.boxes.push_back({static_cast<int>(k), 0.0, kInfinity});
  ConeAnswer answer;
  const Verdict shifts = decide(engine, program, judge_claim, answer);
  if (shifts == Verdict::kFails) c.pins = -unit.S.cwiseProduct(answer.y.head(nv));
  if (shifts != Verdict::kHolds) return;
  c.shift.setZero(problem.rows());
  for (Eigen::Index k = 0; k < count; ++k) {
    const double size = J.row(k).norm();
    c.shift[active[static_cast<std::size_t>(k)]] = answer.x[k] / (size > 0.0 ? size : 1.0);
  }
}

/// Ranges of the forces over { λ : J'λ = M a + F, λu >= 0, λ = 0 where rows open }.
void force_intervals(const ContactProblem& problem, const std::vector<int>& active, Engine& engine, Couplings& c)
{
  const bool unique = c.forces_unique == Verdict::kHolds;
  const Eigen::MatrixXd null_basis = null_space(unit_columns(columns_of(UnitMass(problem), active)));
  std::vector<char> pushes(static_cast<std::size_t>(problem.rows()), 0);
  for (const int r : c.unilateral) pushes[static_cast<std::size_t>(r)] = 1;
  ConeProgram program;
  const auto nv = problem.nv(), count = static_cast<Eigen::Index>(active.size());
  program.E.setZero(nv + 1, count);
  program.e.setZero(nv + 1);
  program.e_scale.setZero(nv + 1);
  Eigen::VectorXd start(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const int r = active[static_cast<std::size_t>(k)];
    program.E.col(k).head(nv) = problem.J.row(r).transpose();
    start[k] = c.forces[r];
    if (pushes[static_cast<std::size_t>(r)])
      program.boxes.push_back({static_cast<int>(k), 0.0, kInfinity});
    else
      program.free.push_back(static_cast<int>(k));
  }
  program.e.head(nv) = program.E.topRows(nv) * start;  // what the proved forces balance
  program.e_scale.head(nv) = (problem.M * c.acceleration).cwiseAbs() + problem.F.cwiseAbs();
  Caster caster{judge_claim};
  Cast cast;
  CastOptions options;
  options.scale = count > 0 ? start.lpNorm<Eigen::Infinity>() : 0.0;
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(nv + 1);
  for (Eigen::Index k = 0; k < count; ++k) {
    Margin& interval = c.intervals[static_cast<std::size_t>(active[static_cast<std::size_t>(k)])];
    interval = {Margin::State::kKnown, start[k], start[k], {}};
    if (unique || null_basis.row(k).norm() <= kRankTolerance) continue;  // in no redistribution
    program.E.row(nv).setZero();
    program.E(nv, k) = 1.0;
    program.e[nv] = start[k];
    program.e_scale[nv] = std::max(std::abs(start[k]), options.scale);
    for (const double way : {1.0, -1.0}) {
      direction[nv] = way;
      caster.cast(engine, program, direction, 0.0, start, options, cast);
      if (cast.end == Cast::End::kUndecided) {
        interval.state = Margin::State::kUndecided;
        interval.reason = "too near to an end of the range to be decided";
      }
      const double reach = cast.end == Cast::End::kUnbounded ? kInfinity : cast.upper;
      (way > 0.0 ? interval.upper : interval.lower) += way * reach;
    }
    if (pushes[static_cast<std::size_t>(active[static_cast<std::size_t>(k)])])
      interval.lower = std::max(interval.lower, 0.0);
  }
}

/// The same for every row that takes part.
void set_intervals(Couplings& c, const Margin& margin)
{
  for (const auto* rows : {&c.unilateral, &c.bilateral})
    for (const int r : *rows) c.intervals[static_cast<std::size_t>(r)] = margin;
}

}  // namespace

CouplingChecker::CouplingChecker(std::unique_ptr<Engine> engine) : engine_(std::move(engine))
{
  if (!engine_) throw InputError("engine", "want an engine, got none");
}
CouplingChecker::~CouplingChecker() = default;
CouplingChecker::CouplingChecker(CouplingChecker&&) noexcept = default;
CouplingChecker& CouplingChecker::operator=(CouplingChecker&&) noexcept = default;

namespace internal {

Couplings inertial_couplings(const ContactProblem& problem, TangentialRows tangential)
{
  problem.validate();
  Couplings c;
  choose_rows(problem, tangential, c.unilateral, c.bilateral);
  const UnitMass unit(problem);
  c.definite_mass = unit.definite;
  const Eigen::MatrixXd Xh = columns_of(unit, c.unilateral), Xg = columns_of(unit, c.bilateral);
  const auto m = Xh.cols(), p = Xg.cols();
  Eigen::MatrixXd all(problem.nv(), m + p);
  all << Xh, Xg;
  c.rank_unilateral = rank_of(Xh.transpose());
  c.rank_bilateral = rank_of(Xg.transpose());
  c.rank_all = rank_of(all.transpose());
  c.redundancy = static_cast<int>(m + p) - c.rank_all;
  c.unique_for_all_data = c.rank_all - c.rank_bilateral == m;
  const Eigen::MatrixXd null_basis = null_space(unit_columns(all));
  for (Eigen::Index k = 0; k < null_basis.cols(); ++k) {
    Eigen::VectorXd weights = null_basis.col(k);
    for (Eigen::Index i = 0; i < weights.size(); ++i)
      if (all.col(i).norm() > 0.0) weights[i] /= all.col(i).norm();
    c.dependences.push_back({weights.head(m), weights.tail(p)});
  }
  if (c.definite_mass) delassus(unit, Xh, Xg, c);
  return c;
}

namespace {

/// d moves apart every row that touches without force, and no other: these cannot push.
bool pins(const ContactProblem& problem, const ActiveRows& rows, const Eigen::VectorXd& d)
{
  if (d.size() != problem.nv() || !d.allFinite()) return false;
  const auto share = [&](int r) {  // of the largest that J d could be
    const double size = problem.J.row(r).cwiseAbs().dot(d.cwiseAbs());
    return size > 0.0 ? problem.J.row(r).dot(d) / size : 0.0;
  };
  return std::ranges::all_of(rows.loaded, [&](int r) { return std::abs(share(r)) <= kSolve; }) &&
         std::ranges::all_of(rows.touching, [&](int r) { return share(r) > kClear; });
}

/// Forces that move nothing and may be added to what the rows carry.
bool shifts(const ContactProblem& problem, const ActiveRows& rows, const Eigen::VectorXd& z)
{
  if (z.size() != problem.rows() || !z.allFinite()) return false;
  Eigen::VectorXd rest = z;
  for (const int r : rows.loaded) rest[r] = 0.0;
  for (const int r : rows.touching) rest[r] = std::min(rest[r], 0.0);
  if (z.isZero(0.0) || !rest.isZero(0.0)) return false;
  const Eigen::VectorXd moved = (problem.J.transpose() * z).cwiseAbs();
  const Eigen::VectorXd size = problem.J.cwiseAbs().transpose() * z.cwiseAbs();
  return (moved.array() <= kSolve * size.array()).all();
}

void judge_uniqueness(const ContactProblem& problem, const UnitMass& unit, const ActiveRows& rows, Couplings& c)
{
  const std::vector<int> all = joined(rows.loaded, rows.touching);
  const auto independent = [&](const std::vector<int>& list) {
    return rank_of(columns_of(unit, list).transpose()) == static_cast<int>(list.size());
  };
  if (!pins(problem, rows, c.pins)) c.pins.resize(0);
  if (!shifts(problem, rows, c.shift)) c.shift.resize(0);
  if (independent(all) || (c.pins.size() > 0 && independent(rows.loaded)))
    c.forces_unique = Verdict::kHolds;
  else if (c.shift.size() > 0 || !independent(rows.loaded))
    c.forces_unique = Verdict::kFails;

  const auto leaves_nothing_open = [&](const std::vector<int>& list) {
    Eigen::MatrixXd kept(problem.nv() + static_cast<Eigen::Index>(list.size()), problem.nv());
    kept << unit.M, rows_of(unit.J, list);
    return rank_of(kept) == static_cast<int>(problem.nv());
  };
  if (c.definite_mass || leaves_nothing_open(rows.loaded))
    c.acceleration_unique = Verdict::kHolds;
  else if (!leaves_nothing_open(all))
    c.acceleration_unique = Verdict::kFails;
}

}  // namespace

ActiveRows read_motion(const ContactProblem& problem, Couplings& c)
{
  Eigen::VectorXd scales;
  Judge().row_scales(problem, c.acceleration, scales);
  const UnitMass unit(problem);
  const MotionBounds bounds = acceleration_bounds(problem);
  ActiveRows rows;
  rows.loaded = c.bilateral;
  c.opening.setZero(problem.rows());
  for (const int r : c.unilateral) {
    const double opening = problem.J.row(r).dot(c.acceleration) + problem.gamma[r];
    if (c.forces[r] > kSolve * bounds.force[r])
      rows.loaded.push_back(r);
    else if (opening <= kSolve * scales[r] || c.forces[r] > 0.0)
      rows.touching.push_back(r);
    else
      c.opening[r] = opening;
  }
  judge_uniqueness(problem, unit, rows, c);
  double load = 0.0, rest = 0.0;
  for (Eigen::Index i = 0; i < problem.nv(); ++i) {
    load += unit.F[i] * unit.F[i];
    rest = std::max(rest, std::abs(c.acceleration[i]) / unit.S[i]);
  }
  c.balanced = rest <= kClear * std::sqrt(load);
  return rows;
}

}  // namespace internal

void CouplingChecker::check(const ContactProblem& problem, const CouplingOptions& options, Couplings& result)
{
  result = check(problem, options);
}

Couplings CouplingChecker::check(const ContactProblem& problem, const CouplingOptions& options)
{
  Couplings c = internal::inertial_couplings(problem, options.tangential);
  c.intervals.assign(static_cast<std::size_t>(problem.rows()), {Margin::State::kKnown, 0.0, 0.0, {}});
  c.forces.setZero(problem.rows());
  const Motion motion = gauss(problem, c.unilateral, c.bilateral, *engine_);
  const bool solved = motion.outcome == GaussOutcome::kSolved;
  if (motion.proved && !solved) {
    c.solvable = Verdict::kFails;
    if (motion.outcome == GaussOutcome::kUnbalanced)
      c.imbalance = motion.a;
    else
      c.contradiction = motion.lambda;
  }
  if (!motion.proved || !solved) {
    if (!motion.proved) c.reason = "no acceleration was proved to satisfy the constraints";
    set_intervals(c,
                  {motion.proved ? Margin::State::kNone : Margin::State::kUndecided, -kInfinity, kInfinity, c.reason});
    return c;
  }
  c.solvable = Verdict::kHolds;
  c.acceleration = motion.a;
  c.forces = motion.lambda;
  ActiveRows rows = internal::read_motion(problem, c);
  if (c.forces_unique == Verdict::kUndecided) {
    pin_or_shift(problem, rows, *engine_, c);
    rows = internal::read_motion(problem, c);
  }
  if (options.intervals)
    force_intervals(problem, joined(rows.loaded, rows.touching), *engine_, c);
  else
    set_intervals(c, {});
  return c;
}

namespace {

/// What a shock is about: the rows that take part, and the normal velocities before it.
struct ShockInput {
  ShockInput(const ContactProblem& p, const Eigen::VectorXd& v, const Eigen::MatrixXd& restitution,
             TangentialRows tangential)
      : problem(p), velocity(v), R(restitution)
  {
    choose_rows(problem, tangential, unilateral, bilateral);
  }
  /// @throws InputError unless the velocity keeps the bilateral rows and sizes fit.
  void check(ShockLaw law) const;

  const ContactProblem& problem;
  const Eigen::VectorXd& velocity;
  const Eigen::MatrixXd& R;
  std::vector<int> unilateral, bilateral;
};

void ShockInput::check(ShockLaw law) const
{
  constexpr double kKeptSpeed = 1e-9;  // share of its terms that a speed along a bilateral row may be off
  const auto nv = problem.nv(), m = static_cast<Eigen::Index>(unilateral.size());
  if (velocity.size() != nv || !velocity.allFinite())
    throw InputError("velocity",
                     "want " + std::to_string(nv) + " finite velocities, got " + std::to_string(velocity.size()));
  if (R.rows() != m || R.cols() != m || !R.allFinite())
    throw InputError("R", "want a finite " + std::to_string(m) + " x " + std::to_string(m) + " matrix, got " +
                              std::to_string(R.rows()) + " x " + std::to_string(R.cols()));
  if (law == ShockLaw::kMoreau && m > 0 && R != R(0, 0) * Eigen::MatrixXd::Identity(m, m))
    throw InputError("R", "want a multiple of the identity for Moreau's law, got another matrix");
  if (!UnitMass(problem).definite) throw InputError("M", "want positive definite for a shock, got singular");
  for (const int r : bilateral) {
    const double speed = problem.J.row(r).dot(velocity), scale = problem.J.row(r).cwiseAbs().dot(velocity.cwiseAbs());
    if (std::abs(speed) > kKeptSpeed * scale)
      throw InputError("velocity", "want bilateral row " + std::to_string(r) + " kept, got " + text(speed));
  }
}

/// Gauss' program with impulses for forces; the change of velocity, empty when there is none.
Eigen::VectorXd moreau_shock(const ShockInput& in, Engine& engine, Shock& result)
{
  ContactProblem impulses = in.problem;
  impulses.F.setZero();
  impulses.gamma.setZero();
  for (const int row : in.unilateral) impulses.gamma[row] = (1.0 + in.R(0, 0)) * in.problem.J.row(row).dot(in.velocity);
  const Motion motion = gauss(impulses, in.unilateral, in.bilateral, engine);
  if (!motion.proved) return {};
  result.exists = motion.outcome == GaussOutcome::kSolved ? Verdict::kHolds : Verdict::kFails;
  if (result.exists == Verdict::kFails) return {};
  result.unilateral_impulse = motion.lambda(in.unilateral);
  result.bilateral_impulse = motion.lambda(in.bilateral);
  return motion.a;
}

/// The velocities after it are given; the change of velocity, empty when no impulses cause it.
Eigen::VectorXd newton_shock(const ShockInput& in, Engine& engine, Shock& result)
{
  const Eigen::MatrixXd Jh = rows_of(in.problem.J, in.unilateral), Jg = rows_of(in.problem.J, in.bilateral);
  const auto nv = in.problem.nv(), m = Jh.rows(), p = Jg.rows();
  const Eigen::VectorXd before = Jh * in.velocity;
  const Eigen::VectorXd after = -in.R * before, size = in.R.cwiseAbs() * before.cwiseAbs();
  if ((after.array() < -kRounding * size.array()).any()) {  // (76) asks for vN+ >= 0
    result.exists = Verdict::kFails;
    return {};
  }
  ConeProgram program;  // (d, pb, pu):  M d = Jg'pb + Jh'pu,  Jg d = 0,  Jh d = -(I + R) vN-
  program.E.setZero(nv + p + m, nv + p + m);
  program.E.topLeftCorner(nv, nv) = in.problem.M;
  program.E.block(0, nv, nv, p) = -Jg.transpose();
  program.E.block(0, nv + p, nv, m) = -Jh.transpose();
  program.E.block(nv, 0, p, nv) = Jg;
  program.E.block(nv + p, 0, m, nv) = Jh;
  program.e.setZero(nv + p + m);
  program.e.tail(m) = after - before;
  program.e_scale.setZero(nv + p + m);
  program.e_scale.tail(m) = size + Jh.cwiseAbs() * in.velocity.cwiseAbs();
  for (Eigen::Index j = 0; j < nv + p; ++j) program.free.push_back(static_cast<int>(j));
  for (Eigen::Index j = nv + p; j < nv + p + m; ++j) program.boxes.push_back({static_cast<int>(j), 0.0, kInfinity});
  ConeAnswer answer;
  result.exists = decide(engine, program, judge_claim, answer);
  if (result.exists != Verdict::kHolds) return {};
  result.bilateral_impulse = answer.x.segment(nv, p);
  result.unilateral_impulse = answer.x.tail(m);
  return answer.x.head(nv);
}

}  // namespace

Shock shock(const ContactProblem& problem, const Eigen::VectorXd& velocity, const Eigen::MatrixXd& R, ShockLaw law,
            Engine& engine, const CouplingOptions& options)
{
  problem.validate();
  const ShockInput in(problem, velocity, R, options.tangential);
  in.check(law);
  Shock result;
  result.unilateral_impulse.setZero(static_cast<Eigen::Index>(in.unilateral.size()));
  result.bilateral_impulse.setZero(static_cast<Eigen::Index>(in.bilateral.size()));
  const Eigen::VectorXd change =
      law == ShockLaw::kMoreau ? moreau_shock(in, engine, result) : newton_shock(in, engine, result);
  if (result.exists != Verdict::kHolds) return result;
  result.velocity = velocity + change;
  result.energy_change = 0.5 * change.dot(problem.M * (result.velocity + velocity));
  return result;
}

}  // namespace stiction
