#include "draw/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction::internal {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Kind = Picture::Kind;

constexpr int kPointsOfACircle = 36;   // points of a drawn circle
constexpr double kLongestArrow = 0.3;  // the longest arrow, of the scene's size
constexpr double kLineOfText = 15.0;   // pixels

Vector3d tip_of(const Picture::Arrow& arrow, const Scales& scales)
{
  return arrow.from + scales.of(arrow.kind) * arrow.vector;
}

/// The body of a ghost: of those with its name, in their order.
template <class Part>
const Part& body_of(const std::vector<Part>& all, const Part& ghost)
{
  const auto is_ghost = [](const Part& part) { return part.role == Picture::Role::kGhost; };
  const auto end = all.begin() + (&ghost - all.data());
  auto before =
      std::count_if(all.begin(), end, [&](const Part& part) { return is_ghost(part) && part.name == ghost.name; });
  for (const Part& body : all)
    if (!is_ghost(body) && body.name == ghost.name && before-- == 0) return body;
  return ghost;
}

/// Animated ghosts: so many moments, each this long, then the last one until all begins again.
constexpr int kMoments = 12;
constexpr double kSecondsPerMoment = 0.1, kSecondsOfMotion = 2.4;

}  // namespace

std::string animation_css()
{
  const double moment = 100.0 * kSecondsPerMoment / kSecondsOfMotion;
  return fmt::format(
      ".stiction .moment{{visibility:hidden;animation:moment {0}s step-end infinite}}.stiction "
      ".last{{visibility:visible;animation-name:last}}@keyframes "
      "moment{{0%{{visibility:visible}}{1:.2f}%,100%{{visibility:hidden}}}}@keyframes "
      "last{{0%{{visibility:visible}}{2:.2f}%,100%{{visibility:hidden}}}}@media(prefers-reduced-motion:reduce){{."
      "stiction "
      ".moment{{animation:none}}}}",
      kSecondsOfMotion, moment, 100.0 - kMoments * moment);
}

Eye eye_along(const Vector3d& direction, const std::string& caption)
{
  const Vector3d forward = direction.normalized();
  Vector3d up = Vector3d::UnitZ() - forward * forward.z();
  constexpr double kUpright = 1e-3;  // sine: what looks up or down has no up of its own
  if (up.norm() < kUpright) up = Vector3d::UnitY() - forward * forward.y();
  up.normalize();
  return {caption, forward.cross(up), up, -forward};
}

Scales::Scales(const Picture& picture)
{
  const double size = picture.focus.sizes().maxCoeff();
  Eigen::AlignedBox3d contacts;
  for (const Vector3d& point : picture.points) contacts.extend(point);
  const double spread = contacts.isEmpty() ? 0.0 : contacts.sizes().maxCoeff();
  mark = spread > 0.0 ? std::clamp(0.6 * spread, 0.07 * size, 0.14 * size) : 0.14 * size;
  double force = 0.0, impulse = 0.0, velocity = 0.0;
  for (const Picture::Arrow& arrow : picture.arrows) switch (arrow.kind) {
      case Kind::kForce:
      case Kind::kBeyond:
      case Kind::kLoad:
      case Kind::kPush:
        force = std::max(force, arrow.vector.norm());
        break;
      case Kind::kImpulse:
      case Kind::kBlow:
        impulse = std::max(impulse, arrow.vector.norm());
        break;
      case Kind::kBefore:
      case Kind::kAfter:
        velocity = std::max(velocity, arrow.vector.norm());
        break;
      case Kind::kSlip:
      case Kind::kMotion:
        break;
    }
  if (force > 0.0) newton = kLongestArrow * size / force;
  if (impulse > 0.0) newton_second = kLongestArrow * size / impulse;
  if (velocity > 0.0) speed = kLongestArrow * size / velocity;
}

double Scales::of(Kind kind) const
{
  switch (kind) {
    case Kind::kForce:
    case Kind::kBeyond:
    case Kind::kLoad:
    case Kind::kPush:
      return newton;
    case Kind::kImpulse:
    case Kind::kBlow:
      return newton_second;
    case Kind::kBefore:
    case Kind::kAfter:
      return speed;
    case Kind::kSlip:
      return mark;
    case Kind::kMotion:
      break;
  }
  return 1.0;
}

