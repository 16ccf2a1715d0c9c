#include "solve/cast.hpp"

namespace stiction::internal {
namespace {

/// sup of y'E x over the boxes of the program (cones and free variables contribute nothing to a valid certificate).
double box_support(const ConeProgram& program, const Eigen::VectorXd& y)
{
  double sum = 0.0;
  for (const BoxVariable& box : program.boxes) {
    const double h = program.E.col(box.col).dot(y);
    const double bound = h > 0.0 ? box.upper : box.lower;
    if (std::isfinite(bound)) sum += h * bound;  // an infinite bound goes with h = 0 up to rounding
  }
  return sum;
}

}  // namespace

void Caster::cast(Engine& engine, ConeProgram& program, const Eigen::VectorXd& d, double start,
                  const Eigen::VectorXd& x, const CastOptions& options, Cast& result)
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
  const Verdict ray = decide(engine, recession_, judge_, answer_);
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
  const auto cut = [&](const Eigen::VectorXd& y) {
    const double yd = y.dot(d);
    const double t = yd > 0.0 ? (box_support(program, y) - y.dot(e0_)) / yd : kInfinity;
    if (!(t < result.upper)) return;
    result.upper = std::max(t, result.lower);
    result.y = y;
  };
  cut(answer_.y);
  close_gap(result, options, [&](double t) {
    program.e = e0_ + t * d;
    const Verdict verdict = decide_next(engine, program, judge_, answer_);
    if (verdict == Verdict::kHolds) result.x = answer_.x;
    if (verdict == Verdict::kFails) cut(answer_.y);
    return verdict;
  });
  program.e = e0_;
}

}  // namespace stiction::internal
