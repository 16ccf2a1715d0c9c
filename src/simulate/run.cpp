#include "simulate/run.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::internal {
namespace {

constexpr double kClosedBy = 1e-12;       // m, rad: this far inside, a gap has closed
constexpr double kCloseTogether = 1e-9;   // m, rad: what closes so near to each other closes at once
constexpr double kGridRounding = 1e-12;   // share of a step: no further step for what is left
constexpr double kClockRounding = 1e-15;  // s at one second: instants nearer to each other are one
constexpr double kShortestPart = 1e-14;   // share of a step that bisection ends at
constexpr int kMostCuts = 200;            // of one step, before the rest of it is one step of time

}  // namespace

SimulationRun::SimulationRun(Motion& motion, const SimulatorOptions& options)
    : motion_(motion), touching_(motion.touching), options_(options)
{
}

Simulation SimulationRun::run(double seconds)
{
  start();
  const auto steps = static_cast<long>(std::ceil(seconds / options_.step * (1.0 - kGridRounding)));
  for (long k = 1; k <= steps && !stopped(); ++k) {
    const double until = k == steps ? seconds : static_cast<double>(k) * options_.step;
    now_.stabilised = 0.0;
    advance(until - time_);
    if (!stopped()) time_ = until;
    if (k % options_.record == 0 || k == steps || stopped()) record();
  }
  told_.time = time_;
  return std::move(told_);
}

void SimulationRun::start()
{
  MovingScene& scene = motion_.scene;
  told_.name = scene.name();
  told_.dofs = scene.dof_names();
  told_.joints = scene.joints();
  told_.bodies = scene.body_names();
  told_.warnings = scene.warnings();
  for (Index i = 0; i < scene.size(); ++i) told_.contacts.push_back(scene.told(i));
  state_ = scene.start();
  scene.gaps(state_, gaps_);
  touching_ = {};
  for (Index i = 0; i < scene.size(); ++i)
    if (scene.is_stop(i) ? gaps_[static_cast<Eigen::Index>(i)] <= kClosedBy : scene.features()[i].touches_at_start)
      touching_.closed.push_back(static_cast<int>(i));
  moved_ = state_.v.lpNorm<Eigen::Infinity>() > kStandstill;
  energy_ = motion_.kinetic(state_) + motion_.potential(state_);
  const bool asked = ask_verdict();
  settle();
  if (asked)
    told_.sticks = !stopped() && sliding_.empty() && moving_.empty() &&
                   std::ranges::none_of(instant_.laws.contacts, [](const ContactPrediction& law) {
                     return law.motion == PredictedMotion::kSlips;
                   });
  record();
}

/// +1 or -1 where a joint that its motor holds begins to move that way, at the limit of its effort; else 0.
double SimulationRun::gives_way(const Instant& instant, Index motor)
{
  constexpr double kStays = 1e-9;  // share of the largest acceleration that is none
  const Actuator& limits = instant.problem.actuators[motor];
  const double effort = instant.laws.effort[static_cast<Eigen::Index>(motor)],
               rate = instant.laws.acceleration[limits.dof];
  if (std::abs(rate) <= kStays * std::max(1.0, instant.laws.acceleration.lpNorm<Eigen::Infinity>())) return 0.0;
  return effort <= limits.lower ? 1.0 : effort >= limits.upper ? -1.0 : 0.0;
}

/// Whether every contact can stick or leave at the start, by given efforts or by those that motors find. False: not
/// asked, as something moves there already.
bool SimulationRun::ask_verdict()
{
  ContactProblem problem;
  motion_.scene.compute(state_, touching_.closed, problem);
  if (!(problem.J * state_.v).isZero(kStandstill)) return false;
  if (!problem.actuators.empty()) {
    if (!state_.v.isZero(kStandstill)) return false;
    EquilibriumOptions only;
    only.explain = only.structure = only.largest_slack = false;
    EquilibriumResult found;
    equilibrium_.check(problem, {}, only, found);
    told_.verdict = found.verdict;
    told_.asked = Question::kEquilibrium;
    return true;
  }
  StickingOptions only;
  only.explain = false;
  only.rules.detachment = Detachment::kFree;
  StickingResult found;
  sticking_.check(problem, only, found);
  told_.verdict = found.verdict;
  return true;
}

void SimulationRun::tell(Kind kind, int contact, double value)
{
  told_.events.push_back({kind, time_, contact, value});
}

void SimulationRun::stop(SimulationOutcome outcome, const std::string& reason)
{
  told_.outcome = outcome;
  told_.reason = reason;
}

/// As it is now, and the sums until now.
void SimulationRun::record()
{
  SimulationStep step = now_;
  step.time = time_;
  step.state = state_;
  step.state.a = instant_.laws.acceleration;
  motion_.scene.places(state_, step.joints, step.bodies);
  step.kinetic = motion_.kinetic(state_);
  step.potential = motion_.potential(state_);
  step.imbalance = step.kinetic + step.potential - energy_ - step.work + step.friction_loss + step.impact_loss;
  step.residual = instant_.residual;
  motion_.scene.gaps(state_, gaps_);
  for (Index i = 0; i < told_.contacts.size(); ++i) {
    SimulatedContact contact;
    contact.gap = gaps_[static_cast<Eigen::Index>(i)];
    const auto at = std::ranges::find(instant_.closed, static_cast<int>(i));
    if (at != instant_.closed.end()) {
      const auto k = static_cast<Index>(at - instant_.closed.begin());
      const Contact& found = instant_.problem.contacts[k];
      const ContactPrediction& law = instant_.laws.contacts[k];
      const bool slips = touching_.slides.size() > k && touching_.slides[k];
      contact.state = slips || law.motion == PredictedMotion::kSlips ? SimulatedContact::State::kSlips
                                                                     : SimulatedContact::State::kSticks;
      contact.force = law.force;
      contact.force_W = found.axes_W * law.force.head<3>();
      contact.point_W = found.point_W;
      if (found.tangents > 0) contact.slip = instant_.speed.segment(found.row + 1, found.tangents).norm();
      if (told_.contacts[i].stop) contact.force_W.setZero();
    }
    step.contacts.push_back(contact);
  }
  told_.steps.push_back(std::move(step));
}