const ArrowStyle& style_of(Kind kind)
{
  static const ArrowStyle styles[] = {
      {"force", "#0072b2", "", "contact force (N, share of its friction in use)", 2.4},
      {"beyond", "#d55e00", "9 3", "force that would be needed, outside its cone", 2.4},
      {"load", "#000", "", "load", 2.4},
      {"push", "#000", "6 3", "largest push that is held", 2.4},
      {"impulse", "#0072b2", "", "impulse of a contact (N s, share of its friction in use)", 2.4},
      {"blow", "#000", "", "blow", 2.4},
      {"before", "#b26b00", "3 3", "relative velocity of a contact before", 1.8},
      {"after", "#00694d", "", "and after the impact", 1.8},
      {"slip", "#00694d", "10 2 2 2", "direction of slip", 1.8},
      {"motion", "#882277", "5 3", "", 1.8}};
  return styles[static_cast<int>(kind)];
}

std::string arrow_head(const Vector2d& from, const Vector2d& tip, const ArrowStyle& style)
{
  const Vector2d along = (tip - from).normalized(), across(-along.y(), along.x());
  const double length = std::min(9.0, 0.7 * (tip - from).norm()), half = 0.42 * length;
  const Vector2d base = tip - length * along;
  return fmt::format("<polygon class=\"head {}\" points=\"{}\"/>", style.css,
                     points_text({tip, base + half * across, base - half * across}));
}

std::string mass_mark(const Vector2d& c)
{
  return fmt::format(
      "<circle class=\"com\" cx=\"{0}\" cy=\"{1}\" r=\"6\"/><path class=\"comdark\" d=\"M{0} {1}V{2}A6 6 0 0 1 {3} "
      "{1}ZM{0} {1}V{4}A6 6 0 0 1 {5} {1}Z\"/>\n",
      px(c.x()), px(c.y()), px(c.y() - 6), px(c.x() + 6), px(c.y() + 6), px(c.x() - 6));
}

Panel::Panel(const Picture& picture, const Scales& scales, const Eye& eye, bool animated)
    : picture_(picture), scales_(scales), eye_(eye), animated_(animated)
{
  for (int i = 0; i < 8; ++i)
    reach_.extend(flat(picture.focus.corner(static_cast<Eigen::AlignedBox3d::CornerType>(i))));
  for (const Picture::Solid& solid : picture.solids)
    if (solid.role == Picture::Role::kGhost)
      for (const Picture::Ball& ball : solid.hull) {
        reach_.extend(flat(ball.center) - Vector2d::Constant(ball.radius));
        reach_.extend(flat(ball.center) + Vector2d::Constant(ball.radius));
      }
  for (const Picture::Arrow& arrow : picture.arrows) {
    reach_.extend(flat(arrow.from));
    reach_.extend(flat(tip_of(arrow, scales)));
  }
  for (const Picture::Cone& cone : picture.cones) reach_.extend(flat(cone.apex + scales.mark * cone.axis));
  if (picture.gravity.norm() > 0.0)
    for (const Picture::Mass& mass : picture.masses)
      if (picture.focus.contains(mass.center))
        reach_.extend(flat(mass.center + scales.mark * picture.gravity.normalized()));
}

double Panel::fitting_scale(const Vector2d& size) const
{
  constexpr double kNoExtent = 1e-30;
  return (size.array() / reach_.sizes().array().max(kNoExtent)).minCoeff();
}

Vector2d Panel::flat(const Vector3d& point) const
{
  const Vector3d from_middle = point - picture_.focus.center();
  return {eye_.right.dot(from_middle), eye_.up.dot(from_middle)};
}

Vector2d Panel::at(const Vector3d& point) const
{
  const Vector2d off = pixels_ * (flat(point) - reach_.center());
  return frame_.center() + Vector2d(off.x(), -off.y());
}

Outline Panel::shadow(const std::vector<Picture::Ball>& hull) const
{
  Outline points;
  for (const Picture::Ball& ball : hull) {
    const Vector2d center = at(ball.center);
    if (ball.radius * pixels_ < 0.3) {
      points.push_back(center);
      continue;
    }
    for (int k = 0; k < kPointsOfACircle; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kPointsOfACircle;
      points.push_back(center + pixels_ * ball.radius * Vector2d(std::cos(angle), std::sin(angle)));
    }
  }
  return visible_hull(points);
}

std::string Panel::polygon(const Outline& outline, const std::string& css) const
{
  const Outline inside = clipped(outline, frame_);
  if (inside.size() < 2) return "";
  return fmt::format("<polygon class=\"{}\" points=\"{}\"/>\n", css, points_text(inside));
}

