// What is done about all-sticking and equilibrium when the engine leaves them open: one connected part after the other,
// whose certificates are put together and judged as one; then another engine.
#include "ask/parts.hpp"

#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/equilibrium_workspace.hpp"
#include "ask/sticking_workspace.hpp"
#include "proof/scales.hpp"
#include "stiction/words.hpp"

namespace stiction {
namespace internal {
namespace {

Part take_part(const ContactProblem& p, const Scales& scales, int k)
{
  Part part;
  const auto owns_row = [&](int row) { return scales.row_part[static_cast<std::size_t>(row)] == k; };
  for (int j = 0; j < p.nv(); ++j)
    if (scales.part[static_cast<std::size_t>(j)] == k) part.dofs.push_back(j);
  ContactProblem& own = part.problem;
  const auto take_rows = [&](int first, int count) {
    const auto row = static_cast<int>(part.rows.size());
    for (int r = 0; r < count; ++r) part.rows.push_back(first + r);
    return row;
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    if (!owns_row(p.contacts[i].row)) continue;
    part.contacts.push_back(static_cast<int>(i));
    own.contacts.push_back(p.contacts[i]);
    own.contacts.back().row = take_rows(p.contacts[i].row, p.contacts[i].rows());
  }
  for (const LoopConstraint& closure : p.loops) {
    if (closure.rows == 0 || !owns_row(closure.row)) continue;
    own.loops.push_back(closure);
    own.loops.back().row = take_rows(closure.row, closure.rows);
  }
  for (std::size_t i = 0; i < p.actuators.size(); ++i) {
    const auto at = std::ranges::find(part.dofs, p.actuators[i].dof);
    if (at == part.dofs.end()) continue;
    part.actuators.push_back(static_cast<int>(i));
    own.actuators.push_back(p.actuators[i]);
    own.actuators.back().dof = static_cast<int>(at - part.dofs.begin());
  }
  own.M = p.M(part.dofs, part.dofs);
  own.F = p.F(part.dofs);
  own.J = p.J(part.rows, part.dofs);
  own.gamma = p.gamma(part.rows);
  if (!p.dof_names.empty())
    for (const int j : part.dofs) own.dof_names.push_back(p.dof_names[static_cast<std::size_t>(j)]);
  if (!p.dofs.empty())
    for (const int j : part.dofs) own.dofs.push_back(p.dofs[static_cast<std::size_t>(j)]);
  return part;
}

/// Contacts of a part in the whole's report, and the verdict so far: one part that fails is enough.
template <class Result>
void join(const Part& part, const Result& found, bool first, Result& result)
{
  Part::scatter(found.lambda, part.rows, result.lambda);
  for (std::size_t i = 0; i < part.contacts.size(); ++i)
    result.contacts[static_cast<std::size_t>(part.contacts[i])] = found.contacts[i];
  result.indeterminacy = (first ? 0 : result.indeterminacy) + found.indeterminacy;
  result.strict = found.strict && (first || result.strict);
  result.slack = first ? found.slack : std::min(result.slack, found.slack);
  result.iterations += found.iterations;
}

}  // namespace

Eigen::VectorXd Part::gather(const Eigen::VectorXd& whole, const std::vector<int>& places)
{
  return whole.size() > 0 ? Eigen::VectorXd(whole(places)) : whole;
}

void Part::scatter(const Eigen::VectorXd& part, const std::vector<int>& places, Eigen::VectorXd& whole)
{
  for (std::size_t i = 0; i < places.size() && part.size() > 0; ++i)
    whole[places[i]] = part[static_cast<Eigen::Index>(i)];
}

void Part::add_leaves(const ContactProblem& whole, const std::vector<MotionLeaf>& own,
                      std::vector<MotionLeaf>& leaves) const
{
  const auto limited = [](const Contact& c) { return std::isfinite(c.max_normal); };
  for (const MotionLeaf& leaf : own) {
    MotionLeaf& wide = leaves.emplace_back();
    wide.signs.assign(whole.contacts.size(), 0);
    wide.motion.setZero(whole.nv() + std::ranges::count_if(whole.contacts, limited));
    scatter(leaf.motion, dofs, wide.motion);
    Eigen::Index price = problem.nv();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const auto at = static_cast<std::size_t>(contacts[i]);
      wide.signs[at] = leaf.signs[i];
      if (limited(problem.contacts[i]))
        wide.motion[whole.nv() + std::count_if(whole.contacts.begin(), whole.contacts.begin() + contacts[i], limited)] =
            leaf.motion[price++];
    }
  }
}

std::vector<Part> split_into_parts(const ContactProblem& problem)
{
  Scales scales;
  scales.measure(problem);
  std::vector<Part> parts;
  for (int k = 0; scales.parts > 1 && k < scales.parts; ++k) parts.push_back(take_part(problem, scales, k));
  return parts;
}

std::unique_ptr<Engine> second_engine(const Engine& first, const ContactProblem& problem)
{
  constexpr Eigen::Index kMostEquations = 150;  // as many as io's limits let qpOASES have
  if (problem.nv() + problem.rows() > kMostEquations) return nullptr;
  return stopping_with(first, first.second_opinion());
}

}  // namespace internal

using internal::Part;

void StickingChecker::Workspace::ask_second_engine(const ContactProblem& p, const StickingOptions& opt,
                                                   StickingResult& result) const
{
  Workspace other;
  other.search.engine = internal::second_engine(*search.engine, p);
  if (!other.search.engine) return;
  StickingResult second;
  other.check(p, opt, second);
  if (second.verdict == Verdict::kUndecided && !other.check_by_parts(p, opt, second)) return;
  second.second_engine = other.search.engine->name();
  result = std::move(second);
}