/// One step of the grid, cut where something happens.
void SimulationRun::advance(double step)
{
  impacts_ = cuts_ = 0;
  Trial trial, later;
  while (step > 0.0 && !stopped()) {
    if (impacts_ >= options_.most_impacts || cuts_ >= kMostCuts) {
      tell(Kind::kStepsThrough, -1, std::max(impacts_, cuts_));
      return step_through(step);
    }
    attempt(step, trial);
    if (!trial.event) {
      accept(trial);
      time_ += step;
      break;
    }
    double before = 0.0, after = step;
    // Down to the rounding of time: what is told to happen then happens after `after`.
    while (after - before > kClockRounding * std::max(1.0, time_) && after - before > kShortestPart * step) {
      const double middle = 0.5 * (before + after);
      attempt(middle, later);
      if (later.event) {
        after = middle;
        std::swap(trial, later);
      } else {
        before = middle;
      }
    }
    ++cuts_;
    if (!trial.end.solved) {
      if (before > 0.0) {
        attempt(before, trial);
        accept(trial);
        time_ += before;
      }
      return end_here();
    }
    const std::vector<int> hits = closing(trial);
    accept(trial);
    close(hits);
    time_ += after;
    step -= after;
    settle();
  }
  tell_rest();
}

/// The laws have no solution from here on: which is said of a moment later.
void SimulationRun::end_here()
{
  constexpr double kMoment = 1e-9;
  if (stopped()) return;
  SceneState ahead = state_;
  ahead.q = motion_.scene.bodies().integrate(state_.q, kMoment * state_.v);
  ahead.v += kMoment * instant_.laws.acceleration;
  Instant here = std::move(instant_);
  instant_ = {};
  motion_.evaluate(ahead, &here, instant_);
  count();
  instant_ = std::move(here);
  if (!stopped()) give_up();
}

void SimulationRun::attempt(double step, Trial& trial)
{
  trial.end = motion_.integrate(state_, instant_, step);
  trial.event = true;
  if (!trial.end.solved) return;
  motion_.evaluate(trial.end.state, &instant_, trial.instant);
  trial.end.solved = trial.instant.solved();
  if (!trial.end.solved) return;
  motion_.scene.gaps(trial.end.state, trial.gaps);
  trial.event = has_event(trial);
}

bool SimulationRun::has_event(const Trial& trial) const
{
  const Instant& end = trial.instant;
  for (Eigen::Index i = 0; i < gaps_.size(); ++i)
    if (trial.gaps[i] < std::min(-kClosedBy, gaps_[i]) &&
        std::ranges::find(touching_.closed, static_cast<int>(i)) == touching_.closed.end())
      return true;
  for (Index i = 0; i < end.closed.size(); ++i) {
    const Contact& contact = end.problem.contacts[i];
    const PredictedMotion motion = end.laws.contacts[i].motion;
    if (motion == PredictedMotion::kDetaches) return true;
    if (!has_friction(contact)) continue;
    if (!touching_.slides[i]) {
      if (motion == PredictedMotion::kSlips) return true;
    } else {
      Eigen::Vector2d along = Eigen::Vector2d::Zero();
      along.head(contact.tangents) = end.speed.segment(contact.row + 1, contact.tangents);
      if (along.dot(*touching_.slides[i]) <= 0.0) return true;
    }
  }
  for (Index k = 0; k < touching_.turns.size(); ++k) {
    const Actuator& motor = end.problem.actuators[k];
    const double turn = touching_.turns[k];
    if (turn != 0.0 ? trial.end.state.v[motor.dof] * turn <= 0.0 : gives_way(end, k) != 0.0) return true;
  }
  return false;
}

void SimulationRun::accept(const Trial& trial)
{
  now_.work += trial.end.work;
  now_.friction_loss += trial.end.friction;
  state_ = trial.end.state;
  instant_ = trial.instant;
  now_.stabilised = std::max(now_.stabilised, motion_.stabilise(state_, instant_));
  motion_.scene.gaps(state_, gaps_);
  bool slides = false;
  for (const auto& slide : touching_.slides) slides = slides || slide;
  if (slides) count();
}

/// Gaps that have closed, and those that close with them.
std::vector<int> SimulationRun::closing(const Trial& trial) const
{
  std::vector<int> found;
  bool any = false;
  for (Eigen::Index i = 0; i < gaps_.size(); ++i) {
    if (std::ranges::find(touching_.closed, static_cast<int>(i)) != touching_.closed.end()) continue;
    any = any || trial.gaps[i] < std::min(-kClosedBy, gaps_[i]);
    if (trial.gaps[i] < std::min(kCloseTogether, gaps_[i])) found.push_back(static_cast<int>(i));
  }
  return any ? found : std::vector<int>{};
}

}  // namespace stiction::internal
