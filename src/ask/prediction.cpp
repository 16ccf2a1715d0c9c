#include "stiction/motion_laws.hpp"

#include <algorithm>
#include <cmath>

#include "ask/check_slips.hpp"
#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kStill = 1e-8;      // share of its scale below which an acceleration counts as none
constexpr double kKept = 1e-9;       // share of the drift of closures beyond which their rows contradict each other
constexpr double kNoDrift = 1e-14;   // share of its scale below which the drift of a contact is rounding
constexpr double kBisected = 1e-15;  // bisection ends where doubles do

/// One contact's rows in the vector of contact forces, and what its own block of W says about it.
struct Block {
  const Contact* contact = nullptr;
  int at = 0;  ///< first row
  int tangents = 0;
  double normal = 0.0;                                  ///< Wnn
  Eigen::Vector2d coupling = Eigen::Vector2d::Zero();   ///< Wtn in the axes of `axes`
  Eigen::Matrix2d axes = Eigen::Matrix2d::Identity();   ///< eigenvectors of Wtt - Wtn Wnt/Wnn
  Eigen::Vector2d stiffness = Eigen::Vector2d::Zero();  ///< its eigenvalues
  double step = 0.0;                         ///< 1 / largest eigenvalue of Wtt: step of the tangential projection
  std::optional<Eigen::VectorXd> slip = {};  ///< direction of one that slides

  bool bilateral() const { return contact->side == Side::kBilateral; }
  int torsion_row() const { return at + 1 + tangents; }
};

/// Dry friction of a joint: a row in the vector of contact forces.
struct Brake {
  int at = 0;
  double lower = 0.0, upper = 0.0;
};

/// Problem (69) reduced to contact forces: u = W λ + q, closures eliminated.
class SlipSolver {
 public:
  SlipSolver(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, double load, std::vector<Block> blocks,
             std::vector<Brake> brakes)
      : W_(W), q_(q), load_(load), blocks_(std::move(blocks)), brakes_(std::move(brakes))
  {
    for (Block& block : blocks_) prepare(block);
  }

  void sweep(Eigen::VectorXd& lambda) const
  {
    for (const Block& block : blocks_) {
      const int rows = block.contact->rows();
      Eigen::Vector4d b = Eigen::Vector4d::Zero();  // acceleration of the block's rows without its own force
      b.head(rows) = W_.middleRows(block.at, rows) * lambda + q_.segment(block.at, rows);
      const int solved = 1 + block.tangents;
      const Eigen::MatrixXd own = W_.block(block.at, block.at, rows, solved);
      b.head(rows) -= own * lambda.segment(block.at, solved);
      solve(block, b, lambda.segment(block.at, solved));
      if (!block.contact->torsional) continue;
      const int m = block.torsion_row();
      const double stiff = W_(m, m), budget = block.contact->torsion * std::abs(lambda[block.at]);
      if (stiff <= 0.0) continue;
      const double u = W_.row(m).dot(lambda) + q_[m];
      lambda[m] = std::clamp(lambda[m] - u / stiff, -budget, budget);
    }
    for (const Brake& brake : brakes_)
      if (const int m = brake.at; W_(m, m) > 0.0)
        lambda[m] = std::clamp(lambda[m] - (W_.row(m).dot(lambda) + q_[m]) / W_(m, m), brake.lower, brake.upper);
  }

  /// Newton on the projected form of the laws (their residual below), λ of least change; true when it got there.
  bool polish(Eigen::VectorXd& lambda, double tolerance) const
  {
    Eigen::VectorXd trial = lambda, r;
    Eigen::MatrixXd slope;
    for (int step = 0; step < 12; ++step) {
      if (residual(trial) <= tolerance) {
        lambda = trial;
        return true;
      }
      laws(trial, r, &slope);
      trial -= internal::LeastNorm(slope, internal::kProductRounding).solve(r);
      if (!trial.allFinite()) return false;
    }
    return false;
  }

