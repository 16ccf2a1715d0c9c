// What happens at an instant: hits, contacts that open, slip and stick, and what the laws say then.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/linear_algebra.hpp"
#include "simulate/run.hpp"
#include "stiction/impact.hpp"
#include "stiction/impact_input.hpp"
#include "stiction/proof.hpp"
#include "stiction/sliding.hpp"

namespace stiction::internal {
namespace {

constexpr int kMostTurnsAtOnce = 64;  // of opening, slipping and hitting at one instant
constexpr int kSlidingModes = 4096;   // looked at when solutions are counted
constexpr int kImpactLeaves = 256;
constexpr double kImpactSolved = 1e-11;  // residual that is asked of the laws of impact
constexpr double kNoWork = 1e-9;         // share of the energy before an impact that is rounding of the one after it
constexpr double kMoved = 1e-6;          // m/s, rad/s: what has been faster may come to rest
constexpr double kStaysAtRest = 1e-9;    // share of gravity's acceleration that is none

}  // namespace

void SimulationRun::close(const std::vector<int>& features)
{
  std::vector<int>& closed = touching_.closed;
  closed.insert(closed.end(), features.begin(), features.end());
  std::ranges::sort(closed);
  closed.erase(std::ranges::unique(closed).begin(), closed.end());
}

void SimulationRun::open(const std::vector<int>& features)
{
  std::erase_if(touching_.closed, [&](int i) { return std::ranges::find(features, i) != features.end(); });
  for (const int i : features) {
    sliding_.erase(i);
    tell(Kind::kLifts, i);
  }
}

/// Until nothing hits, opens, or begins to slip at this instant any more.
void SimulationRun::settle()
{
  for (int round = 0; round < kMostTurnsAtOnce; ++round) {
    if (hit()) {
      if (stopped()) return;
      continue;
    }
    classify();
    if (stopped()) return;
    evaluate();
    if (stopped()) return;
    if (follow_laws()) continue;
    motion_.scene.gaps(state_, gaps_);
    return;
  }
  stop(SimulationOutcome::kGaveUp, "contacts open and close without end at one instant");
}

/// Which contacts slip and which joints turn, by their velocities.
void SimulationRun::classify()
{
  ContactProblem problem;
  motion_.scene.compute(state_, touching_.closed, problem);
  const Eigen::VectorXd speed = problem.J * state_.v;
  touching_.slides.assign(touching_.closed.size(), {});
  std::set<int> sliding;
  for (Index i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!has_friction(contact)) continue;
    Eigen::Vector2d along = Eigen::Vector2d::Zero();
    along.head(contact.tangents) = speed.segment(contact.row + 1, contact.tangents);
    if (along.norm() <= kStandstill) continue;
    if (contact.torsional) {
      stop_soft_finger(contact);
      return;
    }
    touching_.slides[i] = along.normalized();
    sliding.insert(touching_.closed[i]);
  }
  for (const int i : sliding_)
    if (!sliding.contains(i)) slowed_.insert(i);
  sliding_ = std::move(sliding);
  touching_.turns.assign(problem.actuators.size(), 0.0);
  for (Index k = 0; k < problem.actuators.size(); ++k)
    if (const double rate = state_.v[problem.actuators[k].dof]; std::abs(rate) > kStandstill)
      touching_.turns[k] = rate > 0.0 ? 1.0 : -1.0;
}

