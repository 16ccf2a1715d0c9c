// Detachment::kFree: every contact sticks, or leaves and is then free. Sets of contacts that leave are looked at one by
// one, the fewest first; what stays is an all-sticking problem in which nothing detaches.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "ask/contact_reports.hpp"
#include "ask/failure.hpp"
#include "ask/friction_bracket.hpp"
#include "ask/parts.hpp"
#include "ask/sticking_workspace.hpp"

namespace stiction {
namespace {

std::vector<int> unilateral_contacts(const ContactProblem& problem)
{
  std::vector<int> result;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].side == Side::kUnilateral) result.push_back(static_cast<int>(i));
  return result;
}

/// Whether all sets are looked at: a mode costs about the cube of its equations, and an answer seconds at most.
bool may_search(const ContactProblem& problem, const std::vector<int>& contacts)
{
  constexpr double kMostWork = 4e9;
  const double equations = static_cast<double>(problem.nv() + problem.rows());
  return static_cast<int>(contacts.size()) <= kMostLeaving &&
         std::ldexp(equations * equations * equations, static_cast<int>(contacts.size())) <= kMostWork;
}

/// Every subset, the smallest first; when there are too many of them, only the one in which nothing leaves.
std::vector<std::vector<int>> sets_that_leave(const std::vector<int>& contacts, bool all)
{
  std::vector<std::vector<int>> sets(1);
  if (!all) return sets;
  for (unsigned mask = 1; mask < 1u << contacts.size(); ++mask) {
    sets.emplace_back();
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (mask >> k & 1u) sets.back().push_back(contacts[k]);
  }
  std::ranges::stable_sort(sets, {}, &std::vector<int>::size);
  return sets;
}

double opening_of(const ContactProblem& problem, int contact, const Eigen::VectorXd& a)
{
  const int row = problem.contacts[static_cast<std::size_t>(contact)].row;
  return problem.J.row(row).dot(a) + problem.gamma[row];
}

/// Forces of what stays, in the rows of the whole problem; those of what leaves are zero.
Eigen::VectorXd whole_lambda(const ContactProblem& problem, const ContactProblem& stays,
                             const std::vector<int>& leaving, const Eigen::VectorXd& lambda)
{
  Eigen::VectorXd whole = Eigen::VectorXd::Zero(problem.rows());
  std::size_t next = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    if (std::ranges::binary_search(leaving, static_cast<int>(i))) continue;
    const Contact& from = stays.contacts[next++];
    whole.segment(problem.contacts[i].row, from.rows()) = lambda.segment(from.row, from.rows());
  }
  for (std::size_t i = 0; i < problem.loops.size(); ++i)
    whole.segment(problem.loops[i].row, problem.loops[i].rows) =
        lambda.segment(stays.loops[i].row, stays.loops[i].rows);
  return whole;
}

}  // namespace

/// True when the forces found for what stays prove that it holds; `result` then has them.
bool StickingChecker::Workspace::holds_leaving(const ContactProblem& p, const StickingOptions& opt,
                                               const ContactProblem& stays, const std::vector<int>& leaving,
                                               const StickingResult& one, StickingResult& result)
{
  Certificate forces{
      CertificateKind::kForces, one.certificate.a, whole_lambda(p, stays, leaving, one.certificate.lambda), {}};
  forces.leaving = leaving;
  if (judge(p, opt.rules, forces) != Verdict::kHolds) return false;
  result.verdict = Verdict::kHolds;
  result.reason.clear();
  result.lambda = forces.lambda;
  result.acceleration = forces.a;
  result.certificate = std::move(forces);
  result.indeterminacy = one.indeterminacy;
  result.strict = one.strict;
  result.slack = one.slack;
  std::size_t next = 0;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    ContactReport& contact = result.contacts[i];
    if (std::ranges::binary_search(leaving, static_cast<int>(i))) {
      contact = ContactReport{};
      contact.state = ContactState::kDetaching;
      contact.normal_acceleration = opening_of(p, static_cast<int>(i), result.acceleration);
    } else {
      contact = one.contacts[next++];
    }
  }
  return true;
}

/// A proof that what stays cannot stick, or that its motion drives a contact that leaves into its surface; kNone: none
/// was found.
Certificate StickingChecker::Workspace::refutation(const ContactProblem& p, const StickingOptions& opt,
                                                   const std::vector<int>& leaving, const StickingResult& one)
{
  Certificate mode = one.certificate;
  mode.leaving = leaving;
  if (one.verdict == Verdict::kFails && judge.refutes_mode(p, opt.rules.shape, mode)) return mode;
  mode.kind = CertificateKind::kPenetration;
  mode.a = one.verdict == Verdict::kHolds ? one.certificate.a : one.acceleration;
  mode.lambda = one.verdict == Verdict::kHolds ? one.certificate.lambda : one.lambda;
  mode.leaves.clear();
  if (!leaving.empty() && mode.a.size() == p.nv()) {
    mode.penetrating = std::ranges::min(leaving, {}, [&](int contact) { return opening_of(p, contact, mode.a); });
    if (opening_of(p, mode.penetrating, mode.a) < 0.0 && judge.refutes_mode(p, opt.rules.shape, mode)) return mode;
  }
  return {};
}