  /// Largest violation of a law; see PredictionOptions::tolerance.
  double residual(const Eigen::VectorXd& lambda) const
  {
    Eigen::VectorXd r;
    laws(lambda, r, nullptr);
    double worst = 0.0;
    for (Eigen::Index i = 0; i < r.size(); ++i) worst = std::max(worst, std::abs(r[i]) * std::sqrt(W_(i, i)));
    for (const Block& block : blocks_) {  // rows that nothing can accelerate must not be violated by themselves
      const double u = q_[block.at];
      if (block.normal <= 0.0 && (block.bilateral() ? std::abs(u) : -u) > 0.0) return kInfinity;
    }
    return load_ > 0.0 ? worst / load_ : worst;
  }

 private:
  void prepare(Block& block) const
  {
    const int n = block.at, t = block.tangents;
    block.normal = W_(n, n);
    if (t == 0) return;
    Eigen::Matrix2d S = Eigen::Matrix2d::Zero(), Wtt = Eigen::Matrix2d::Zero();
    Eigen::Vector2d Wtn = Eigen::Vector2d::Zero();
    Wtt.topLeftCorner(t, t) = W_.block(n + 1, n + 1, t, t);
    Wtn.head(t) = W_.block(n + 1, n, t, 1);
    S = Wtt;
    if (block.normal > 0.0) S -= Wtn * Wtn.transpose() / block.normal;
    if (t == 2) {
      const internal::SymmetricEigen eigen = internal::symmetric_eigen(S);
      block.axes = eigen.vectors;
      block.stiffness = eigen.values;
    } else {
      block.stiffness = S.diagonal();
    }
    const double size = Wtt.trace();
    for (int k = 0; k < 2; ++k)
      if (block.stiffness[k] <= internal::kRank * size) block.stiffness[k] = 0.0;
    block.coupling = block.axes.transpose() * Wtn;
    block.step = size > 0.0 ? 1.0 / size : 0.0;
  }

  /// The block's own problem: u = W_ii λ + b. With -ut = κ λt the forces follow from κ alone,
  ///
  ///   λt(κ) = -(S + κ)⁻¹ d,  λn(κ) = -(bn + Wnt λt)/Wnn,   S = Wtt - Wtn Wnt/Wnn,  d = bt - Wtn bn/Wnn,
  ///
  /// κ = 0 sticks, κ = ∞ has λt = 0, and |λt| - mu|λn| changes sign between them unless sticking is admissible or the
  /// contact opens by itself: so there always is a solution.
  void solve(const Block& block, const Eigen::Vector4d& b, Eigen::Ref<Eigen::VectorXd> lambda) const
  {
    lambda.setZero();
    if (block.normal <= 0.0) return;
    const int t = block.tangents;
    const double mu = block.contact->mu, bn = b[0];
    Eigen::Vector2d bt = Eigen::Vector2d::Zero();
    bt.head(t) = b.segment(1, t);
    const Eigen::Vector2d d = block.axes.transpose() * bt - block.coupling * (bn / block.normal);
    const double small = internal::kRank * (std::abs(bn) * block.coupling.norm() / block.normal + bt.norm());
    const auto at = [&](double kappa, Eigen::Vector2d& z) {
      for (int k = 0; k < 2; ++k) {
        const double stiff = block.stiffness[k] + kappa;
        z[k] = stiff > 0.0 ? -d[k] / stiff : (std::abs(d[k]) <= small ? 0.0 : std::copysign(kInfinity, -d[k]));
      }
      return z.allFinite() ? -(bn + block.coupling.dot(z)) / block.normal : 0.0;
    };
    const auto write = [&](double normal, const Eigen::Vector2d& z) {
      lambda[0] = normal;
      const Eigen::Vector2d tangential = block.axes * z;
      lambda.tail(t) = tangential.head(t);
    };
    const auto pressing = [&](double normal) { return block.bilateral() ? std::abs(normal) : std::max(normal, 0.0); };

    Eigen::Vector2d z = Eigen::Vector2d::Zero();
    const double frictionless = -bn / block.normal;
    if (t == 0 || mu == 0.0) {
      if (block.bilateral() || frictionless > 0.0) write(frictionless, z);
      return;
    }
    if (block.slip) return slide(block, bn, lambda);
    double normal = at(0.0, z);
    if (z.norm() <= mu * pressing(normal) && (block.bilateral() || normal >= 0.0)) return write(normal, z);
    if (!block.bilateral() && bn >= 0.0) return;  // opens, or is left alone
    if (bn == 0.0) return;
    // Bisection on log κ, from a bracket around the size of W.
    double inside = 1.0 / block.step, outside = inside;
    const auto slips = [&](double kappa) {
      normal = at(kappa, z);
      return z.norm() > mu * pressing(normal);
    };
    for (int i = 0; i < 200 && slips(inside); ++i) inside *= 8.0;
    for (int i = 0; i < 60 && !slips(outside); ++i) outside *= 0.125;
    for (int i = 0; i < 60 && inside > outside * (1.0 + kBisected); ++i) {
      const double middle = std::sqrt(inside) * std::sqrt(outside);
      (slips(middle) ? outside : inside) = middle;
    }
    normal = at(inside, z);
    write(normal, z);
  }