std::string Panel::line(const Vector2d& from, const Vector2d& to, const std::string& css, const std::string& more) const
{
  const Outline inside = clipped({from, to}, frame_);
  if (inside.size() != 2) return "";
  return fmt::format("<path class=\"{}\"{} d=\"M{} {}L{} {}\"/>\n", css, more, px(inside[0].x()), px(inside[0].y()),
                     px(inside[1].x()), px(inside[1].y()));
}

/// Seen from its edge a line with hatching below, else an outline.
std::string Panel::surface(const Picture::Surface& surface) const
{
  Outline corners;
  for (const Vector3d& corner : surface.corners) corners.push_back(at(corner));
  constexpr double kEdgeOn = 0.03;  // cosine
  if (std::abs(surface.normal.dot(eye_.toward)) > kEdgeOn) return polygon(visible_hull(corners), "surface");
  const Vector2d up = Vector2d(eye_.right.dot(surface.normal), -eye_.up.dot(surface.normal)).normalized();
  const Vector2d along(-up.y(), up.x());
  double low = 1e300, high = -1e300;
  for (const Vector2d& corner : corners) {
    low = std::min(low, along.dot(corner - corners[0]));
    high = std::max(high, along.dot(corner - corners[0]));
  }
  const Outline shown = clipped({corners[0] + low * along, corners[0] + high * along}, frame_);
  if (shown.size() != 2) return "";
  std::string out = line(shown[0], shown[1], "edge"), hatching;
  const double length = (shown[1] - shown[0]).norm();
  for (double s = 4.0; s < length; s += 8.0) {
    const Vector2d start = shown[0] + s * (shown[1] - shown[0]) / length;
    const Outline stroke = clipped({start, start - 7.0 * up - 5.0 * along}, frame_);
    if (stroke.size() == 2)
      hatching +=
          fmt::format("M{} {}L{} {}", px(stroke[0].x()), px(stroke[0].y()), px(stroke[1].x()), px(stroke[1].y()));
  }
  return out + fmt::format("<path class=\"hatching\" d=\"{}\"/>\n", hatching);
}

/// From the back to the front.
std::string Panel::solids(bool ghosts, double share) const
{
  const auto on_the_way = [&](const Vector3d& from, const Vector3d& to) { return from + share * (to - from); };
  std::vector<std::pair<double, const Picture::Solid*>> order;
  for (const Picture::Solid& solid : picture_.solids) {
    if ((solid.role == Picture::Role::kGhost) != ghosts || solid.hull.empty()) continue;
    Vector3d middle = Vector3d::Zero();
    for (const Picture::Ball& ball : solid.hull)
      middle += (ball.center - picture_.focus.center()) / static_cast<double>(solid.hull.size());
    order.emplace_back(middle.dot(eye_.toward), &solid);
  }
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
  std::string out;
  for (const auto& [depth, solid] : order) {
    static const char* const kClasses[] = {"body", "fixed", "obstacle", "ghost"};
    std::vector<Picture::Ball> hull = solid->hull;
    if (ghosts && share < 1.0) {
      const std::vector<Picture::Ball>& from = body_of(picture_.solids, *solid).hull;
      for (std::size_t i = 0; i < hull.size() && i < from.size(); ++i)
        hull[i].center = on_the_way(from[i].center, hull[i].center);
    }
    out += polygon(shadow(hull), kClasses[static_cast<int>(solid->role)]);
  }
  for (const Picture::Bar& bar : picture_.bars) {
    if ((bar.role == Picture::Role::kGhost) != ghosts) continue;
    const Picture::Bar& body = ghosts ? body_of(picture_.bars, bar) : bar;
    out += line(at(on_the_way(body.from, bar.from)), at(on_the_way(body.to, bar.to)), ghosts ? "ghost" : "bar");
    if (!ghosts && frame_.contains(at(bar.from)) && (at(bar.to) - at(bar.from)).norm() > 8.0)
      out += fmt::format("<circle class=\"joint\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>\n", px(at(bar.from).x()),
                         px(at(bar.from).y()));
  }
  return out;
}

/// Moments one after the other, each with a time of its own; the last one stays for a while.
std::string Panel::moving_ghosts() const
{
  std::string out;
  for (int k = 1; k <= kMoments; ++k) {
    const std::string ghosts = solids(true, static_cast<double>(k) / kMoments);
    if (!ghosts.empty())
      out += fmt::format("<g class=\"moment{}\" style=\"animation-delay:{:.2f}s\">\n", k == kMoments ? " last" : "",
                         kSecondsPerMoment * k - kSecondsOfMotion) +
             ghosts + "</g>\n";
  }
  return out;
}

