#include "stiction/sliding.hpp"

#include <algorithm>
#include <cmath>

#include "ask/check_slips.hpp"
#include "ask/contact_reports.hpp"
#include "ask/mode_limit.hpp"
#include "ask/mode_solver.hpp"
#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "proof/sliding_bounds.hpp"
#include "proof/sliding_program.hpp"
#include "stiction/engine.hpp"
#include "stiction/error.hpp"

namespace stiction {

using namespace internal;

namespace internal {

struct ModeWorkspace {
  std::unique_ptr<Engine> engine;
  ModeSolver solver;
  ConeAnswer answer;
  std::vector<Violation> violated;
  Eigen::VectorXd x, y, lambda;
};

}  // namespace internal

namespace {

using internal::ModeWorkspace;

/// Settles modes one by one, or many at once by the relaxation of a partial mode.
class ModeSearch {
 public:
  ModeSearch(const ContactProblem& problem, const SlipDirections& slips, const SlidingOptions& options,
             ModeWorkspace& w, SlidingResult& result)
      : p_(problem),
        slips_(slips),
        w_(w),
        result_(result),
        limit_(mode_limit(problem, options.node_limit, SlidingOptions().node_limit)),
        mode_(problem, slips, bounds_),
        signs_(problem.contacts.size(), 0)
  {
    bounds_.measure(problem);
    for (std::size_t i = 0; i < p_.contacts.size(); ++i)
      if (has_choice(p_.contacts[i], slips_[i])) choices_.push_back(i);
  }

  void run()
  {
    // A tree of so many modes may not end: find one solution by pivoting first.
    constexpr std::size_t kWholeTree = 12;
    if (choices_.size() > kWholeTree) pivot();
    visit(0);
    std::fill(signs_.begin(), signs_.end(), 0);
  }
  int limit() const { return limit_; }
  bool exhausted() const { return exhausted_; }
  int unsettled() const { return unsettled_; }

 private:
  enum class Found { kSolution, kNothing, kUnsettled };

  void visit(std::size_t depth)
  {
    if (exhausted_) return;
    if (result_.nodes >= limit_) {
      exhausted_ = true;
      return;
    }
    if (depth == choices_.size()) {
      if (settle() == Found::kUnsettled) ++unsettled_;
      return;
    }
    // Deciding a relaxation costs more than solving the equations of a few modes.
    const std::size_t left = choices_.size() - depth;
    if (left > 2 || (depth == 0 && left > 1)) {
      ++result_.nodes;
      mode_.set(signs_);
      if (excluded_by(*w_.engine)) {
        result_.certificate.leaves.push_back({signs_, w_.answer.y});
        return;
      }
    }
    for (const int sign : {1, -1}) {
      signs_[choices_[depth]] = sign;
      visit(depth + 1);
    }
    signs_[choices_[depth]] = 0;
  }

  /// The full mode in signs_: its equations when they have one solution, else the engine.
  Found settle()
  {
    throw_if_stopped(w_.engine->stop_check());
    ++result_.nodes;
    mode_.set(signs_);
    if (w_.solver.factor(mode_.program())) {
      w_.solver.solve(mode_.program().e, w_.x);
      violations(mode_.program(), w_.x, w_.violated);
      for (const Violation& violation : w_.violated) {
        w_.solver.solve_transposed(violation.h, w_.y);
        if (!mode_.is_empty(w_.y)) continue;
        result_.certificate.leaves.push_back({signs_, w_.y});
        return Found::kNothing;
      }
      if (accept(w_.x)) return Found::kSolution;
    }
    if (w_.solver.contradiction(mode_.program(), w_.y) && mode_.is_empty(w_.y)) {
      result_.certificate.leaves.push_back({signs_, w_.y});
      return Found::kNothing;
    }
    for (Engine* engine = w_.engine.get(); engine; engine = engine == w_.engine.get() ? other_engine() : nullptr) {
      const bool excluded = excluded_by(*engine);
      if (!excluded && (w_.answer.x.size() != mode_.program().E.cols() || !accept(w_.answer.x))) continue;
      if (engine != w_.engine.get()) result_.second_engine = engine->name();
      if (excluded) {
        result_.certificate.leaves.push_back({signs_, w_.answer.y});
        return Found::kNothing;
      }
      if (!determined(mode_.program(), p_.nv()).acceleration) look_for_another();
      return Found::kSolution;
    }
    return Found::kUnsettled;
  }