  /// A block that slides: un = (Wnn - s mu Wnt d) λn + bn for λn of sign s. Nothing where friction pulls it in faster
  /// than λn pushes it out: then others have to change, or there is no solution.
  void slide(const Block& block, double bn, Eigen::Ref<Eigen::VectorXd> lambda) const
  {
    if (!block.bilateral() && bn >= 0.0) return;
    const double sign = bn > 0.0 ? -1.0 : 1.0;
    const double along = W_.row(block.at).segment(block.at + 1, block.tangents).dot(*block.slip);
    const double stiff = block.normal - sign * block.contact->mu * along;
    if (stiff <= 0.0) return;
    lambda[0] = -bn / stiff;
    lambda.tail(block.tangents) = -block.contact->mu * std::abs(lambda[0]) * *block.slip;
  }

  /// Residual of the laws in newtons, λn - max(0, λn - un/Wnn) and λt - proj_disk(λt - ut/|Wtt|), and its slope.
  void laws(const Eigen::VectorXd& lambda, Eigen::VectorXd& r, Eigen::MatrixXd* slope) const
  {
    const auto n = lambda.size();
    const Eigen::VectorXd u = W_ * lambda + q_;
    r.setZero(n);
    if (slope) slope->setIdentity(n, n);
    for (const Block& block : blocks_) {
      const int i = block.at;
      if (block.normal <= 0.0) {  // no force here does anything
        r.segment(i, block.contact->rows()) = lambda.segment(i, block.contact->rows());
        continue;
      }
      const bool closed = block.bilateral() || lambda[i] - u[i] / block.normal > 0.0;
      r[i] = closed ? u[i] / block.normal : lambda[i];
      if (slope && closed) slope->row(i) = W_.row(i) / block.normal;
      const double sign = lambda[i] < 0.0 ? -1.0 : 1.0;
      const double pressing = block.bilateral() ? std::abs(lambda[i]) : std::max(lambda[i], 0.0);
      const double growth = pressing > 0.0 ? sign : 0.0;  // of `pressing` with λn
      if (block.slip) {
        r.segment(i + 1, block.tangents) =
            lambda.segment(i + 1, block.tangents) + block.contact->mu * pressing * *block.slip;
        if (slope) slope->block(i + 1, i, block.tangents, 1) = block.contact->mu * growth * *block.slip;
      } else if (block.tangents > 0)
        disk_law({i, i + 1, block.tangents, block.contact->mu, block.step, pressing, growth}, lambda, u, r, slope);
      if (block.contact->torsional) {
        const int m = block.torsion_row();
        const double step = W_(m, m) > 0.0 ? 1.0 / W_(m, m) : 0.0;
        disk_law({i, m, 1, block.contact->torsion, step, pressing, growth}, lambda, u, r, slope);
      }
    }
    for (const auto& [m, lower, upper] : brakes_) {
      if (W_(m, m) <= 0.0) continue;
      const double z = lambda[m] - u[m] / W_(m, m);
      r[m] = lambda[m] - std::clamp(z, lower, upper);
      if (slope && lower < z && z < upper) slope->row(m) = W_.row(m) / W_(m, m);
    }
  }

