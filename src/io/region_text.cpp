#include <fmt/format.h>

#include <algorithm>

#include "io/number_text.hpp"
#include "io/region_answer.hpp"
#include "io/report.hpp"

namespace stiction::internal {
namespace {

/// A point, without what is rounding of numbers of size `scale` (m).
std::string metres(const Eigen::Vector2d& point, double scale)
{
  return fmt::format("({:.4g}, {:.4g})", tidy(point.x(), scale), tidy(point.y(), scale));
}

/// Area for people: that of a segment, as far as bounds around it can tell, is none.
double area_shown(const RegionResult& result, double area)
{
  constexpr double kNoArea = 1e-9;  // of the square of the length
  double length = 0.0;
  for (const RegionPiece& piece : result.pieces)
    for (const Eigen::Vector2d& corner : piece.outer) length = std::max(length, (corner - piece.outer[0]).norm());
  return area <= kNoArea * length * length ? 0.0 : area;
}

/// What is known about a region.
std::string extent_words(const RegionResult& result)
{
  const double least = area_shown(result, result.area.lower), most = area_shown(result, result.area.upper);
  switch (result.kind) {
    case RegionKind::kEmpty:
      return "the support region is empty: no position of the centre of mass is held";
    case RegionKind::kUnbounded:
      return "the support region is unbounded along " + metres(result.direction, 1.0);
    case RegionKind::kBounded:
      return "the support region has an area of " + interval_text(least, most, 6) + " m²";
    case RegionKind::kUndecided:
      return result.pieces.empty()
                 ? "the support region could not be found: " + result.reason
                 : fmt::format("the support region has an area of {:.6g} m² at least: {}", least, result.reason);
  }
  return "";
}

}  // namespace

std::string summary_of(const RegionResult& result)
{
  const std::string where = extent_words(result);
  const Margin& distance = result.distance;
  const bool known = distance.state == Margin::State::kKnown;
  switch (result.verdict) {
    case Verdict::kHolds:
      if (known && distance.lower > 0.0)
        return fmt::format("holds: the centre of mass is {:.4g} m inside the support region; {}", distance.lower,
                           where);
      return "holds: the centre of mass is inside the support region; " + where;
    case Verdict::kFails:
      if (known && distance.upper < 0.0)
        return fmt::format("fails: the centre of mass is {:.4g} m outside the support region; {}", -distance.upper,
                           where);
      return "fails: " + where;
    case Verdict::kUndecided:
      break;
  }
  return "undecided: whether the centre of mass is inside could not be proved; " + where;
}

AnswerText region_text(const ScenarioReport& report)
{
  AnswerText text;
  const RegionAnswer& answer = std::get<RegionAnswer>(report.answer);
  const RegionResult& result = answer.result;
  text.outcome = result.verdict == Verdict::kHolds   ? "INSIDE"
                 : result.kind == RegionKind::kEmpty ? "HELD NOWHERE"
                                                     : "OUTSIDE";
  double reach = 0.0;
  for (const Contact& contact : report.problem.contacts) reach = std::max(reach, contact.point_W.norm());
  text.notes.push_back(fmt::format(
      "centre of mass of {} at {} m; it is moved horizontally, contacts and Jacobians stay those of the given posture",
      answer.model, metres(answer.input.position, reach)));
  if (result.kind == RegionKind::kUnbounded && !answer.rules.clip)
    text.notes.push_back("no polygons of an unbounded region: clip it with options.box");
  if (answer.rules.clip)
    text.notes.push_back(fmt::format("clipped to {:.4g} m around the centre of mass", *answer.rules.clip));
  if (result.pieces.size() > 1)
    text.notes.push_back(
        fmt::format("the union of {} convex pieces: bilateral contacts push or pull", result.pieces.size()));
  if (result.kind == RegionKind::kBounded && !result.reason.empty()) text.notes.push_back(result.reason);
  for (const RegionPiece& piece : result.pieces)
    text.notes.push_back(fmt::format("polygons of {} corners inside and {} outside, by {} boundary searches",
                                     piece.inner.size(), piece.outer.size(), result.directions));
  return text;
}

}  // namespace stiction::internal