  /// The engine finds the mode last set infeasible, and the proof room agrees.
  bool excluded_by(Engine& engine)
  {
    engine.decide(mode_.program(), w_.answer);
    return w_.answer.outcome == Outcome::kInfeasible && mode_.is_empty(w_.answer.y);
  }

  /// Several points of one body that stick leave equations with many solutions, where the vector that one engine finds
  /// is sometimes too blunt to be a proof. Made anew for each check: answers must not depend on those before.
  Engine* other_engine()
  {
    if (!other_) other_ = stopping_with(*w_.engine, w_.engine->second_opinion());
    return other_.get();
  }

  /// x of mode_.program() as a witness of the mode, if the proof room agrees. What rounding made negative becomes zero.
  bool accept(const Eigen::VectorXd& x)
  {
    Eigen::VectorXd clean = x;
    for (const BoxVariable& box : mode_.program().boxes) clean[box.col] = std::max(clean[box.col], 0.0);
    sliding_forces(p_, slips_, mode_.columns(), clean, w_.lambda);
    const Eigen::VectorXd a = clean.head(p_.nv());
    if (!internal::proves_sliding_solution(p_, slips_, bounds_, a, w_.lambda)) return false;
    result_.certificate.witnesses.push_back({signs_, a, w_.lambda});
    return true;
  }

  /// The equations leave accelerations open: is there another one nearby within the signs and cones?
  void look_for_another()
  {
    constexpr double kNoAcceleration = 1e-9;  // of a unit vector: it moves forces only
    constexpr double kDisplaced[] = {1e-2, -1e-2, 1e-4,
                                     -1e-4};  // of the accelerations: large first, it must be another
    const auto nv = p_.nv(), rows = mode_.program().E.rows();
    const Eigen::VectorXd a = result_.certificate.witnesses.back().a;
    const SingularVectors svd = svd_with_null_space(mode_.program().E);
    Eigen::Index rank = 0;
    for (; rank < svd.values.size(); ++rank)
      if (!(svd.values[rank] > kDependent * svd.values[0])) break;
    const Eigen::MatrixXd open = svd.V.topRows(nv).rightCols(mode_.program().E.cols() - rank);
    const double size = std::max(1.0, a.size() > 0 ? a.lpNorm<Eigen::Infinity>() : 0.0);
    ConeProgram extended = mode_.program();
    extended.E.conservativeResize(rows + 1, Eigen::NoChange);
    extended.e.conservativeResize(rows + 1);
    for (Eigen::Index k = 0; k < open.cols(); ++k) {
      if (open.col(k).norm() < kNoAcceleration) continue;
      const Eigen::VectorXd c = open.col(k).normalized();
      extended.E.row(rows).setZero();
      extended.E.row(rows).head(nv) = c.transpose();
      for (const double step : kDisplaced) {
        extended.e[rows] = c.dot(a) + step * size;
        w_.engine->decide(extended, w_.answer);
        if (w_.answer.x.size() == extended.E.cols() && accept(w_.answer.x)) return;
      }
    }
  }

  /// Least-index principal pivoting (Murty): the first contact whose sign the equations contradict changes it. Ends at
  /// the solution when it is unique for all loads; otherwise may cycle, hence the limit.
  void pivot()
  {
    for (const std::size_t i : choices_) signs_[i] = 1;
    const int limit = std::min(64 * static_cast<int>(choices_.size()), limit_);
    for (int step = 0; step < limit; ++step) {
      ++result_.nodes;
      mode_.set(signs_);
      if (!w_.solver.factor(mode_.program())) break;
      w_.solver.solve(mode_.program().e, w_.x);
      const double noise = kProductRounding * (w_.x.size() > 0 ? w_.x.lpNorm<Eigen::Infinity>() : 0.0);
      bool changed = false;
      for (const std::size_t i : choices_) {
        const int column = signs_[i] > 0                              ? mode_.columns().push[i]
                           : p_.contacts[i].side == Side::kUnilateral ? mode_.columns().separation[i]
                                                                      : mode_.columns().pull[i];
        // A pulling cone holds λn itself, the other columns what must not be negative.
        const bool pulling_cone =
            signs_[i] < 0 && column == mode_.columns().pull[i] && sticks(p_.contacts[i], slips_[i]);
        if (!((pulling_cone ? -1.0 : 1.0) * w_.x[column] < -noise)) continue;
        // All at once for the first steps, which is often enough, then one at a time.
        signs_[i] = -signs_[i];
        changed = true;
        if (step >= 8) break;
      }
      if (changed) continue;
      accept(w_.x);
      break;
    }
    std::fill(signs_.begin(), signs_.end(), 0);
  }

