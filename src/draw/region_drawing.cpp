#include "draw/region_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "draw/labels.hpp"
#include "draw/panel.hpp"
#include "geometry/settle.hpp"
#include "io/number_text.hpp"
#include "io/region_answer.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

const RegionAnswer& region_of(const ScenarioReport& report)
{
  if (const auto* answer = std::get_if<RegionAnswer>(&report.answer)) return *answer;
  throw InputError("question", "want region, got " + quoted(stiction::name_of(report.scenario.question)));
}

/// From metres in the world (x right, y up) to pixels of a square plot.
class Canvas {
 public:
  static constexpr double kLeft = 70.0, kTop = 60.0, kSide = 560.0;

  void include(const Eigen::Vector2d& point)
  {
    lower_ = lower_.cwiseMin(point);
    upper_ = upper_.cwiseMax(point);
  }
  /// Square, with room around; at least a millimetre wide.
  void close()
  {
    constexpr double kNarrowest = 1e-3;  // m
    const double size = 1.2 * std::max((upper_ - lower_).maxCoeff(), kNarrowest);
    const Eigen::Vector2d middle = 0.5 * (lower_ + upper_);
    lower_ = middle.array() - 0.5 * size;
    upper_ = middle.array() + 0.5 * size;
  }
  double size() const { return upper_.x() - lower_.x(); }
  double pixels(double length) const { return length / size() * kSide; }
  double x(double value) const { return kLeft + pixels(value - lower_.x()); }
  double y(double value) const { return kTop + kSide - pixels(value - lower_.y()); }
  const Eigen::Vector2d& lower() const { return lower_; }
  const Eigen::Vector2d& upper() const { return upper_; }

 private:
  Eigen::Vector2d lower_ = Eigen::Vector2d::Constant(kInfinity), upper_ = Eigen::Vector2d::Constant(-kInfinity);
};

void append_axes(std::string& out, const Canvas& canvas)
{
  constexpr double right = Canvas::kLeft + Canvas::kSide, bottom = Canvas::kTop + Canvas::kSide;
  const double step = tick_step(canvas.size(), 6.0);
  constexpr double kRoundingOfTicks = 1e-9;
  const auto label = [&](double value) {
    return fmt::format("{:.4g}", std::abs(value) < kRoundingOfTicks * step ? 0.0 : value);
  };
  for (double k = std::ceil(canvas.lower().x() / step); k * step <= canvas.upper().x(); ++k) {
    const std::string x = px(canvas.x(k * step));
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1}V{2}\"/><text x=\"{0}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n", x,
        px(Canvas::kTop), px(bottom), px(bottom + 18), label(k * step));
  }
  for (double k = std::ceil(canvas.lower().y() / step); k * step <= canvas.upper().y(); ++k) {
    const double y = canvas.y(k * step);
    out += fmt::format(
        "<path class=\"grid\" d=\"M{1} {0}H{2}\"/><text x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{5}</text>\n", px(y),
        px(Canvas::kLeft), px(right), px(Canvas::kLeft - 8), px(y + 4), label(k * step));
  }
  out += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", px(Canvas::kLeft),
                     px(Canvas::kTop), px(Canvas::kSide), px(Canvas::kSide));
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">x [m]</text>\n", px(0.5 * (Canvas::kLeft + right)),
                     px(bottom + 38));
  out += fmt::format("<text x=\"18\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {0})\">y [m]</text>\n",
                     px(0.5 * (Canvas::kTop + bottom)));
}