void StickingChecker::Workspace::check_free(const ContactProblem& p, const StickingOptions& opt, StickingResult& result)
{
  start(p, opt, result);
  StickingOptions each;
  each.rules = {opt.rules.shape, Detachment::kForbidden};
  each.largest_slack = opt.largest_slack;
  each.explain = false;
  each.branch_limit = opt.branch_limit;
  const std::vector<int> unilateral = unilateral_contacts(p);
  std::vector<Certificate> modes;
  std::string open;  // why some mode is neither refuted nor holds
  int iterations = 0;
  const bool all = may_search(p, unilateral);
  for (const std::vector<int>& leaving : sets_that_leave(unilateral, all)) {
    const ContactProblem stays = problem_without(p, leaving);
    StickingResult one;
    check(stays, each, one);
    if (one.verdict == Verdict::kUndecided) check_by_parts(stays, each, one);
    iterations += one.iterations;
    if (one.verdict == Verdict::kHolds && holds_leaving(p, opt, stays, leaving, one, result)) break;
    Certificate refuted = refutation(p, opt, leaving, one);
    if (refuted.kind != CertificateKind::kNone)
      modes.push_back(std::move(refuted));
    else if (open.empty())
      open = internal::leaving_words(p, leaving) + ": " +
             (one.reason.empty() ? "whether a contact that leaves is driven into its surface is within rounding"
                                 : one.reason);
  }
  result.iterations = iterations;
  problem = &p;  // the modes had their own
  options = &opt;
  if (result.verdict == Verdict::kHolds) {
    if (opt.intervals && all) free_intervals(result);
    if (opt.margins && all) free_margins(result);
    return;
  }
  if (!all && open.empty())
    open = "with " + std::to_string(unilateral.size()) +
           " unilateral contacts there are too many ways to leave (those of " + std::to_string(kMostLeaving) +
           " are looked at, of fewer in large scenes), and with none leaving they do not stick";
  result.reason = open;
  if (!open.empty()) return;
  result.certificate = {CertificateKind::kModes, {}, {}, {}};
  result.certificate.modes = std::move(modes);
  std::string why;
  if (judge(p, opt.rules, result.certificate, &why) != Verdict::kFails) {
    result.reason = "the proof was not accepted: " + why;
    return;
  }
  result.verdict = Verdict::kFails;
  if (opt.margins || opt.repairs) free_margins(result);
}

/// Range of every normal force over all modes that hold; left open where one of them can neither be shown nor refuted.
void StickingChecker::Workspace::free_intervals(StickingResult& result)
{
  const ContactProblem& p = *problem;
  const StickingOptions& opt = *options;
  StickingOptions each;
  each.rules = {opt.rules.shape, Detachment::kForbidden};
  each.explain = false;
  each.intervals = true;
  each.branch_limit = opt.branch_limit;
  std::vector<Margin> ranges(p.contacts.size(), {Margin::State::kKnown, kInfinity, -kInfinity, {}});
  for (const std::vector<int>& leaving : sets_that_leave(unilateral_contacts(p), true)) {
    const ContactProblem stays = problem_without(p, leaving);
    StickingResult one, whole;
    Workspace other;
    const internal::Lend lend(search.engine, other.search.engine);
    other.check(stays, each, one);
    whole.contacts.resize(p.contacts.size());
    if (one.verdict != Verdict::kHolds || !holds_leaving(p, opt, stays, leaving, one, whole)) {
      if (refutation(p, opt, leaving, one).kind == CertificateKind::kNone) return;
      continue;
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const bool gone = whole.contacts[i].state == ContactState::kDetaching;
      const Margin none{Margin::State::kKnown, 0.0, 0.0, {}};
      const Margin& here = gone ? none : whole.contacts[i].normal_interval;
      ranges[i].lower = std::min(ranges[i].lower, here.lower);
      ranges[i].upper = std::max(ranges[i].upper, here.upper);
      if (here.state == Margin::State::kKnown) continue;
      ranges[i].state = Margin::State::kUndecided;
      ranges[i].reason = here.reason;
    }
  }
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].lower <= ranges[i].upper) result.contacts[i].normal_interval = ranges[i];
}

/// More friction only adds forces to a mode, and motions do not depend on it: the least one is bracketed by decisions
/// over all modes, each judged.
void StickingChecker::Workspace::free_margins(StickingResult& result)
{
  const ContactProblem& p = *problem;
  if (unilateral_contacts(p).size() > internal::kMostLeavingInTrials || !options->rules.shape.may_prove_holds()) return;
  const bool holds = result.verdict == Verdict::kHolds;
  const auto itself = [](double friction) { return friction; };
  const internal::FrictionBracket least = internal::bracket_friction(
      1.0, {holds ? -1.0 : 1.0, holds ? 1.0 : kInfinity},
      [&](double factor) { return verdict_as(internal::with_friction(p, factor)); }, itself);
  result.friction_scale = least.as_number();
  if (holds || !options->repairs || !least.known || !least.upper) return;
  result.repairs.push_back({Repair::Change::kCommonFriction, -1, *least.upper, {}});
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    if (p.contacts[i].tangents == 0) continue;
    ContactProblem raised = p;
    const auto with = [&](double mu) {
      raised.contacts[i].mu = mu;
      return verdict_as(raised);
    };
    const internal::FrictionBracket alone =
        internal::bracket_friction(std::max(p.contacts[i].mu, 0.1), {p.contacts[i].mu}, with, itself);
    if (alone.known && alone.upper && *alone.upper > p.contacts[i].mu)
      result.repairs.push_back({Repair::Change::kFriction, static_cast<int>(i), *alone.upper, {}});
  }
}

}  // namespace stiction