  const ContactProblem& p_;
  const SlipDirections& slips_;
  ModeWorkspace& w_;
  SlidingResult& result_;
  const int limit_;
  SlidingBounds bounds_;
  SlidingMode mode_;
  std::unique_ptr<Engine> other_;
  std::vector<int> signs_;
  std::vector<std::size_t> choices_;
  bool exhausted_ = false;
  int unsettled_ = 0;
};

/// What one contact does in a solution. `load` is the size of all forces: below its rounding a force is none.
ContactReport sliding_report(const ContactProblem& p, const Contact& c, const std::optional<Eigen::Vector2d>& slip,
                             const SlidingSolution& solution, double load)
{
  ContactReport report;
  const auto force = solution.lambda.segment(c.row, c.rows());
  report.force.head(1 + c.tangents) = force.head(1 + c.tangents);
  if (c.torsional) report.force[3] = force[1 + c.tangents];
  report.normal_acceleration = p.J.row(c.row).dot(solution.acceleration) + p.gamma[c.row];
  const bool loaded = std::abs(force[0]) > kSolve * load;
  FrictionCone cone{c.tangents, c.torsional, c.mu, c.torsion, force[0] < 0.0 ? -1.0 : 1.0, ConeShape::exact()};
  report.utilisation = loaded ? utilisation(cone, force) : 0.0;
  double scale = std::abs(p.gamma[c.row]);
  scale += p.J.row(c.row).cwiseAbs().dot(solution.acceleration.cwiseAbs());
  report.unique = solution.forces_unique;
  if (c.side == Side::kUnilateral && !loaded && report.normal_acceleration > kClear * scale)
    report.state = ContactState::kDetaching;
  else if (!loaded)
    report.state = ContactState::kUnloaded;
  else if (slip || !sticks(c, slip))
    report.state = ContactState::kSliding;
  else
    report.state = report.utilisation >= 1.0 - internal::kRimShare ? ContactState::kRim : ContactState::kSticking;
  return report;
}

std::string describe_modes(const ContactProblem& p, const SlidingSolution& solution)
{
  std::string words;
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const ContactState state = solution.contacts[i].state;
    const bool pulls = solution.contacts[i].force[0] < 0.0;
    words += (i == 0 ? "" : ", ") + p.contacts[i].name;
    words += state == ContactState::kDetaching  ? " leaves"
             : state == ContactState::kUnloaded ? " carries nothing"
             : state == ContactState::kSliding  ? (pulls ? " slides pulling" : " slides")
                                                : " sticks";
  }
  return words.empty() ? "no contact" : words;
}

}  // namespace

namespace internal {

/// Witnesses that belong to one continuum of forces are one solution.
void gather_solutions(const ContactProblem& p, const SlipDirections& slips, SlidingResult& result)
{
  constexpr double kSameForces = 1e-7;  // as kSameSolution of accelerations
  ConeProgram program;
  SlidingColumns columns;
  PartForces forces;
  for (const SlidingWitness& witness : result.certificate.witnesses) {
    write_sliding_program(p, slips, witness.signs, program, columns);
    const Determined mode = determined(program, p.nv());
    const auto same = std::find_if(result.solutions.begin(), result.solutions.end(), [&](const SlidingSolution& s) {
      return same_solution(p, slips, {s.signs, s.acceleration, s.lambda}, witness);
    });
    if (same == result.solutions.end()) {
      SlidingSolution solution;
      solution.signs = witness.signs;
      solution.acceleration = witness.a;
      solution.lambda = witness.lambda;
      solution.acceleration_unique = mode.acceleration;
      solution.forces_unique = mode.everything;
      result.solutions.push_back(std::move(solution));
      continue;
    }
    same->acceleration_unique = same->acceleration_unique && mode.acceleration;
    same->forces_unique = same->forces_unique && mode.everything;
    forces.measure(p, same->lambda);
    for (Eigen::Index i = 0; i < p.rows(); ++i)
      if (std::abs(same->lambda[i] - witness.lambda[i]) > kSameForces * forces.around(i)) same->forces_unique = false;
  }
  for (SlidingSolution& solution : result.solutions) {
    forces.measure(p, solution.lambda);
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Contact& c = p.contacts[i];
      solution.contacts.push_back(sliding_report(p, c, slips[i], solution, forces.around(c.row)));
      solution.within_limits = solution.within_limits && std::abs(solution.lambda[c.row]) <= c.max_normal;
    }
  }
}

