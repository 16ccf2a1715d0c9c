#include "stiction/sticking_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "stiction/error.hpp"
#include "stiction/sticking.hpp"

namespace stiction {
namespace {

/// Share of the mean diagonal of the Delassus matrix that keeps it definite where rows depend on each other.
constexpr double kDelassusShift = 1e-9;

/// Smallest weight of a force beside the largest: contacts without load can still take some.
constexpr double kLightest = 1e-3;

/// Share of the loads below which accelerations are rounding.
constexpr double kRoundingOfLoads = 1e-10;

}  // namespace

struct StickingMonitor::Workspace {
  explicit Workspace(std::unique_ptr<Engine> engine) : checker(std::move(engine)) {}

  StickingChecker checker;
  StickingOptions options;
  StickingResult result;  ///< of the last decision; its certificate is the proof of the last verdict
  Judge judge;
  Verdict last = Verdict::kUndecided;
  Eigen::Index nv = -1, rows = -1;
  bool reused = false;

  internal::Cholesky mass, delassus;
  Eigen::VectorXd scale;    ///< of M to a unit diagonal
  Eigen::VectorXd weight;   ///< of forces
  Eigen::VectorXd missing;  ///< rows: J a + gamma, in weights
  Eigen::VectorXd force;    ///< nv
  Eigen::MatrixXd M, X, G;

  bool same_forces(const ContactProblem& problem);
  bool factor(const ContactProblem& problem);
  void set_weights(const ContactProblem& problem);
  void settle_at_rest(const ContactProblem& problem, Eigen::VectorXd& a) const;
  void accelerate(const ContactProblem& problem, const Eigen::VectorXd& lambda, int passes, Eigen::VectorXd& a);
  void keep_rows(const ContactProblem& problem, Eigen::VectorXd& a);
};

StickingMonitor::StickingMonitor(const StickingRules& rules, std::unique_ptr<Engine> engine)
    : workspace_(std::make_unique<Workspace>(std::move(engine)))
{
  workspace_->options.rules = rules;
  workspace_->options.explain = false;
}
StickingMonitor::~StickingMonitor() = default;
StickingMonitor::StickingMonitor(StickingMonitor&&) noexcept = default;
StickingMonitor& StickingMonitor::operator=(StickingMonitor&&) noexcept = default;

const Certificate& StickingMonitor::certificate() const { return workspace_->result.certificate; }
const Eigen::VectorXd& StickingMonitor::acceleration() const { return workspace_->result.acceleration; }
const Eigen::VectorXd& StickingMonitor::lambda() const { return workspace_->result.lambda; }
const std::string& StickingMonitor::reason() const { return workspace_->result.reason; }
bool StickingMonitor::reused() const { return workspace_->reused; }

void StickingMonitor::reset()
{
  workspace_->last = Verdict::kUndecided;
  workspace_->nv = workspace_->rows = -1;
}

Verdict StickingMonitor::step(const ContactProblem& problem)
{
  Workspace& w = *workspace_;
  if (w.nv != problem.nv() || w.rows != problem.rows()) w.last = Verdict::kUndecided;
  w.nv = problem.nv();
  w.rows = problem.rows();
  w.reused = w.last == Verdict::kHolds && w.same_forces(problem);
  if (w.reused) return w.last;
  w.checker.check(problem, w.options, w.result);
  return w.last = w.result.verdict;
}

/// Whether the last forces, changed as little as can be, are those of this step:  J M⁻¹J'λ = J M⁻¹F - gamma, every
/// contact at rest. Where rows depend on each other only their sums are given: steps of a proximal point method from
/// the last forces end at the nearest solution, in the weights.
bool StickingMonitor::Workspace::same_forces(const ContactProblem& p)
{
  Certificate& proof = result.certificate;
  if (proof.kind != CertificateKind::kForces || proof.lambda.size() != p.rows() || !factor(p)) return false;
  constexpr int kMostPasses = 4;
  double before = kInfinity;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    accelerate(p, proof.lambda, 1, proof.a);
    missing = p.gamma;
    missing.noalias() += p.J * proof.a;
    const double off = missing.lpNorm<Eigen::Infinity>();
    if (!(off < 0.5 * before)) break;  // rounding
    before = off;
    for (Eigen::Index i = 0; i < missing.size(); ++i) missing[i] *= weight[i];
    delassus.solve(missing);
    for (Eigen::Index i = 0; i < missing.size(); ++i) proof.lambda[i] -= weight[i] * missing[i];
  }
  accelerate(p, proof.lambda, 3, proof.a);
  settle_at_rest(p, proof.a);
  keep_rows(p, proof.a);
  if (!proof.lambda.allFinite() || !proof.a.allFinite() || judge(p, options.rules, proof) != Verdict::kHolds)
    return false;
  result.lambda = proof.lambda;
  result.acceleration = proof.a;
  result.reason.clear();
  return true;
}

