#include "ask/component_ranges.hpp"

namespace stiction::internal {

ComponentRanges::ComponentRanges(ConeProgram program, Eigen::VectorXd start, Engine& engine)
    : program_(std::move(program)), start_(std::move(start)), engine_(engine)
{
  const auto rows = program_.E.rows();
  program_.E.conservativeResize(rows + 1, Eigen::NoChange);
  program_.E.row(rows).setZero();
  program_.e.resize(rows + 1);
  program_.e.head(rows) = program_.E.topRows(rows) * start_;
  program_.e_scale = program_.E.cwiseAbs() * start_.cwiseAbs();
}

Margin ComponentRanges::of(int column)
{
  const auto last = program_.E.rows() - 1;
  program_.E.row(last).setZero();
  program_.E(last, column) = 1.0;
  program_.e[last] = start_[column];
  program_.e_scale[last] = std::abs(start_[column]);
  CastOptions how;
  how.scale = start_.lpNorm<Eigen::Infinity>();
  Margin range{Margin::State::kKnown, start_[column], start_[column], {}};
  for (const double way : {1.0, -1.0}) {
    caster_.cast(engine_, program_, way * Eigen::VectorXd::Unit(last + 1, last), 0.0, start_, how, cast_);
    if (cast_.end == CastRange::End::kUndecided)
      return {Margin::State::kUndecided, -kInfinity, kInfinity, "too near to an end of the range to be decided"};
    const double reach = cast_.end == CastRange::End::kUnbounded ? kInfinity : cast_.upper;
    (way > 0.0 ? range.upper : range.lower) += way * reach;
  }
  return range;
}

}  // namespace stiction::internal
