#include "ask/proved.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::internal {

namespace {

Verdict judged(const ConeProgram& program, const ConeAnswer& answer)
{
  if (answer.outcome == Outcome::kFeasible && proves_feasible(program, answer.x)) return Verdict::kHolds;
  if (answer.outcome == Outcome::kInfeasible && proves_infeasible(program, answer.y)) return Verdict::kFails;
  return Verdict::kUndecided;
}

}  // namespace

Verdict claim(Engine& engine, const ConeProgram& program, ConeAnswer& answer)
{
  engine.decide(program, answer);
  if (answer.outcome == Outcome::kFeasible) return Verdict::kHolds;
  return answer.outcome == Outcome::kInfeasible ? Verdict::kFails : Verdict::kUndecided;
}

Verdict decide(Engine& engine, const ConeProgram& program, ConeAnswer& answer)
{
  engine.decide(program, answer);
  return judged(program, answer);
}

Verdict decide_next(Engine& engine, const ConeProgram& program, ConeAnswer& answer)
{
  engine.decide_next(program, answer);
  const Verdict verdict = judged(program, answer);
  return verdict == Verdict::kUndecided ? decide(engine, program, answer) : verdict;
}

double box_support(const ConeProgram& program, const Eigen::VectorXd& y)
{
  double sum = 0.0;
  for (const BoxVariable& box : program.boxes) {
    const double h = program.E.col(box.col).dot(y);
    const double bound = h > 0.0 ? box.upper : box.lower;
    if (std::isfinite(bound)) sum += h * bound;   // an infinite bound goes with h = 0 up to rounding
  }
  return sum;
}

void Caster::cast(Engine& engine, ConeProgram& program, const Eigen::VectorXd& d, double start, const Eigen::VectorXd& x,
                  const CastOptions& options, Cast& result)
{
  result.lower = start;
  result.upper = kInfinity;
  result.x = x;
  result.end = Cast::End::kUndecided;

  // Unbounded iff d itself is a sum of rays (bounded variables do not move).
  recession_.E = program.E;
  recession_.e = d;
  recession_.e_scale.resize(0);
  recession_.cones = program.cones;
  recession_.free = program.free;
  recession_.boxes = program.boxes;
  for (BoxVariable& box : recession_.boxes) {
    if (std::isfinite(box.lower)) box.lower = 0.0;
    if (std::isfinite(box.upper)) box.upper = 0.0;
  }
  const Verdict ray = decide(engine, recession_, answer_);
  if (ray == Verdict::kHolds) {
    result.end = Cast::End::kUnbounded;
    if (std::isfinite(options.cap)) {
      result.x += (options.cap - start) * answer_.x;
      result.lower = options.cap;
    }
    return;
  }
  if (ray != Verdict::kFails) return;

  e0_ = program.e;
  auto cut = [&](const Eigen::VectorXd& y) {
    const double yd = y.dot(d);
    if (yd > 0.0) {
      const double t = (box_support(program, y) - y.dot(e0_)) / yd;
      if (t < result.upper) {
        result.upper = std::max(t, result.lower);
        result.y = y;
      }
    }
  };
  cut(answer_.y);

  // Newton from outside: cuts converge superlinearly, so the boundary is expected within a small part of the last step.
  // Too near to the boundary to be proved either way, t becomes a ceiling for the search of lower bounds.
  double step = result.upper - result.lower, ceiling = kInfinity;
  for (int i = 0; i < 60; ++i) {
    const double gap = result.upper - result.lower;
    const double size = std::max({std::abs(result.lower), std::abs(result.upper), options.scale});
    if (gap <= options.relative_gap * size || result.lower >= options.cap) {
      result.end = Cast::End::kBounded;
      break;
    }
    const double back = std::clamp(0.02 * step, 0.5 * options.relative_gap * size, 0.5 * gap);
    if (ceiling - result.lower <= options.relative_gap * size) break;
    const double next = ceiling < result.upper ? 0.5 * (result.lower + ceiling) : i == 0 ? result.upper : result.upper - back;
    const double t = std::min(next, options.cap);
    program.e = e0_ + t * d;
    const Verdict verdict = decide_next(engine, program, answer_);
    const double before = result.upper;
    if (verdict == Verdict::kHolds) {
      result.lower = std::max(result.lower, t);
      result.x = answer_.x;
      step = result.upper - result.lower;
    } else if (verdict == Verdict::kFails) {
      cut(answer_.y);
      step = before - result.upper;
      if (result.upper >= before) result.upper = std::min(before, std::max(t, result.lower));
    } else {
      ceiling = t;
    }
  }
  program.e = e0_;
}

}  // namespace stiction::internal