/// What rounding of the loads leaves of J a + gamma is far above the rounding of a that a proof about bodies in motion
/// may have: it is taken out of a by the nearest change in the metric of M, which the loads do not feel.
void StickingMonitor::Workspace::keep_rows(const ContactProblem& p, Eigen::VectorXd& a)
{
  if (a.isZero(0.0)) return;
  for (int pass = 0; pass < 2; ++pass) {
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
      long double sum = p.gamma[r];
      for (Eigen::Index i = 0; i < p.nv(); ++i) sum += static_cast<long double>(p.J(r, i)) * a[i];
      missing[r] = static_cast<double>(sum) * weight[r];
    }
    delassus.solve(missing);
    for (Eigen::Index r = 0; r < p.rows(); ++r) missing[r] *= weight[r];
    force.noalias() = p.J.transpose() * missing;
    for (Eigen::Index i = 0; i < p.nv(); ++i) force[i] *= scale[i];
    mass.solve(force);
    for (Eigen::Index i = 0; i < p.nv(); ++i) a[i] -= force[i] * scale[i];
  }
}

/// M, and the weighted Delassus matrix W J M⁻¹J'W.
bool StickingMonitor::Workspace::factor(const ContactProblem& p)
{
  scale.resize(p.nv());
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    if (!(p.M(i, i) > 0.0)) return false;
    scale[i] = 1.0 / std::sqrt(p.M(i, i));
  }
  M = p.M;
  for (Eigen::Index j = 0; j < p.nv(); ++j)
    for (Eigen::Index i = 0; i < p.nv(); ++i) M(i, j) *= scale[i] * scale[j];
  if (!(mass.compute(M) > 0.0)) return false;
  set_weights(p);
  X.resize(p.nv(), p.rows());
  for (Eigen::Index r = 0; r < p.rows(); ++r)
    for (Eigen::Index i = 0; i < p.nv(); ++i) X(i, r) = weight[r] * p.J(r, i) * scale[i];
  mass.solve_lower(X);
  G.resize(p.rows(), p.rows());
  G.noalias() = X.transpose() * X;
  if (p.rows() == 0) return true;
  G.diagonal().array() += kDelassusShift * G.diagonal().mean();
  return delassus.compute(G) > 0.0;
}

/// Large forces change more than small ones; none changes where there is no friction.
void StickingMonitor::Workspace::set_weights(const ContactProblem& p)
{
  const Eigen::VectorXd& lambda = result.certificate.lambda;
  weight.setOnes(p.rows());
  double heaviest = 0.0;
  for (const Contact& c : p.contacts) heaviest = std::max(heaviest, std::abs(lambda[c.row]));
  if (!(heaviest > 0.0)) return;
  for (const Contact& c : p.contacts) {
    weight.segment(c.row, c.rows()).setConstant(std::max(std::abs(lambda[c.row]) / heaviest, kLightest));
    if (c.mu == 0.0) weight.segment(c.row + 1, c.rows() - 1).setZero();
  }
}

/// An acceleration that is only rounding of the loads is none: a proof about bodies at rest has to be about rest.
void StickingMonitor::Workspace::settle_at_rest(const ContactProblem& p, Eigen::VectorXd& a) const
{
  if (!p.gamma.isZero(0.0)) return;
  double load = 0.0, fastest = 0.0;  // in coordinates in which M has a unit diagonal
  for (Eigen::Index i = 0; i < p.nv(); ++i) {
    load = std::max(load, std::abs(p.F[i]) * scale[i]);
    fastest = std::max(fastest, std::abs(a[i]) / scale[i]);
  }
  if (fastest <= kRoundingOfLoads * load) a.setZero();
}

/// M a = J'λ - F, with the last of three passes to rounding of the sums in it.
void StickingMonitor::Workspace::accelerate(const ContactProblem& p, const Eigen::VectorXd& lambda, int passes,
                                            Eigen::VectorXd& a)
{
  a.setZero(p.nv());
  force.resize(p.nv());
  for (int pass = 0; pass < passes; ++pass) {
    for (Eigen::Index i = 0; i < p.nv(); ++i) {
      long double sum = -static_cast<long double>(p.F[i]);
      for (Eigen::Index r = 0; r < p.rows(); ++r) sum += static_cast<long double>(p.J(r, i)) * lambda[r];
      for (Eigen::Index j = 0; j < p.nv() && pass > 0; ++j) sum -= static_cast<long double>(p.M(i, j)) * a[j];
      force[i] = static_cast<double>(sum) * scale[i];
    }
    mass.solve(force);
    for (Eigen::Index i = 0; i < p.nv(); ++i) a[i] += force[i] * scale[i];
  }
}

}  // namespace stiction