/// The laws where it is. What can stick does, as long as nothing slips yet: its forces are where the search begins.
void SimulationRun::evaluate()
{
  Instant before = std::move(instant_);
  instant_ = {};
  motion_.evaluate(state_, &before, instant_);
  const bool slides = std::ranges::any_of(touching_.slides, [](const auto& slide) { return slide.has_value(); });
  const bool sticks = std::ranges::all_of(
      instant_.laws.contacts, [](const ContactPrediction& law) { return law.motion == PredictedMotion::kSticks; });
  if (slides || touching_.closed.empty() || (instant_.solved() && sticks)) {
    if (!instant_.solved()) count();
  } else if (!instant_.problem.actuators.empty()) {
    if (state_.v.isZero(kStandstill)) {
      EquilibriumOptions only;
      only.explain = only.structure = only.largest_slack = false;
      EquilibriumResult found;
      equilibrium_.check(instant_.problem, {}, only, found);
      if (found.verdict == Verdict::kHolds) {
        before = instant_;
        before.laws.lambda = found.lambda;
        before.laws.effort = found.efforts;
        motion_.evaluate(state_, &before, instant_);
      }
    }
  } else {
    StickingOptions only;
    only.explain = false;
    StickingResult found;
    sticking_.check(instant_.problem, only, found);
    if (found.verdict != Verdict::kFails && found.lambda.size() == instant_.problem.rows()) {
      before = instant_;
      before.laws.lambda = found.lambda;
      motion_.evaluate(state_, &before, instant_);
    }
  }
  if (!instant_.solved() && !stopped()) give_up();
}

void SimulationRun::give_up()
{
  const PredictionOutcome outcome = instant_.laws.outcome;
  stop(SimulationOutcome::kGaveUp, outcome == PredictionOutcome::kSingularMass
                                       ? "something without inertia can move: its acceleration is not determined"
                                   : outcome == PredictionOutcome::kContradiction
                                       ? "closures contradict each other"
                                       : "no solution of the laws was found, and none excluded");
}

bool SimulationRun::stop_soft_finger(const Contact& contact)
{
  stop(SimulationOutcome::kGaveUp,
       "the soft finger " + contact.name + " slips or spins: there is no law here for torsion then");
  return false;
}

/// Contacts that open, slips that begin and joints that give way by the laws. True: it is to be settled anew.
bool SimulationRun::follow_laws()
{
  std::vector<int> leaving;
  const Eigen::VectorXd& lambda = instant_.laws.lambda;
  for (Index i = 0; i < instant_.closed.size(); ++i) {
    const Contact& contact = instant_.problem.contacts[i];
    const ContactPrediction& law = instant_.laws.contacts[i];
    const int id = instant_.closed[i];
    if (law.motion == PredictedMotion::kDetaches) leaving.push_back(id);
    if (law.motion != PredictedMotion::kSlips || touching_.slides[i] || !has_friction(contact)) continue;
    if (contact.torsional) return stop_soft_finger(contact);
    // From rest: the way that friction opposes; the way that it goes where there is none.
    Eigen::Vector2d along = Eigen::Vector2d::Zero();
    along.head(contact.tangents) = -lambda.segment(contact.row + 1, contact.tangents);
    if (along.isZero(0.0)) along = law.tangential_acceleration;
    if (along.isZero(0.0)) continue;
    touching_.slides[i] = instant_.slips[i] = along.normalized();
    if (sliding_.insert(id).second && !slowed_.contains(id)) tell(Kind::kSlips, id);
    slowed_.erase(id);
  }
  for (const int id : slowed_)
    if (std::ranges::find(touching_.closed, id) != touching_.closed.end()) tell(Kind::kSticks, id);
  slowed_.clear();
  std::set<int> moving;
  for (Index k = 0; k < touching_.turns.size(); ++k) {
    const Actuator& motor = instant_.problem.actuators[k];
    if (touching_.turns[k] == 0.0) touching_.turns[k] = gives_way(instant_, k);
    if (touching_.turns[k] != 0.0) moving.insert(motor.dof);
  }
  for (const int dof : moving)
    if (!moving_.contains(dof)) tell(Kind::kMoves, dof);
  for (const int dof : moving_)
    if (!moving.contains(dof)) tell(Kind::kHeld, dof);
  moving_ = std::move(moving);
  count();  // while those that leave are still there: by other solutions they may stay
  if (leaving.empty() || stopped()) return false;
  open(leaving);
  return true;
}