  /// A disk of radius mu·pressing for the forces at [at, at + size); an interval when size is 1.
  struct Disk {
    int normal, at, size;
    double mu, step, pressing, growth;
  };

  /// λt - proj(λt - step ut) onto the disk.
  void disk_law(const Disk& disk, const Eigen::VectorXd& lambda, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                Eigen::MatrixXd* slope) const
  {
    const auto [normal, at, size, mu, step, pressing, growth] = disk;
    const double radius = mu * pressing;
    const Eigen::VectorXd z = lambda.segment(at, size) - step * u.segment(at, size);
    const double reach = z.norm();
    if (reach <= radius) {
      r.segment(at, size) = step * u.segment(at, size);
      if (slope) slope->middleRows(at, size) = step * W_.middleRows(at, size);
      return;
    }
    const Eigen::VectorXd direction = z / reach;
    r.segment(at, size) = lambda.segment(at, size) - radius * direction;
    if (!slope) return;
    Eigen::MatrixXd dz = -step * W_.middleRows(at, size);
    dz.middleCols(at, size) += Eigen::MatrixXd::Identity(size, size);
    slope->middleRows(at, size) -= (radius / reach) * (dz - direction * (direction.transpose() * dz));
    slope->block(at, normal, size, 1) -= mu * growth * direction;
  }

  const Eigen::MatrixXd& W_;
  const Eigen::VectorXd& q_;
  double load_;
  std::vector<Block> blocks_;
  std::vector<Brake> brakes_;
};

/// Problem (69) with closures eliminated, in coordinates w in which scalar products are those of M: w = w0 + Y λ - g
/// for contact forces λ, X'w = J a.
struct Reduced {
  Eigen::VectorXd S;  ///< M = S⁻¹ L L' S⁻¹, S⁻² = diag M
  internal::Cholesky cholesky;
  Eigen::MatrixXd X, Xe, Xc;  ///< L⁻¹ S J', its columns of closures and of contacts
  Eigen::MatrixXd Y;          ///< Xc within the motions that closures leave
  Eigen::VectorXd gamma;      ///< of the columns of X
  Eigen::VectorXd f, g, w0;   ///< L⁻¹ S F, the same within these motions; what the drift of closures asks for
  std::vector<int> contact_rows, closure_rows;  ///< rows of J; of brakes, after the contacts', those behind J
  std::vector<Block> blocks;
  std::vector<Brake> brakes;
  bool held = false;  ///< closures take part
  double load = 0.0;  ///< size of f and of the drift, of both in the norm of M

  /// kNotConverged: nothing speaks against a solution.
  PredictionOutcome reduce(const ContactProblem& problem, const MotionLawOptions& options);
  Eigen::VectorXd drift() const;
  void expand(const Eigen::VectorXd& contact_forces, MotionPrediction& result);

 private:
  void list_rows(const ContactProblem& problem, const MotionLawOptions& options);
};

void Reduced::list_rows(const ContactProblem& problem, const MotionLawOptions& options)
{
  for (const Contact& contact : problem.contacts) {
    Block block;
    if (const std::size_t i = blocks.size(); i < options.slips.size() && options.slips[i] && contact.tangents > 0)
      block.slip = options.slips[i]->head(contact.tangents);
    block.contact = &contact;
    block.at = static_cast<int>(contact_rows.size());
    block.tangents = contact.tangents;
    blocks.push_back(block);
    for (int k = 0; k < contact.rows(); ++k) contact_rows.push_back(contact.row + k);
  }
  for (const LoopConstraint& closure : problem.loops)
    for (int k = 0; k < closure.rows; ++k) closure_rows.push_back(closure.row + k);
  for (std::size_t i = 0; options.brakes && i < problem.actuators.size(); ++i) {
    brakes.push_back({static_cast<int>(contact_rows.size()), problem.actuators[i].lower, problem.actuators[i].upper});
    contact_rows.push_back(static_cast<int>(problem.rows()) + static_cast<int>(i));
  }
}

