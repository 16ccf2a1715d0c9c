// Step 6 of the algorithm and beyond: force intervals, the least friction, what would repair a failing case.
#include <algorithm>
#include <cmath>

#include "ask/contact_reports.hpp"
#include "ask/sticking_workspace.hpp"
#include "solve/nearest_point.hpp"

namespace stiction {

using internal::CastOptions;

namespace {

constexpr size_t kIntervalPatterns = 64;   // sign patterns over which intervals are united

}  // namespace

/// Range of every normal force over all admissible solutions: two casts per contact and sign pattern, on the program with one
/// row more that reads the force off.
void StickingChecker::Workspace::intervals(StickingResult& result)
{
  std::vector<std::vector<int>> patterns;
  bool complete = true;
  const std::vector<int> witness_signs = signs;
  std::vector<int> pattern(signs.size(), 0);
  auto enumerate = [&](auto&& self, size_t contact) -> void {
    if (!complete) return;
    signs = pattern;
    multipliers.arrange(signs);
    const Verdict verdict = internal::decide(*engine, multipliers.program(), answer);
    if (verdict == Verdict::kFails) return;
    while (contact < pattern.size() && !multipliers.needs_sign(contact)) ++contact;
    if (contact == pattern.size()) {
      complete = verdict == Verdict::kHolds && patterns.size() < kIntervalPatterns;
      if (complete) patterns.push_back(pattern);
      return;
    }
    for (int sign : {1, -1}) {
      pattern[contact] = sign;
      self(self, contact + 1);
    }
    pattern[contact] = 0;
  };
  enumerate(enumerate, 0);

  for (ContactReport& report : result.contacts) {
    report.normal_lower = complete ? kInfinity : -kInfinity;
    report.normal_upper = -report.normal_lower;
  }
  for (const std::vector<int>& p : complete ? patterns : std::vector<std::vector<int>>{}) {
    multipliers.arrange(p);
    const ConeProgram& base = multipliers.program();
    if (internal::decide(*engine, base, answer) != Verdict::kHolds) continue;
    const Eigen::VectorXd start = answer.x;
    const auto m = base.E.rows(), n = base.E.cols();
    for (size_t i = 0; i < p.size(); ++i) {
      ContactReport& report = result.contacts[i];
      const int column = multipliers.column(i);
      if (column < 0) {
        report.normal_lower = report.normal_upper = 0.0;
        continue;
      }
      extended.cones = base.cones;
      extended.boxes = base.boxes;
      extended.free = base.free;
      extended.E.setZero(m + 1, n);
      extended.E.topRows(m) = base.E;
      extended.E(m, column) = 1.0;
      extended.e.resize(m + 1);
      extended.e << base.e, start[column];
      extended.e_scale.resize(m + 1);
      extended.e_scale << base.e_scale, std::abs(start[column]);
      direction.setZero(m + 1);
      CastOptions cast_options;
      cast_options.scale = start.lpNorm<Eigen::Infinity>();
      for (double way : {1.0, -1.0}) {
        direction[m] = way;
        caster.cast(*engine, extended, direction, 0.0, start, cast_options, interval_cast);
        const double reach = interval_cast.end == internal::Cast::End::kUnbounded ? kInfinity : interval_cast.upper;   // a proved bound
        if (way > 0.0)
          report.normal_upper = std::max(report.normal_upper, start[column] + reach);
        else
          report.normal_lower = std::min(report.normal_lower, start[column] - reach);
      }
    }
  }
  for (size_t i = 0; i < result.contacts.size(); ++i) {
    const Contact& contact = problem->contacts[i];
    ContactReport& report = result.contacts[i];
    if (contact.side == Side::kUnilateral) report.normal_lower = std::max(report.normal_lower, 0.0);
    report.normal_upper = std::min(report.normal_upper, contact.max_normal);
    report.normal_lower = std::max(report.normal_lower, -contact.max_normal);
  }
  signs = witness_signs;
  multipliers.arrange(signs);
}

void StickingChecker::Workspace::friction_margin(StickingResult& result)
{
  const std::vector<int> witness_signs = signs;
  const LeastFriction least = smallest_friction(-1, result.verdict == Verdict::kHolds ? 1.0 : kInfinity);
  result.friction_scale = least.upper;
  result.friction_scale_known = least.known;
  if (result.verdict == Verdict::kFails) tell_the_last_motion(result, least);
  signs = witness_signs;
  multipliers.arrange(signs);
}

/// Of all failing motions the one that friction stops last tells most: what moves in it does so whatever the friction, or
/// up to the least that would hold. It proves failure for all smaller friction, the given one included.
void StickingChecker::Workspace::tell_the_last_motion(StickingResult& result, const LeastFriction& least)
{
  if (!least.known) return;
  // As near to the boundary as a proof goes; where no friction helps, with as much as anybody has.
  constexpr double kMostFriction = 1e6;
  for (const double back : {0.0, 1e-8, 1e-6, 1e-4}) {
    const double friction = std::min(least.lower, kMostFriction) * (1.0 - back);
    if (friction <= 1.0 || decide_signs(internal::Friction{friction, -1, 0.0}) != Verdict::kFails) return;
    const ContactProblem at_the_limit = internal::with_friction(*problem, friction);   // there the contacts that slip are on the rim
    result.certificate.leaves.swap(leaves);
    if (judge(at_the_limit, options->rules, result.certificate) == Verdict::kFails &&
        judge(*problem, options->rules, result.certificate) == Verdict::kFails) {
      result.told_friction = friction;
      if (options->explain) result.explanation = describe_failure(at_the_limit, options->rules, result.certificate);
      return;
    }
    result.certificate.leaves.swap(leaves);
  }
}

void StickingChecker::Workspace::repairs(StickingResult& result)
{
  LeastFriction least{result.friction_scale_known, 0.0, result.friction_scale};
  if (!options->margins) least = smallest_friction(-1, kInfinity);
  if (least.known && least.upper && *least.upper > 1.0)
    result.repairs.push_back({Repair::Change::kCommonFriction, -1, *least.upper, {}});
  for (size_t i = 0; i < problem->contacts.size(); ++i) {
    if (multipliers.column(i) < 0 || problem->contacts[i].tangents == 0) continue;
    least = smallest_friction(static_cast<int>(i), kInfinity);
    if (least.known && least.upper && *least.upper > problem->contacts[i].mu)
      result.repairs.push_back({Repair::Change::kFriction, static_cast<int>(i), *least.upper, {}});
  }

  // The nearest load that the contacts can carry with the same acceleration: J'λ - (M a* + F) at the nearest point. For
  // bilateral contacts the nearest over the sign patterns that failed.
  std::optional<Eigen::VectorXd> best;
  internal::NearestPoint nearest;
  std::vector<MotionLeaf> patterns = result.certificate.leaves;
  for (const MotionLeaf& leaf : patterns) {
    std::vector<int> complete = leaf.signs;
    for (size_t i = 0; i < complete.size(); ++i)
      if (multipliers.needs_sign(i) && complete[i] == 0) complete[i] = 1;
    multipliers.arrange(complete);
    const ConeProgram& program = multipliers.program();
    if (program.E.rows() != problem->nv()) break;   // limits have rows of their own: not a load
    internal::NearestPoint::Data data;
    data.m = static_cast<int>(program.E.rows());
    data.n = static_cast<int>(program.E.cols());
    data.E = program.E.data();
    data.e = program.e.data();
    data.cones = &program.cones;
    data.boxes = &program.boxes;
    data.free = &program.free;
    const auto stop = nearest.run(data, 0.0);
    if (stop == internal::NearestPoint::Stop::kIterations) continue;
    const Eigen::VectorXd change =
        -Eigen::Map<const Eigen::VectorXd>(nearest.residual().data(), static_cast<Eigen::Index>(nearest.residual().size()));
    if (!best || change.norm() < best->norm()) best = change;
  }
  if (best) result.repairs.push_back({Repair::Change::kForce, -1, best->norm(), *best});
}

}  // namespace stiction