/// The corners that show, from the leftmost on: within a tenth of a pixel of its neighbours' line a corner is none.
Polygon visible(const Canvas& canvas, Polygon polygon)
{
  for (std::size_t i = 0; i < polygon.size() && polygon.size() > 2;) {
    const Eigen::Vector2d& corner = polygon[i];
    const Eigen::Vector2d& before = polygon[(i + polygon.size() - 1) % polygon.size()];
    const Eigen::Vector2d along = polygon[(i + 1) % polygon.size()] - before, to = corner - before;
    const double height =
        std::abs(along.x() * to.y() - along.y() * to.x()) / std::max(along.norm(), std::numeric_limits<double>::min());
    if (canvas.pixels(height) < 0.1)
      polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  const auto leftmost = std::ranges::min_element(
      polygon, {}, [&](const Eigen::Vector2d& c) { return std::pair(std::lround(canvas.pixels(c.x())), c.y()); });
  std::ranges::rotate(polygon, leftmost);
  return polygon;
}

void append_polygon(std::string& out, const Canvas& canvas, const Polygon& corners, const char* css)
{
  if (corners.empty()) return;
  const Polygon polygon = visible(canvas, corners);
  if (polygon.size() == 1) {
    out += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", css, px(canvas.x(polygon[0].x())),
                       px(canvas.y(polygon[0].y())));
    return;
  }
  std::string points;
  for (const Eigen::Vector2d& corner : polygon)
    points += (points.empty() ? "" : " ") + px(canvas.x(corner.x())) + "," + px(canvas.y(corner.y()));
  out += fmt::format("<polygon class=\"{}\" points=\"{}\"/>\n", css, points);
}

/// The point of the boundaries nearest to `from`.
Eigen::Vector2d nearest_boundary(const std::vector<RegionPiece>& pieces, Polygon RegionPiece::*which,
                                 const Eigen::Vector2d& from)
{
  Eigen::Vector2d nearest = from;
  double best = kInfinity;
  for (const RegionPiece& piece : pieces) {
    const Polygon& polygon = piece.*which;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Eigen::Vector2d a = polygon[i], edge = polygon[(i + 1) % polygon.size()] - a;
      const double length2 = edge.squaredNorm();
      const double t = length2 > 0.0 ? std::min(1.0, std::max(0.0, (from - a).dot(edge) / length2)) : 0.0;
      if (const double distance = (a + t * edge - from).norm(); distance < best) {
        best = distance;
        nearest = a + t * edge;
      }
    }
  }
  return nearest;
}

/// The distance to the boundary as a line, and where it is a margin as a circle that stays inside.
void append_margin(std::string& out, const Canvas& canvas, const RegionAnswer& region)
{
  const RegionResult& result = region.result;
  const Eigen::Vector2d c = region.input.position;
  if (result.distance.state != Margin::State::kKnown) return;
  const bool inside = result.verdict == Verdict::kHolds;
  if (inside)
    out += fmt::format("<circle class=\"margin\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", px(canvas.x(c.x())),
                       px(canvas.y(c.y())), px(canvas.pixels(result.distance.lower)));
  const Eigen::Vector2d end = nearest_boundary(result.pieces, inside ? &RegionPiece::inner : &RegionPiece::outer, c);
  out += fmt::format("<path class=\"margin\" d=\"M{} {}L{} {}\"/>\n", px(canvas.x(c.x())), px(canvas.y(c.y())),
                     px(canvas.x(end.x())), px(canvas.y(end.y())));
}

void append_points(std::string& out, const Canvas& canvas, const ScenarioReport& report, const RegionAnswer& region)
{
  for (const Contact& contact : report.problem.contacts) {
    const double x = canvas.x(contact.point_W.x()), y = canvas.y(contact.point_W.y());
    out += fmt::format("<circle class=\"contact\" cx=\"{}\" cy=\"{}\" r=\"4\"><title>{}</title></circle>\n", px(x),
                       px(y), escaped(contact.name));
    if (report.problem.contacts.size() <= 12)
      out += fmt::format("<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n", px(x + 6), px(y - 6),
                         escaped(contact.name));
  }
  const double x = canvas.x(region.input.position.x()), y = canvas.y(region.input.position.y());
  out += fmt::format("<path class=\"com\" d=\"M{} {}h12M{} {}v12\"/>\n", px(x - 6), px(y), px(x), px(y - 6));
  if (region.result.kind != RegionKind::kUnbounded) return;
  const Eigen::Vector2d end =
      Eigen::Vector2d(x, y) + 120.0 * Eigen::Vector2d(region.result.direction.x(), -region.result.direction.y());
  out +=
      fmt::format("<path class=\"far\" d=\"M{} {}L{} {}\"/><text class=\"name\" x=\"{}\" y=\"{}\">unbounded</text>\n",
                  px(x), px(y), px(end.x()), px(end.y()), px(end.x()), px(end.y()));
}

/// What the proof of a side says: the motion that loads beyond it drive, and what would have to oppose it.
struct SideLimit {
  const char* css = "tipping";
  std::string words = "tipping";
};