void EquilibriumChecker::Workspace::ask_second_engine(const ContactProblem& p, const Eigen::VectorXd& given,
                                                      const EquilibriumOptions& opt, EquilibriumResult& result) const
{
  Workspace other;
  other.search.engine = internal::second_engine(*search.engine, p);
  if (!other.search.engine) return;
  EquilibriumResult second;
  other.check(p, given, opt, second);
  if (second.verdict == Verdict::kUndecided && !other.check_by_parts(p, given, opt, second)) return;
  second.second_engine = other.search.engine->name();
  result = std::move(second);
}

bool StickingChecker::Workspace::check_by_parts(const ContactProblem& p, const StickingOptions& opt,
                                                StickingResult& result)
{
  const std::vector<Part> parts = internal::split_into_parts(p);
  if (parts.empty()) return false;
  StickingOptions alone = opt;
  alone.explain = alone.margins = alone.repairs = false;
  Certificate whole;
  whole.a.setZero(p.nv());
  whole.lambda.setZero(p.rows());
  Verdict verdict = Verdict::kHolds;
  std::string reason;
  Workspace of_part;
  const internal::Lend lend(search.engine, of_part.search.engine);
  for (const Part& part : parts) {
    StickingResult own;
    of_part.check(part.problem, alone, own);
    const bool first = &part == &parts.front(), fails = own.verdict == Verdict::kFails;
    internal::join(part, own, first, result);
    Part::scatter(own.acceleration, part.dofs, result.acceleration);
    result.acceleration_unique = own.acceleration_unique && (first || result.acceleration_unique);
    const CertificateKind kind = own.certificate.kind;
    if (fails && kind != CertificateKind::kMotion) {  // about this part alone
      whole = {kind, Eigen::VectorXd::Zero(p.nv()), Eigen::VectorXd::Zero(p.rows()), {}};
      verdict = Verdict::kFails;
    } else if (whole.kind != CertificateKind::kNone && whole.kind != CertificateKind::kMotion) {
      continue;
    }
    const bool judged = own.verdict != Verdict::kUndecided;
    Part::scatter(judged ? own.certificate.a : own.acceleration, part.dofs, whole.a);
    Part::scatter(judged ? own.certificate.lambda : own.lambda, part.rows, whole.lambda);
    if (fails && kind == CertificateKind::kMotion && whole.leaves.empty()) {
      whole.kind = kind;
      part.add_leaves(p, own.certificate.leaves, whole.leaves);
      verdict = Verdict::kFails;
    } else if (!judged && verdict == Verdict::kHolds) {
      verdict = Verdict::kUndecided;
      reason = own.reason;
    }
  }
  if (verdict == Verdict::kHolds) whole.kind = CertificateKind::kForces;
  result.reason = reason;
  if (verdict == Verdict::kUndecided) return false;
  problem = &p;
  options = &opt;
  result.certificate = whole;
  result.verdict = judged(result, verdict);
  if (result.verdict != Verdict::kHolds)  // where one part fails there are no admissible forces, whatever others have
    for (ContactReport& contact : result.contacts) contact.normal_interval = {};
  return result.verdict != Verdict::kUndecided;
}

bool EquilibriumChecker::Workspace::check_by_parts(const ContactProblem& p, const Eigen::VectorXd& given,
                                                   const EquilibriumOptions& options, EquilibriumResult& result)
{
  const std::vector<Part> parts = internal::split_into_parts(p);
  if (parts.empty()) return false;
  EquilibriumOptions alone;
  alone.shape = options.shape;
  alone.largest_slack = options.largest_slack;
  alone.structure = options.structure;
  alone.branch_limit = options.branch_limit;
  alone.explain = false;
  Certificate whole{CertificateKind::kNone,
                    a,
                    Eigen::VectorXd::Zero(p.rows()),
                    {},
                    Eigen::VectorXd::Zero(static_cast<Eigen::Index>(p.actuators.size()))};
  Verdict verdict = Verdict::kHolds;
  std::string reason;
  Workspace of_part;
  const internal::Lend lend(search.engine, of_part.search.engine);
  for (const Part& part : parts) {
    EquilibriumResult own;
    of_part.check(part.problem, Part::gather(given, part.dofs), alone, own);
    internal::join(part, own, &part == &parts.front(), result);
    Part::scatter(own.efforts, part.actuators, result.efforts);
    if (own.verdict == Verdict::kHolds && verdict != Verdict::kFails) {
      Part::scatter(own.certificate.lambda, part.rows, whole.lambda);
      Part::scatter(own.certificate.efforts, part.actuators, whole.efforts);
    } else if (own.verdict == Verdict::kFails && verdict != Verdict::kFails) {
      verdict = Verdict::kFails;
      whole.lambda.setZero();
      whole.efforts.setZero();
      part.add_leaves(p, own.certificate.leaves, whole.leaves);
    } else if (own.verdict == Verdict::kUndecided && verdict == Verdict::kHolds) {
      verdict = Verdict::kUndecided;
      reason = own.reason;
    }
  }
  if (verdict == Verdict::kUndecided) {
    result.reason = reason;
    return false;
  }
  whole.kind = verdict == Verdict::kHolds ? CertificateKind::kForces : CertificateKind::kMotion;
  problem = &p;
  result.certificate = whole;
  result.verdict = judged(whole, verdict, result.reason);
  return result.verdict != Verdict::kUndecided;
}

}  // namespace stiction