PredictionOutcome Reduced::reduce(const ContactProblem& problem, const MotionLawOptions& options)
{
  S = problem.M.diagonal().unaryExpr([](double m) { return m > 0.0 ? 1.0 / std::sqrt(m) : 0.0; });
  if (!(cholesky.compute(S.asDiagonal() * problem.M * S.asDiagonal()) > std::sqrt(internal::kRank)))
    return PredictionOutcome::kSingularMass;
  list_rows(problem, options);
  const Eigen::Index rows = problem.rows();
  X.setZero(problem.nv(), rows + static_cast<Eigen::Index>(brakes.size()));
  X.leftCols(rows) = S.asDiagonal() * problem.J.transpose();
  for (std::size_t i = 0; i < brakes.size(); ++i) {
    const int dof = problem.actuators[i].dof;
    X(dof, rows + static_cast<Eigen::Index>(i)) = S[dof];
  }
  gamma.setZero(X.cols());
  gamma.head(rows) = problem.gamma;
  f = S.cwiseProduct(problem.F);
  cholesky.solve_lower(X);
  cholesky.solve_lower(f);
  Xe = X(Eigen::all, closure_rows);
  Xc = Y = X(Eigen::all, contact_rows);
  g = f;

  // X_e'w0 = -gamma_e, and the rest onto ker X_e'.
  const Eigen::VectorXd gamma_e = gamma(closure_rows);
  w0.setZero(problem.nv());
  const internal::ColumnSpan span = internal::column_span(Xe, internal::kRank);
  held = span.rank > 0;
  if (held) {
    w0 = internal::LeastNorm(Xe.transpose(), internal::kRank).solve(-gamma_e);
    const Eigen::MatrixXd Q = span.basis();
    Y -= Q * (Q.transpose() * Y);
    g -= Q * (Q.transpose() * g);
  }
  if (!closure_rows.empty() &&
      (Xe.transpose() * w0 + gamma_e).lpNorm<Eigen::Infinity>() > kKept * gamma_e.lpNorm<Eigen::Infinity>())
    return PredictionOutcome::kContradiction;
  // Rows inside the span of the closures: what is left of them is rounding.
  for (Eigen::Index j = 0; j < Y.cols(); ++j)
    if (Y.col(j).norm() <= internal::kRank * Xc.col(j).norm()) Y.col(j).setZero();
  load = f.norm();
  for (Eigen::Index i = 0; i < rows; ++i)
    if (X.col(i).norm() > 0.0) load = std::max(load, f.norm() + std::abs(gamma[i]) / X.col(i).norm());
  return PredictionOutcome::kNotConverged;
}

/// Accelerations of the contact rows without contact forces; rounding of none is none.
Eigen::VectorXd Reduced::drift() const
{
  Eigen::VectorXd q = Xc.transpose() * w0 + gamma(contact_rows) - Y.transpose() * g;
  for (Eigen::Index j = 0; j < q.size(); ++j)
    if (std::abs(q[j]) <= kNoDrift * load * Xc.col(j).norm()) q[j] = 0.0;
  return q;
}

/// Acceleration and all forces of given contact forces.
void Reduced::expand(const Eigen::VectorXd& contact_forces, MotionPrediction& result)
{
  const Eigen::VectorXd w = w0 + Y * contact_forces - g;
  result.acceleration = w;
  cholesky.solve_upper(result.acceleration);
  result.acceleration.array() *= S.array();
  const Eigen::Index at = static_cast<Eigen::Index>(contact_rows.size() - brakes.size());
  for (Eigen::Index j = 0; j < at; ++j) result.lambda[contact_rows[static_cast<std::size_t>(j)]] = contact_forces[j];
  result.effort = contact_forces.tail(contact_forces.size() - at);
  if (!held) return;
  const Eigen::VectorXd closure_forces = internal::LeastNorm(Xe, internal::kRank).solve(w + f - Xc * contact_forces);
  for (std::size_t j = 0; j < closure_rows.size(); ++j)
    result.lambda[closure_rows[j]] = closure_forces[static_cast<Eigen::Index>(j)];
}