SideLimit limit_of(const ContactProblem& problem, const MotionLeaf& side)
{
  constexpr double kTakesPart = 1e-2, kSlides = 1e-3;  // of the load's power, of the fastest contact
  constexpr double kOpens = 1.01;  // times what a contact that slips at the rim of its cone lifts in a proof
  const auto motion = side.motion.head(problem.nv());
  const double power = motion.cwiseAbs().dot(problem.F.cwiseAbs());
  std::vector<std::pair<double, std::string>> joints;
  for (const Actuator& motor : problem.actuators) {
    const double v = motion[motor.dof], most = v > 0.0 ? motor.lower : motor.upper;
    if (std::isfinite(most) && std::abs(v * most) > kTakesPart * power)
      joints.emplace_back(-std::abs(v * most), motor.name.substr(motor.name.find('/') + 1));
  }
  std::ranges::sort(joints);
  double fastest = 0.0, sideways = 0.0;
  for (const Contact& contact : problem.contacts) {
    const Eigen::VectorXd speed = problem.J.middleRows(contact.row, contact.rows()) * motion;
    const double slip = speed.segment(1, contact.tangents).norm();
    fastest = std::max(fastest, speed.norm());
    if (std::abs(speed[0]) <= kOpens * contact.mu * slip) sideways = std::max(sideways, slip);  // else it opens
  }
  const bool slides = sideways > kSlides * fastest;
  const bool pressed = side.motion.size() > problem.nv() &&
                       side.motion.tail(side.motion.size() - problem.nv()).cwiseAbs().maxCoeff() > kSlides * fastest;
  if (!joints.empty())
    return {"effort", "effort of " + joints[0].second +
                          (joints.size() > 1 ? fmt::format(" and {} more", joints.size() - 1) : "")};
  if (pressed) return {"effort", "largest normal force"};
  return slides ? SideLimit{"friction", "friction"} : SideLimit{};
}

/// Sides of the outer polygon by what limits the region there, and what that is.
void append_limits(std::string& out, const Canvas& canvas, const RegionAnswer& region)
{
  const Eigen::Vector2d corner(Canvas::kLeft, Canvas::kTop), size(Canvas::kSide, Canvas::kSide);
  LabelPlacer placer(Eigen::AlignedBox2d(corner, corner + size));
  const auto at = [&](const Eigen::Vector2d& p) { return Eigen::Vector2d(canvas.x(p.x()), canvas.y(p.y())); };
  for (const Contact& contact : region.input.problem.contacts) {
    const Eigen::Vector2d point = at(contact.point_W.head<2>());
    placer.block(
        {point - Eigen::Vector2d(6.0, 20.0), point + Eigen::Vector2d(12.0 + text_width(contact.name, 12.0), 6.0)});
  }
  for (const RegionPieceProof& piece : region.result.proof.pieces) {
    if (piece.sides.size() != piece.outer.size()) continue;
    std::string told;
    for (std::size_t i = 0; i < piece.outer.size(); ++i) {
      if (piece.sides[i].motion.size() < region.input.problem.nv()) continue;  // of the clipping square
      const Eigen::Vector2d a = at(region.input.position + piece.outer[i]),
                            b = at(region.input.position + piece.outer[(i + 1) % piece.outer.size()]);
      const SideLimit limit = limit_of(region.input.problem, piece.sides[i]);
      out += fmt::format("<path class=\"{}\" d=\"M{} {}L{} {}\"><title>{}</title></path>\n", limit.css, px(a.x()),
                         px(a.y()), px(b.x()), px(b.y()), escaped(limit.words));
      constexpr double kLongEnough = 30.0;  // pixels
      if ((b - a).norm() < kLongEnough || limit.words == told) continue;
      const Eigen::Vector2d middle = 0.5 * (a + b), inside = at(region.input.position);
      if (const auto box = placer.place(middle, inside, text_width(limit.words, 12.0), 14.0)) {
        out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", px(box->min().x()), px(box->max().y() - 3.0),
                           escaped(limit.words));
        told = limit.words;
      }
    }
  }
}

