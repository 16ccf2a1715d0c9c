#include <cmath>

#include "ask/equilibrium_workspace.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr double kKeptFromRims =
    0.1;  // share of the load of one contact that new forces keep from every rim, where they can

}  // namespace

struct EquilibriumMonitor::Workspace {
  EquilibriumChecker::Workspace checker;
  ConeShape shape;
  Certificate certificate;
  Eigen::VectorXd lambda, efforts;
  std::string reason;
  Verdict last = Verdict::kUndecided;
  Eigen::Index nv = -1, rows = -1;
  bool reused = false;

  /// Six rows, those of one body, are worth loops of their own: M = 6, or -1 for any number.
  template <int M>
  struct Correction {
    Eigen::Matrix<double, M, M> gram;
    internal::PivotedCholesky<M> factor;
    Eigen::Matrix<double, M, 1> missing;
  };
  Correction<6> correction_of_six;
  Correction<-1> correction_of_any;
  Eigen::VectorXd x, weight;

  void give_room();
  bool same_proof();
  bool correct_forces();
  template <int M>
  bool correct(Correction<M>& correction);
};

EquilibriumMonitor::EquilibriumMonitor(ConeShape shape, std::unique_ptr<Engine> engine)
    : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->shape = shape;
  workspace_->checker.search.engine = std::move(engine);
}
EquilibriumMonitor::~EquilibriumMonitor() = default;
EquilibriumMonitor::EquilibriumMonitor(EquilibriumMonitor&&) noexcept = default;
EquilibriumMonitor& EquilibriumMonitor::operator=(EquilibriumMonitor&&) noexcept = default;

const Certificate& EquilibriumMonitor::certificate() const { return workspace_->certificate; }
const Eigen::VectorXd& EquilibriumMonitor::lambda() const { return workspace_->lambda; }
const Eigen::VectorXd& EquilibriumMonitor::efforts() const { return workspace_->efforts; }
const std::string& EquilibriumMonitor::reason() const { return workspace_->reason; }
bool EquilibriumMonitor::reused() const { return workspace_->reused; }

void EquilibriumMonitor::reset()
{
  workspace_->last = Verdict::kUndecided;
  workspace_->nv = workspace_->rows = -1;
}

Verdict EquilibriumMonitor::step(const ContactProblem& problem, const Eigen::VectorXd& a)
{
  Workspace& w = *workspace_;
  const bool known = w.nv == problem.nv() && w.rows == problem.rows();
  if (!known) w.last = Verdict::kUndecided;
  w.checker.load(problem, a, w.shape, 4096, known);
  w.nv = problem.nv();
  w.rows = problem.rows();
  w.reason.clear();
  w.reused = w.last != Verdict::kUndecided && w.same_proof();
  if (!w.reused) {
    w.last = w.checker.decide_and_judge(w.certificate, w.reason);
    if (w.last == Verdict::kHolds) w.give_room();
  }
  if (w.last == Verdict::kHolds) {
    w.lambda = w.certificate.lambda;
    w.efforts = w.certificate.efforts;
  } else {
    w.checker.set.to_lambda(w.checker.found.forces, w.lambda);
    w.checker.write_efforts(w.lambda, w.efforts);
  }
  return w.last;
}

/// New forces away from every rim, so that those of the next steps can stay near them.
void EquilibriumMonitor::Workspace::give_room()
{
  const double load_of_one = checker.set_effort_room();
  if (!(load_of_one > 0.0)) return;
  for (const double share : {kKeptFromRims, 0.1 * kKeptFromRims}) {
    const double room = share * load_of_one;
    if (!checker.slack.give(checker.hold_problem(), &checker.effort_room, room, checker.search, checker.found))
      continue;
    checker.write_forces(certificate);
    last = checker.judged(certificate, Verdict::kHolds, reason);
    return;
  }
}

/// Whether the last proof, brought to the numbers of this step, is one.
bool EquilibriumMonitor::Workspace::same_proof()
{
  certificate.a = checker.a;
  if (last == Verdict::kHolds && !correct_forces()) return false;
  return checker.judge.equilibrium(*checker.problem, checker.a, shape, certificate) == last;
}

/// The smallest change of the last forces that balances the new load, large forces changing more than small ones:
/// Δ = W E'(E W E')⁻¹ (e - E λ) on the rows without motors. Motors take what they are left.
bool EquilibriumMonitor::Workspace::correct_forces()
{
  const ContactProblem& p = *checker.problem;
  const internal::MultiplierSet& set = checker.set;
  const Eigen::Index m = set.exact_rows(), n = set.force_columns();
  set.from_lambda(certificate.lambda, x);
  if (m > 0) {
    weight.setZero(n);
    double heaviest = 0.0;
    for (size_t i = 0; i < p.contacts.size(); ++i) {
      const double normal = x[set.column(i)];
      weight.segment(set.column(i), p.contacts[i].rows()).setConstant(normal * normal);
      heaviest = std::max(heaviest, normal * normal);
    }
    for (size_t i = 0; i < p.contacts.size(); ++i)
      if (p.contacts[i].mu == 0.0) weight.segment(set.column(i) + 1, p.contacts[i].rows() - 1).setZero();
    Eigen::Index forces = 0;
    for (const Contact& c : p.contacts) forces += c.rows();
    weight.tail(n - forces).setConstant(heaviest > 0.0 ? heaviest : 1.0);  // closures
    if (!(m == 6 ? correct(correction_of_six) : correct(correction_of_any))) return false;
  }
  set.to_lambda(x, certificate.lambda);
  checker.write_efforts(certificate.lambda, certificate.efforts);
  return true;
}

/// x += Δ with the weights W at hand.
template <int M>
bool EquilibriumMonitor::Workspace::correct(Correction<M>& correction)
{
  const ConeProgram& program = checker.set.program();
  const Eigen::Index m = M > 0 ? M : checker.set.exact_rows(), n = checker.set.force_columns();
  // The columns of E come with m entries each, few and contiguous: plain loops along them.
  const double* E = program.E.data();
  const Eigen::Index stride = program.E.rows();
  auto& [gram, factor, missing] = correction;
  gram.setZero(m, m);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double* column = E + j * stride;
    for (Eigen::Index k = 0; k < m; ++k) {
      const double share = weight[j] * column[k];
      double* to = gram.data() + k * m;
      for (Eigen::Index i = M > 0 ? 0 : k; i < m; ++i) to[i] += share * column[i];  // the lower half is read
    }
  }
  if (!factor.compute(gram)) return false;
  missing.resize(m);
  for (int pass = 0; pass < 3; ++pass) {  // the last passes take rounding out
    for (Eigen::Index i = 0; i < m; ++i) {
      long double sum = program.e[i];
      for (Eigen::Index j = 0; j < n; ++j) sum -= static_cast<long double>(E[j * stride + i]) * x[j];
      missing[i] = static_cast<double>(sum);
    }
    factor.solve(missing);
    if (!missing.allFinite()) return false;
    for (Eigen::Index j = 0; j < n; ++j) {
      double change = 0.0;
      for (Eigen::Index i = 0; i < m; ++i) change += E[j * stride + i] * missing[i];
      x[j] += weight[j] * change;
    }
  }
  return true;
}

}  // namespace stiction