/// Contacts whose bodies approach: an impact by the laws of restitution.
bool SimulationRun::hit()
{
  ContactProblem problem;
  motion_.scene.compute(state_, touching_.closed, problem);
  const Eigen::VectorXd speed = problem.J * state_.v;
  std::vector<ImpactLaw> laws;
  std::vector<int> leaving;
  bool hits = false;
  for (Index i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const bool meets = contact.side == Side::kBilateral ? std::abs(speed[contact.row]) > kStandstill
                                                        : speed[contact.row] < -kStandstill;
    if (contact.side == Side::kUnilateral && speed[contact.row] > kStandstill) leaving.push_back(touching_.closed[i]);
    const Index id = static_cast<Index>(touching_.closed[i]);
    laws.push_back(meets && !motion_.scene.is_stop(id) ? motion_.scene.features()[id].law : ImpactLaw{});
    hits = hits || meets;
  }
  if (!hits) {
    if (leaving.empty()) return false;
    open(leaving);
    return true;
  }
  ContactProblem momentum = problem;
  momentum.F = -(problem.M * state_.v);
  momentum.gamma.setZero();
  for (Index i = 0; i < problem.contacts.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    momentum.gamma[contact.row] = laws[i].normal * speed[contact.row];
    for (int k = 1; k <= contact.tangents; ++k)
      momentum.gamma[contact.row + k] = laws[i].tangential * speed[contact.row + k];
    if (contact.torsional)
      momentum.gamma[contact.row + 1 + contact.tangents] = laws[i].spin * speed[contact.row + 1 + contact.tangents];
  }
  momentum.actuators.clear();
  MotionLawOptions how;
  how.tolerance = kImpactSolved;
  const Prediction after = predict_motion(momentum, how);
  if (!after.converged()) {
    stop(SimulationOutcome::kGaveUp, "no velocity after the impact was found, and none excluded");
    return true;
  }
  if (options_.count_solutions) {
    ImpactOptions search;
    search.leaf_limit = kImpactLeaves;
    search.conditions = false;
    const ImpactInput input = impact_input(problem, state_.v, laws);
    ImpactResult found;
    impacts_checker_.check(input.problem, input.impact, search, found);
    if (found.unique == Verdict::kFails) {
      stop(SimulationOutcome::kSeveral, "the laws of impact allow " + std::to_string(found.solutions.size()) +
                                            (found.complete ? "" : " or more") + " velocities after this impact");
      return true;
    }
  }
  const double before = motion_.kinetic(state_);
  for (Index i = 0; i < problem.contacts.size(); ++i)
    if (speed[problem.contacts[i].row] < -kStandstill)
      tell(Kind::kHits, touching_.closed[i], -speed[problem.contacts[i].row]);
  state_.v = after.acceleration;
  moved_ = true;
  const double lost = before - motion_.kinetic(state_);
  now_.impact_loss += lost;
  if (lost < -kNoWork * before) tell(Kind::kGains, -1, -lost);
  ++impacts_;
  const Eigen::VectorXd left = problem.J * state_.v;
  leaving.clear();
  for (Index i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].side == Side::kUnilateral && left[problem.contacts[i].row] > kStandstill)
      leaving.push_back(touching_.closed[i]);
  open(leaving);
  return true;
}