/// The hulls of what each contact entry touches: soles.
void append_soles(std::string& out, const Canvas& canvas, const ScenarioReport& report)
{
  if (report.scenario.bare) return;
  const Scene scene(report.scenario.scene);
  std::map<int, Polygon> soles;
  for (std::size_t i = 0; i < report.problem.contacts.size(); ++i)
    soles[scene.contact_origins()[i].description].push_back(report.problem.contacts[i].point_W.head<2>());
  for (const auto& [description, points] : soles) {
    Polygon hull;
    for (const int i : convex_hull(points, [](const Eigen::Vector2d& p) { return p; }))
      hull.push_back(points[static_cast<std::size_t>(i)]);
    if (hull.size() > 2) append_polygon(out, canvas, hull, "sole");
  }
}

/// Where the drawing, which looks straight down the world's z axis, does not show it by itself: which way is uphill,
/// and which way gravity leans.
void append_slope(std::string& out, const ScenarioReport& report)
{
  const Eigen::Vector3d& gravity = report.scenario.scene.gravity;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  for (const Contact& contact : report.problem.contacts) normal += contact.axes_W.col(0);
  if (report.scenario.bare || !(gravity.norm() > 0.0) || !(normal.norm() > 0.0)) return;
  const Eigen::Vector3d up = -gravity.normalized(), surface = normal.normalized();
  const Eigen::Vector3d uphill = up - surface * surface.dot(up);
  constexpr double kShownArea = 0.01, kRadian = 57.29577951308232;
  double y = Canvas::kTop + 24.0;
  const auto append = [&](const Eigen::Vector2d& along, const std::string& words) {
    const Eigen::Vector2d middle(Canvas::kLeft + Canvas::kSide - 24.0, y);
    const Eigen::Vector2d half = 16.0 * Eigen::Vector2d(along.x(), -along.y()).normalized();
    const ArrowStyle style{"slope", "", "", "", 1.5};
    out += fmt::format(
        "<path class=\"slope\" d=\"M{} {}L{} {}\"/>{}<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
        px(middle.x() - half.x()), px(middle.y() - half.y()), px(middle.x() + half.x()), px(middle.y() + half.y()),
        arrow_head(middle - half, middle + half, style), px(middle.x() - 24.0), px(y + 4.0), words);
    y += 40.0;
  };
  if (uphill.head<2>().norm() > kShownArea)
    append(uphill.head<2>(), fmt::format("uphill, {:.3g}°", kRadian * std::asin(std::min(1.0, uphill.norm()))));
  if (gravity.head<2>().norm() > kShownArea * gravity.norm()) append(gravity.head<2>(), "gravity leans");
}

constexpr const char* kRegionHead =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"745\" viewBox=\"0 0 660 745\" "
    "font-family=\"sans-serif\" font-size=\"12\">\n"
    "<style>.grid{stroke:#e4e4e4}.frame{fill:none;stroke:#888}.outer{fill:#dce9f5;stroke:#6c9bc7;stroke-dasharray:5 "
    "3}"
    ".inner{fill:#9cc4e4;stroke:#1f5f99}.margin{fill:none;stroke:#2a7d2a;stroke-width:1.5;stroke-dasharray:3 "
    "2}.contact{fill:#333}"
    ".name{fill:#333}.com{stroke:#b30000;stroke-width:2.5}.sole{fill:none;stroke:#333}.slope{stroke:#000;stroke-"
    "width:1.5}.far{stroke:#1f5f99;stroke-width:2;stroke-dasharray:8 "
    "4}.friction{stroke:#a33c00;stroke-width:2.5;stroke-dasharray:8 3}.effort{stroke:#882277;stroke-width:2.5;"
    "stroke-dasharray:2 2}.tipping{stroke:#000;stroke-width:1.5}</style>\n"
    "<rect width=\"660\" height=\"745\" fill=\"#fff\"/>\n";

Canvas canvas_around(const ScenarioReport& report, const RegionAnswer& region)
{
  Canvas canvas;
  canvas.include(region.input.position);
  for (const Contact& contact : report.problem.contacts) canvas.include(contact.point_W.head<2>());
  for (const RegionPiece& piece : region.result.pieces)
    for (const Polygon* polygon : {&piece.inner, &piece.outer})
      for (const Eigen::Vector2d& corner : *polygon) canvas.include(corner);
  canvas.close();
  return canvas;
}