Outline Panel::cone_outline(const Picture::Cone& cone, double side) const
{
  const Vector3d across = cone.axis.unitOrthogonal(), other = cone.axis.cross(across);
  const double height = scales_.mark / std::hypot(1.0, cone.mu), radius = height * cone.mu;
  Outline points{at(cone.apex)};
  for (int k = 0; k < kPointsOfACircle; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kPointsOfACircle;
    points.push_back(
        at(cone.apex + side * height * cone.axis + radius * (std::cos(angle) * across + std::sin(angle) * other)));
  }
  return visible_hull(points);
}

std::string Panel::cone(const Picture::Cone& cone) const
{
  std::string out;
  for (const double side : {1.0, -1.0}) {
    if (side < 0.0 && !cone.pulls) break;
    if (cone.mu > 0.0) out += polygon(cone_outline(cone, side), "cone");
    out += line(at(cone.apex), at(cone.apex + side * scales_.mark * cone.axis), "normal");
  }
  return out;
}

std::string Panel::arrow(const Picture::Arrow& arrow)
{
  const ArrowStyle& style = style_of(arrow.kind);
  const Vector3d way = scales_.of(arrow.kind) * arrow.vector;
  const Vector2d from = at(arrow.from), tip = at(arrow.from + way);
  if (!arrow.label.empty()) {  // at the end of steep arrows, above flat ones
    const bool flat_arrow = std::abs((tip - from).x()) > std::abs((tip - from).y());
    wanted_.push_back({arrow.label, flat_arrow ? Vector2d(from + 0.6 * (tip - from)) : tip,
                       flat_arrow ? Vector2d(0.0, -1.0) : Vector2d(tip - from), arrow.vector.norm()});
  }
  const std::string name = fmt::format(" data-name=\"{}\"", escaped(arrow.name));
  constexpr double kShows = 3.0;  // pixels
  if ((tip - from).norm() >= kShows) {
    placer_.avoid(from, tip);
    return line(from, tip, style.css, name) + arrow_head(from, tip, style) + "\n";
  }
  const double depth = way.dot(eye_.toward) * pixels_;
  if (std::abs(depth) < kShows || !frame_.contains(from)) return "";
  std::string out =
      fmt::format("<circle class=\"{}\"{} cx=\"{}\" cy=\"{}\" r=\"5\"/>", style.css, name, px(from.x()), px(from.y()));
  if (depth > 0.0)
    return out + fmt::format("<circle class=\"head {}\" cx=\"{}\" cy=\"{}\" r=\"1.5\"/>\n", style.css, px(from.x()),
                             px(from.y()));
  return out + fmt::format("<path class=\"{}\" d=\"M{} {}l7 7m0 -7l-7 7\"/>\n", style.css, px(from.x() - 3.5),
                           px(from.y() - 3.5));
}

std::string Panel::mass(const Picture::Mass& mass)
{
  const Vector2d c = at(mass.center);
  if (!frame_.contains(c) || !picture_.focus.contains(mass.center)) return "";
  placer_.block({c - Vector2d(7, 7), c + Vector2d(7, 7)});
  const double g = picture_.gravity.norm();
  std::string out;
  if (g > 0.0) {
    const Vector2d tip = at(mass.center + scales_.mark * picture_.gravity / g);
    const ArrowStyle style{"gravity", "", "", "", 1.5};
    if ((tip - c).norm() > 8.0) {
      out = line(c, tip, "gravity") + arrow_head(c, tip, style) + "\n";
      placer_.avoid(c, tip);
    }
    wanted_.push_back({fmt::format("{:.3g} kg, {:.3g} N", mass.mass, mass.mass * g), tip, tip - c, 0.0});
  }
  return out + mass_mark(c);
}