std::string describe_sliding(const ContactProblem& p, const SlipDirections& slips, const SlidingResult& result)
{
  if (p.contacts.empty() && result.count == SolutionCount::kUnique) return "there are no contacts: one motion";
  switch (result.count) {
    case SolutionCount::kNone:
      for (std::size_t i = 0; i < slips.size(); ++i)
        if (sticks(p.contacts[i], slips[i]))
          return "no acceleration and no forces obey the laws of contact: what is said to stick cannot, or sliding "
                 "friction jams";
      return "jammed: no acceleration and no forces obey the laws of contact; only an impact can go on";
    case SolutionCount::kUnique:
      return "one solution: " + describe_modes(p, result.solutions[0]);
    case SolutionCount::kAtLeastOne:
      return "at least one solution: " + describe_modes(p, result.solutions[0]) + "; others are not excluded";
    case SolutionCount::kSeveral: {
      std::string words = result.complete ? "" : "at least ";
      words += std::to_string(result.solutions.size());
      words += " solutions obey the laws of contact, which do not say which one happens: ";
      for (std::size_t i = 0; i < result.solutions.size(); ++i)
        words += (i == 0 ? "" : "; ") + describe_modes(p, result.solutions[i]);
      return words;
    }
    case SolutionCount::kUndecided:
      break;
  }
  return {};
}

}  // namespace internal

struct SlidingChecker::Workspace {
  internal::ModeWorkspace modes;
};

SlidingChecker::SlidingChecker(std::unique_ptr<Engine> engine) : workspace_(std::make_unique<Workspace>())
{
  if (!engine) throw InputError("engine", "want an engine, got none");
  workspace_->modes.engine = std::move(engine);
}
SlidingChecker::~SlidingChecker() = default;
SlidingChecker::SlidingChecker(SlidingChecker&&) noexcept = default;
SlidingChecker& SlidingChecker::operator=(SlidingChecker&&) noexcept = default;

SlidingResult SlidingChecker::check(const ContactProblem& problem, const SlipDirections& slips,
                                    const SlidingOptions& options)
{
  problem.validate();
  SlidingResult result;
  check(problem, slips, options, result);
  return result;
}

void SlidingChecker::check(const ContactProblem& problem, const SlipDirections& slips, const SlidingOptions& options,
                           SlidingResult& result)
{
  check_slips(problem, slips);
  result = {};
  ModeSearch search(problem, slips, options, workspace_->modes, result);
  search.run();
  const SlidingJudgement judgement = judge_sliding(problem, slips, result.certificate);
  result.count = judgement.count;
  result.complete = judgement.complete;
  internal::gather_solutions(problem, slips, result);
  if (result.count == SolutionCount::kNone)
    result.verdict = Verdict::kFails;
  else if (result.count != SolutionCount::kUndecided)
    result.verdict = Verdict::kHolds;
  if (!result.complete) {
    if (search.exhausted())
      result.reason = "more modes than the limit of " + std::to_string(search.limit());
    else if (search.unsettled() > 0)
      result.reason = std::to_string(search.unsettled()) + " modes are within rounding of having a solution";
    else
      result.reason = judgement.why;
  }
  result.explanation = internal::describe_sliding(problem, slips, result);
  if (options.well_posedness) result.well_posedness = friction_well_posedness(problem, slips);
}

}  // namespace stiction