/// The rest of a step as one step of time: all that may touch within it, plastic.
void SimulationRun::step_through(double step)
{
  Instant free;
  Touching all = touching_;
  const double energy = motion_.kinetic(state_) + motion_.potential(state_);
  // What would be inside after it, were there no contacts.
  touching_ = {};
  touching_.turns = all.turns;
  motion_.evaluate(state_, nullptr, free);
  SceneState ahead = state_;
  ahead.q = motion_.scene.bodies().integrate(state_.q, step * (state_.v + step * free.laws.acceleration));
  Eigen::VectorXd gaps;
  motion_.scene.gaps(ahead, gaps);
  motion_.scene.gaps(state_, gaps_);
  for (Eigen::Index i = 0; i < gaps.size(); ++i)
    if (gaps[i] < 0.0) all.closed.push_back(static_cast<int>(i));
  touching_.closed.clear();
  close(all.closed);

  ContactProblem problem;
  motion_.scene.compute(state_, touching_.closed, problem);
  problem.F = step * problem.F - problem.M * state_.v;
  problem.gamma.setZero();
  for (Index i = 0; i < problem.contacts.size(); ++i)
    problem.gamma[problem.contacts[i].row] = gaps_[touching_.closed[i]] / step;
  for (Actuator& motor : problem.actuators) {
    motor.lower *= step;
    motor.upper *= step;
  }
  MotionLawOptions how;
  how.brakes = true;
  const Prediction after = predict_motion(problem, how);
  if (!after.converged()) return stop(SimulationOutcome::kGaveUp, "no velocity after a step of time was found");
  const double work = step * motion_.scene.applied(state_).dot(after.acceleration);
  state_.v = after.acceleration;
  state_.q = motion_.scene.bodies().integrate(state_.q, step * state_.v);
  time_ += step;
  now_.work += work;
  now_.impact_loss += energy + work - motion_.kinetic(state_) - motion_.potential(state_);
  std::vector<int> closed;
  for (Index i = 0; i < problem.contacts.size(); ++i)
    if (after.lambda[problem.contacts[i].row] != 0.0 || problem.contacts[i].side == Side::kBilateral)
      closed.push_back(touching_.closed[i]);
  touching_.closed = std::move(closed);
  classify();
  if (stopped()) return;
  motion_.evaluate(state_, nullptr, instant_);
  now_.stabilised = std::max(now_.stabilised, motion_.stabilise(state_, instant_));
  settle();
}

/// How many solutions the laws have for the acceleration, given which contacts slip. Without friction there is one;
/// what sticks may also slip by other solutions.
void SimulationRun::count()
{
  const ContactProblem& problem = instant_.problem;
  const bool friction = std::ranges::any_of(problem.contacts, has_friction);
  const bool slides = std::ranges::any_of(touching_.slides, [](const auto& slide) { return slide.has_value(); });
  now_.count = friction ? SolutionCount::kAtLeastOne : SolutionCount::kUnique;
  if (!friction || !slides || (!options_.count_solutions && instant_.solved())) return;
  ContactProblem asked = problem;
  for (Index k = 0; k < problem.actuators.size(); ++k)
    if (instant_.laws.effort.size() > 0)
      asked.F[problem.actuators[k].dof] -= instant_.laws.effort[static_cast<Eigen::Index>(k)];
  asked.actuators.clear();
  SlipDirections slips = instant_.slips;
  for (Index i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].tangents > 0 && problem.contacts[i].mu == 0.0) slips[i] = Eigen::Vector2d::UnitX();
  SlidingOptions options;
  options.node_limit = kSlidingModes;
  options.well_posedness = false;
  // What rests and leaves may leave any way; laws of sliding would have it stick.
  std::vector<int> leaving;
  for (Index i = 0; i < problem.contacts.size(); ++i)
    if (!slips[i] && instant_.laws.contacts[i].motion == PredictedMotion::kDetaches)
      leaving.push_back(static_cast<int>(i));
  for (std::size_t k = leaving.size(); k-- > 0;) slips.erase(slips.begin() + leaving[k]);
  SlidingResult found;
  slidings_.check(problem_without(asked, leaving), slips, options, found);
  now_.count = found.count;
  if (found.count == SolutionCount::kNone && instant_.solved()) now_.count = SolutionCount::kUndecided;
  if (found.count == SolutionCount::kNone && !instant_.solved())
    stop(SimulationOutcome::kNoSolution,
         "the laws of rigid bodies and friction contradict each other: " + found.explanation);
  if (found.count == SolutionCount::kSeveral)
    stop(SimulationOutcome::kSeveral,
         "the laws of rigid bodies and friction allow several futures: " + found.explanation);
}

/// Once, when nothing moves and nothing will.
void SimulationRun::tell_rest()
{
  if (stopped()) return;
  const double still = kStaysAtRest * std::max(1.0, motion_.scene.bodies().gravity().norm());
  const double speed = state_.v.lpNorm<Eigen::Infinity>();
  moved_ = moved_ || speed > kMoved;
  if (!moved_ || speed > kStandstill || instant_.laws.acceleration.lpNorm<Eigen::Infinity>() > still) return;
  tell(Kind::kRests, -1);
  moved_ = false;
}

}  // namespace stiction::internal