/// The world's axes in a corner.
std::string Panel::axes()
{
  const Vector2d origin = frame_.corner(Eigen::AlignedBox2d::TopLeft) + Vector2d(26.0, -26.0);
  const Eigen::AlignedBox2d room(frame_.corner(Eigen::AlignedBox2d::TopLeft) + Vector2d(0.0, -62.0),
                                 frame_.corner(Eigen::AlignedBox2d::TopLeft) + Vector2d(64.0, 0.0));
  placer_.block(room);
  std::string out =
      fmt::format("<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", px(room.min().x() + 1.0),
                  px(room.min().y()), px(room.sizes().x()), px(room.sizes().y() - 1.0));
  const ArrowStyle style{"axis", "", "", "", 1.0};
  for (int i = 0; i < 3; ++i) {
    const Vector2d along(eye_.right[i], -eye_.up[i]);
    if (along.norm() < 0.3) continue;
    const Vector2d tip = origin + 22.0 * along, name = origin + 30.0 * along;
    out += line(origin, tip, "axis") + arrow_head(origin, tip, style);
    out += fmt::format("<text class=\"small\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", px(name.x()),
                       px(name.y() + 4.0), "xyz"[i]);
  }
  return out;
}

std::string Panel::labels(std::set<std::string>& told)
{
  std::ranges::stable_sort(wanted_, [](const Wanted& a, const Wanted& b) { return a.importance > b.importance; });
  std::vector<std::pair<Vector2d, std::string>> places;
  std::string out;
  for (const Wanted& label : wanted_) {
    constexpr double kSamePlace = 8.0, kSameNumber = 90.0;
    const auto near = [&](const auto& other) {
      return (other.first - label.about).norm() < (other.second == label.text ? kSameNumber : kSamePlace);
    };
    if (!frame_.contains(label.about) || (told.contains(label.text) && std::ranges::any_of(places, near))) continue;
    const double width = text_width(label.text, kSmallText) + 4.0;
    const auto box = placer_.place(label.about, label.away, width, kLineOfText);
    if (!box) continue;
    told.insert(label.text);
    places.emplace_back(label.about, label.text);
    const Vector2d nearest = label.about.cwiseMax(box->min()).cwiseMin(box->max());
    if ((nearest - label.about).norm() > 18.0) out += line(label.about, nearest, "leader");
    out += fmt::format(
        "<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text class=\"small\" x=\"{}\" y=\"{}\" "
        "text-anchor=\"middle\">{}</text>\n",
        px(box->min().x()), px(box->min().y()), px(width), px(kLineOfText), px(box->center().x()),
        px(box->max().y() - 3.5), escaped(label.text));
  }
  return out;
}

std::string Panel::svg(const Eigen::AlignedBox2d& frame, double pixels, std::set<std::string>& told)
{
  frame_ = frame;
  pixels_ = pixels;
  placer_ = LabelPlacer(frame);
  const Vector2d corner = frame.min();
  std::string out = fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                                px(corner.x()), px(corner.y()), px(frame.sizes().x()), px(frame.sizes().y()));
  const double caption = text_width(eye_.caption, kSmallText) + 12.0;
  if (!eye_.caption.empty()) placer_.block({corner, corner + Vector2d(caption, 20.0)});
  for (const Picture::Surface& shown : picture_.surfaces) out += surface(shown);
  out += solids(false);
  for (const Picture::Area& area : picture_.areas) {
    Outline corners;
    for (const Vector3d& point : area.corners) corners.push_back(at(point));
    out += polygon(visible_hull(corners), area.held ? "held" : "outer");
  }
  out += animated_ ? moving_ghosts() : solids(true);
  for (const Vector3d& pin : picture_.pins)
    if (frame_.contains(at(pin)))
      out += fmt::format("<circle class=\"pin\" cx=\"{}\" cy=\"{}\" r=\"5\"/>\n", px(at(pin).x()), px(at(pin).y()));
  for (const Picture::Cone& shown : picture_.cones) {
    out += cone(shown);
    if (!shown.label.empty())
      wanted_.push_back({shown.label, at(shown.apex), at(shown.apex) - at(shown.apex + shown.axis), 0.0});
  }
  for (const Vector3d& point : picture_.points)
    if (frame_.contains(at(point)))
      out += fmt::format("<circle class=\"contact\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>\n", px(at(point).x()),
                         px(at(point).y()));
  for (const Picture::Mass& shown : picture_.masses) out += mass(shown);
  for (const Picture::Arrow& shown : picture_.arrows) out += arrow(shown);
  out += axes();
  if (!eye_.caption.empty())
    out += fmt::format(
        "<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"19\"/><text class=\"small\" x=\"{}\" "
        "y=\"{}\">{}</text>\n",
        px(corner.x() + 1.0), px(corner.y() + 1.0), px(caption), px(corner.x() + 6.0), px(corner.y() + 15.0),
        escaped(eye_.caption));
  return out + labels(told);
}

}  // namespace stiction::internal
