#include "ask/failure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/left_motion.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/sticking.hpp"
#include "stiction/words.hpp"

namespace stiction {
namespace {

constexpr Remedies kAllRemedies = kMoreMotors | kMoreEffort | kLargerLimits | kMoreFriction;
constexpr Remedy kInOrder[] = {kMoreMotors, kMoreEffort, kLargerLimits, kMoreFriction};

FailureCause cause_of(Remedy helps)
{
  switch (helps) {
    case kMoreMotors:
      return FailureCause::kMotors;
    case kMoreEffort:
      return FailureCause::kEffort;
    case kLargerLimits:
      return FailureCause::kLimits;
    case kMoreFriction:
      return FailureCause::kFriction;
  }
  return FailureCause::kUnknown;
}

/// What the answers at hand say about a set of remedies: what holds does so with more of them, what fails with less.
Verdict implied(const std::vector<Counterfactual>& answers, Remedies with)
{
  if (with == 0) return Verdict::kFails;
  for (const Counterfactual& answer : answers) {
    if ((answer.with ^ with) & kMoreMotors) continue;
    if (answer.verdict == Verdict::kHolds && (answer.with & ~with) == 0) return Verdict::kHolds;
    if (answer.verdict == Verdict::kFails && (with & ~answer.with) == 0) return Verdict::kFails;
  }
  return Verdict::kUndecided;
}

/// The first set of several remedies that helps, the smaller ones first; 0: none is known to.
template <class Ask>
Remedies several_that_help(Remedies possible, Ask&& ask)
{
  for (int size = 2; size <= std::popcount(possible); ++size)
    for (Remedies with = 1; with <= kAllRemedies; ++with)
      if ((with & ~possible) == 0 && std::popcount(with) == size && ask(with) == Verdict::kHolds) return with;
  return 0;
}

/// @param ask verdict with remedies
template <class Ask>
void diagnose_by(Remedies possible, Ask&& ask, Failure& failure)
{
  failure.cause = FailureCause::kUnknown;
  failure.helps = failure.defied = 0;
  const Remedies without_motors = possible & ~Remedies{kMoreMotors};
  // All together first: one proof that nothing helps is worth all others.
  if (ask(without_motors) == Verdict::kFails && ask(possible) == Verdict::kFails) {
    failure.cause = FailureCause::kNothing;
    failure.defied = without_motors;
    return;
  }
  bool each_fails = true;
  for (const Remedy remedy : kInOrder) {
    if (!(possible & remedy)) continue;
    const Verdict alone = ask(remedy);
    each_fails = each_fails && alone == Verdict::kFails;
    if (alone != Verdict::kHolds) continue;
    failure.cause = cause_of(remedy);
    failure.helps = remedy;
    break;
  }
  if (failure.helps == 0 && each_fails) {
    failure.helps = several_that_help(possible, ask);
    if (failure.helps != 0) failure.cause = FailureCause::kSeveral;
  }
  if (failure.helps == 0) return;
  const Remedies others = without_motors & ~failure.helps;
  if (ask(others) == Verdict::kFails) failure.defied = others;
}

}  // namespace

ContactProblem relieved(const ContactProblem& problem, Remedies with, double friction,
                        const std::vector<int>& idle_motors)
{
  ContactProblem result = with & kMoreFriction ? internal::with_friction(problem, friction) : problem;
  if (with & kLargerLimits)
    for (Contact& contact : result.contacts) contact.max_normal = kInfinity;
  if (with & kMoreEffort)
    for (Actuator& motor : result.actuators) {
      if (motor.lower < 0.0) motor.lower = -kInfinity;
      if (motor.upper > 0.0) motor.upper = kInfinity;
    }
  if (with & kMoreMotors)
    for (const int dof : idle_motors) {
      const auto d = static_cast<std::size_t>(dof);
      result.actuators.push_back({d < problem.dof_names.size() ? problem.dof_names[d] : "motor " + std::to_string(dof),
                                  dof, -kInfinity, kInfinity});
    }
  return result;
}

Remedies possible_remedies(const ContactProblem& problem, const std::vector<int>& idle_motors)
{
  Remedies possible = idle_motors.empty() ? 0u : kMoreMotors;
  for (const Actuator& motor : problem.actuators)
    if ((motor.lower < 0.0 && std::isfinite(motor.lower)) || (motor.upper > 0.0 && std::isfinite(motor.upper)))
      possible |= kMoreEffort;
  for (const Contact& contact : problem.contacts) {
    if (std::isfinite(contact.max_normal)) possible |= kLargerLimits;
    if ((contact.tangents > 0 && contact.mu > 0.0) || (contact.torsional && contact.torsion > 0.0))
      possible |= kMoreFriction;
  }
  return possible;
}

void diagnose(Remedies possible, Failure& failure)
{
  diagnose_by(possible, [&](Remedies with) { return implied(failure.counterfactuals, with); }, failure);
}

namespace internal {
namespace {

/// Asks the counterfactuals of one failing case, each once, with an engine of its own: the answers depend neither on
/// the one that found the failure nor on what it was asked before.
class Counterfactuals {
 public:
  /// @param rules of all_sticking; none: the question is equilibrium
  /// @param known perhaps a proof with the most friction
  Counterfactuals(const ContactProblem& problem, const StickingRules* rules, const Eigen::VectorXd& a, int branch_limit,
                  const Certificate& known, Failure& failure)
      : problem_(problem), rules_(rules), a_(a), branch_limit_(branch_limit), known_(known), failure_(failure)
  {
    too_many_modes_ = rules && rules->detachment == Detachment::kFree &&
                      std::ranges::count(problem.contacts, Side::kUnilateral, &Contact::side) > kMostLeavingInTrials;
  }