/// What the contact does next, of accelerations u = J a + gamma; `still(row)`: that of the row counts as none.
template <typename Still>
ContactPrediction prediction_of(const Contact& contact, bool slides, const Eigen::VectorXd& lambda,
                                const Eigen::VectorXd& u, Still still)
{
  ContactPrediction next;
  const int row = contact.row, spin = row + 1 + contact.tangents;
  next.force.head(1 + contact.tangents) = lambda.segment(row, 1 + contact.tangents);
  next.normal_acceleration = u[row];
  next.tangential_acceleration.head(contact.tangents) = u.segment(row + 1, contact.tangents);
  bool moves = false;
  for (int r = row + 1; r < row + contact.rows(); ++r) moves = moves || !still(r);
  if (contact.torsional) {
    next.force[3] = lambda[spin];
    next.spin_acceleration = u[spin];
  }
  if (contact.side == Side::kUnilateral && u[row] > 0.0 && !still(row))
    next.motion = PredictedMotion::kDetaches;
  else
    next.motion = moves || slides ? PredictedMotion::kSlips : PredictedMotion::kSticks;
  return next;
}

}  // namespace

Prediction predict(const ContactProblem& problem, const PredictionOptions& options)
{
  MotionLawOptions at_rest;
  static_cast<PredictionOptions&>(at_rest) = options;
  return predict_motion(problem, at_rest);
}

MotionPrediction predict_motion(const ContactProblem& problem, const MotionLawOptions& options)
{
  problem.validate();
  if (options.start.size() != 0 && (options.start.size() != problem.rows() || !options.start.allFinite()))
    throw InputError("start", "want " + std::to_string(problem.rows()) + " finite forces, got " +
                                  std::to_string(options.start.size()));
  if (!options.slips.empty()) internal::check_slips(problem, options.slips);
  MotionPrediction result;
  result.acceleration.setZero(problem.nv());
  result.lambda.setZero(problem.rows());
  result.effort.setZero(options.brakes ? static_cast<Eigen::Index>(problem.actuators.size()) : 0);
  result.contacts.resize(problem.contacts.size());
  Reduced reduced;
  result.outcome = reduced.reduce(problem, options);
  if (result.outcome != PredictionOutcome::kNotConverged) return result;

  const Eigen::MatrixXd W = reduced.Y.transpose() * reduced.Y;
  const Eigen::VectorXd q = reduced.drift();
  const SlipSolver solver(W, q, reduced.load, reduced.blocks, reduced.brakes);
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(q.size());
  if (options.start.size() != 0)
    for (Eigen::Index j = 0; j < lambda.size() - static_cast<Eigen::Index>(reduced.brakes.size()); ++j)
      lambda[j] = options.start[reduced.contact_rows[static_cast<std::size_t>(j)]];
  if (options.brakes && options.start_effort.size() == result.effort.size())
    lambda.tail(result.effort.size()) = options.start_effort;
  if (options.newton_first) solver.polish(lambda, options.tolerance);
  result.residual = solver.residual(lambda);
  Eigen::VectorXd best = lambda;
  double least = result.residual;
  for (int next = 16; result.residual > options.tolerance && result.sweeps < options.max_sweeps;) {
    solver.sweep(lambda);
    ++result.sweeps;
    if (result.sweeps < next && result.sweeps < options.max_sweeps) continue;
    next *= 2;
    solver.polish(lambda, options.tolerance);
    result.residual = solver.residual(lambda);
    if (result.residual >= least) continue;
    least = result.residual;
    best = lambda;
  }
  if (least < result.residual) {  // sweeps do not always come nearer
    lambda = best;
    result.residual = least;
  }
  if (result.residual <= options.tolerance) result.outcome = PredictionOutcome::kConverged;

  reduced.expand(lambda, result);
  const Eigen::VectorXd u = problem.J * result.acceleration + problem.gamma;
  const auto still = [&](int row) { return std::abs(u[row]) <= kStill * reduced.load * reduced.X.col(row).norm(); };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    result.contacts[i] =
        prediction_of(problem.contacts[i], reduced.blocks[i].slip.has_value(), result.lambda, u, still);
  return result;
}

}  // namespace stiction