void append_title(std::string& out, const ScenarioReport& report, const RegionResult& result)
{
  const std::string title = escaped(report.scenario.name.empty() ? "support region" : report.scenario.name);
  out += fmt::format("<text x=\"{}\" y=\"26\" font-size=\"16\">{}</text>\n", px(Canvas::kLeft), title);
  const Margin& distance = result.distance;
  const bool fails = result.verdict == Verdict::kFails;
  std::string line = fmt::format("{}: ", name_of(result.verdict));
  if (result.kind == RegionKind::kEmpty)
    line += "the region is empty";
  else if (distance.state == Margin::State::kKnown)
    line += fmt::format("centre of mass {:.4g} m {}", std::abs(fails ? distance.upper : distance.lower),
                        fails ? "outside" : "inside");
  else
    line += "centre of mass";
  if (result.kind == RegionKind::kBounded)
    line += ", area " + interval_text(result.area.lower, result.area.upper) + " m²";
  out += fmt::format("<text x=\"{}\" y=\"46\">{}</text>\n", px(Canvas::kLeft), line);
}

void append_legend(std::string& out)
{
  constexpr double legend = Canvas::kTop + Canvas::kSide + 64;
  out += fmt::format(
      "<rect class=\"inner\" x=\"70\" y=\"{0}\" width=\"16\" height=\"12\"/><text x=\"92\" y=\"{1}\">held "
      "(proved)</text>\n"
      "<rect class=\"outer\" x=\"190\" y=\"{0}\" width=\"16\" height=\"12\"/><text x=\"212\" y=\"{1}\">nothing beyond "
      "is held (proved)</text>\n"
      "<path class=\"com\" d=\"M420 {2}h12M426 {0}v12\"/><text x=\"440\" y=\"{1}\">centre of mass</text>\n"
      "<circle class=\"contact\" cx=\"560\" cy=\"{2}\" r=\"4\"/><text x=\"570\" y=\"{1}\">contact</text>\n",
      px(legend - 10), px(legend), px(legend - 4));
  out += fmt::format(
      "<rect class=\"sole\" x=\"70\" y=\"{0}\" width=\"16\" height=\"12\"/><text x=\"92\" y=\"{1}\">sole</text>\n"
      "<path class=\"margin\" d=\"M190 {2}h16\"/><text x=\"212\" y=\"{1}\">distance to the boundary</text>\n",
      px(legend + 10), px(legend + 20), px(legend + 16));
  double x = 420.0;
  for (const char* limit : {"tipping", "friction", "effort"}) {
    out += fmt::format("<path class=\"{0}\" d=\"M{1} {2}h16\"/><text x=\"{3}\" y=\"{4}\">{0}</text>\n", limit, px(x),
                       px(legend + 16), px(x + 21.0), px(legend + 20));
    x += 76.0;
  }
}

}  // namespace

std::string region_svg(const ScenarioReport& report)
{
  const RegionAnswer& region = region_of(report);
  const RegionResult& result = region.result;
  const Canvas canvas = canvas_around(report, region);
  std::string out = kRegionHead;
  append_title(out, report, result);
  append_axes(out, canvas);
  out += fmt::format(
      "<clipPath id=\"plot\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n<g "
      "clip-path=\"url(#plot)\">\n",
      px(Canvas::kLeft), px(Canvas::kTop), px(Canvas::kSide), px(Canvas::kSide));
  for (const RegionPiece& piece : result.pieces) append_polygon(out, canvas, piece.outer, "outer");
  for (const RegionPiece& piece : result.pieces) append_polygon(out, canvas, piece.inner, "inner");
  append_soles(out, canvas, report);
  append_margin(out, canvas, region);
  append_points(out, canvas, report, region);
  append_limits(out, canvas, region);
  out += "</g>\n";
  append_slope(out, report);
  append_legend(out);
  return out + "</svg>\n";
}

std::string region_csv(const ScenarioReport& report)
{
  const RegionResult& result = region_of(report).result;
  std::string out = "piece,polygon,x,y\n";
  for (std::size_t p = 0; p < result.pieces.size(); ++p)
    for (const auto& [name, polygon] :
         {std::pair("inner", &result.pieces[p].inner), std::pair("outer", &result.pieces[p].outer)})
      for (const Eigen::Vector2d& corner : *polygon)
        out += fmt::format("{},{},{},{}\n", p, name, text(corner.x()), text(corner.y()));
  return out;
}

}  // namespace stiction::internal