  Verdict operator()(Remedies with)
  {
    if (const Verdict known = implied(failure_.counterfactuals, with); known != Verdict::kUndecided) return known;
    if (too_many_modes_ || std::ranges::find(open_, with) != open_.end()) return Verdict::kUndecided;
    // Huge coefficients may be too much for a proof; what a hundred times the friction does not hold is not a matter of
    // friction.
    for (const double friction : {kUnlimitedFriction, 1e2}) {
      Counterfactual trial;
      trial.with = with;
      trial.friction = with & kMoreFriction ? friction : 1.0;
      ask(relieved(problem_, with, trial.friction, failure_.idle_motors), trial);
      if (trial.verdict != Verdict::kUndecided) {
        failure_.counterfactuals.push_back(std::move(trial));
        return failure_.counterfactuals.back().verdict;
      }
      if (!(with & kMoreFriction)) break;
    }
    open_.push_back(with);
    return Verdict::kUndecided;
  }

 private:
  void ask(const ContactProblem& changed, Counterfactual& trial)
  {
    if (trial.friction == kUnlimitedFriction && !(trial.with & kMoreMotors) && known_fails(changed)) {
      trial.verdict = Verdict::kFails;
      trial.certificate = known_;
      return;
    }
    if (rules_ && !(trial.with & kMoreMotors)) {
      StickingOptions options;
      options.rules.detachment = rules_->detachment;
      options.explain = options.largest_slack = false;
      options.branch_limit = branch_limit_;
      StickingResult result;
      sticking_.check(changed, options, result);
      trial.verdict = result.verdict;
      trial.certificate = std::move(result.certificate);
      return;
    }
    if (rules_ && !problem_.gamma.isZero(0.0)) return;  // nothing can be at rest
    EquilibriumOptions options;
    options.explain = options.structure = options.largest_slack = false;
    options.branch_limit = branch_limit_;
    EquilibriumResult result;
    equilibrium_.check(changed, rules_ ? Eigen::VectorXd() : a_, options, result);
    trial.verdict = result.verdict;
    trial.certificate = std::move(result.certificate);
  }

  bool known_fails(const ContactProblem& changed) const
  {
    if (known_.kind == CertificateKind::kNone) return false;
    const Verdict verdict = rules_ ? judge(changed, {ConeShape::exact(), rules_->detachment}, known_)
                                   : judge_equilibrium(changed, a_, ConeShape::exact(), known_);
    return verdict == Verdict::kFails;
  }

  const ContactProblem& problem_;
  const StickingRules* rules_;
  const Eigen::VectorXd& a_;
  const int branch_limit_;
  const Certificate& known_;
  Failure& failure_;
  bool too_many_modes_ = false;
  std::vector<Remedies> open_;
  StickingChecker sticking_;
  EquilibriumChecker equilibrium_;
};

Failure explain(const ContactProblem& problem, const StickingRules* rules, const Certificate& certificate,
                const std::vector<int>& idle_motors, int branch_limit, const Certificate& known)
{
  Failure failure;
  failure.idle_motors = idle_motors;
  const Certificate* told = told_motion(certificate);
  if (!told) {  // rows of J or loads alone contradict each other
    failure.cause = FailureCause::kNothing;
    return failure;
  }
  Counterfactuals ask(problem, rules, told->a, branch_limit, known, failure);
  diagnose_by(possible_remedies(problem, idle_motors), ask, failure);

  std::vector<char> detaching(problem.contacts.size(), 0);
  if (rules && rules->detachment == Detachment::kAllowed) {
    Eigen::VectorXd scales;
    Judge().row_scales(problem, told->a, scales);
    find_detaching(problem, rules->detachment, told->a, scales, detaching);
  }
  for (const int contact : told->leaving) detaching[static_cast<std::size_t>(contact)] = 1;
  find_left_motion(problem, told->a, detaching, failure);
  return failure;
}

}  // namespace

Failure explain_sticking_failure(const ContactProblem& problem, const StickingRules& rules,
                                 const Certificate& certificate, const std::vector<int>& idle_motors, int branch_limit,
                                 const Certificate& known)
{
  return explain(problem, &rules, certificate, idle_motors, branch_limit, known);
}

Failure explain_imbalance(const ContactProblem& problem, const Certificate& certificate,
                          const std::vector<int>& idle_motors, int branch_limit, const Certificate& known)
{
  return explain(problem, nullptr, certificate, idle_motors, branch_limit, known);
}

}  // namespace internal
}  // namespace stiction
