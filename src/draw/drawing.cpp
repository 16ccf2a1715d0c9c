// The page around the views of a picture: headline, frames, scales, legend, notes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "draw/panel.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace internal {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Kind = Picture::Kind;

constexpr double kPageWidth = 900.0, kEdge = 20.0, kBetweenPanels = 10.0;
const Vector2d kPad(56.0, 28.0);  // around what must be seen: room for labels

std::vector<Eye> eyes_of(const Picture& picture, const View& view)
{
  // Robots look along x.
  const Vector3d side = Vector3d::UnitY(), front = -Vector3d::UnitX(), top = -Vector3d::UnitZ(),
                 iso = view_named("iso").along.value();
  if (view.along) {
    const Vector3d& along = *view.along;
    return {eye_along(along, fmt::format("looking along ({:.3g}, {:.3g}, {:.3g})", along.x(), along.y(), along.z()))};
  }
  switch (picture.plane) {
    case ScenePlane::kXz:
      return {eye_along(side, "")};
    case ScenePlane::kYz:
      return {eye_along(front, "")};
    case ScenePlane::kXy:
      return {eye_along(top, "")};
    case ScenePlane::kNone:
    case ScenePlane::kAuto:
    case ScenePlane::kExact:
      break;
  }
  return {eye_along(side, "side"), eye_along(front, "front"), eye_along(top, "top"), eye_along(iso, "iso")};
}

std::string style_sheet(bool animated)
{
  std::string css =
      ".stiction text{fill:#000}.stiction .small{font-size:11px}.stiction .frame{fill:none;stroke:#999}"
      ".stiction .paper{fill:#fff;fill-opacity:.8}.stiction .leader{stroke:#777;stroke-width:.7;fill:none}"
      ".stiction .surface{fill:none;stroke:#777;stroke-dasharray:1 3}.stiction .edge{stroke:#000;stroke-width:1.6}"
      ".stiction .hatching{stroke:#000;stroke-width:.8;fill:none}"
      ".stiction .body{fill:#ddd;fill-opacity:.65;stroke:#444}.stiction .fixed{fill:url(#hatch);stroke:#444}"
      ".stiction .obstacle{fill:url(#hatch);stroke:#000;stroke-width:1.6}"
      ".stiction .ghost{fill:none;stroke:#882277;stroke-dasharray:5 3}"
      ".stiction .bar{stroke:#444;stroke-width:3;stroke-linecap:round}.stiction .joint,.stiction "
      ".pin{fill:#fff;stroke:#000}"
      ".stiction .cone{fill:url(#dots);stroke:#00694d;stroke-width:.9}"
      ".stiction .normal{stroke:#00694d;stroke-width:.7;stroke-dasharray:6 2 1 2}.stiction .contact{fill:#000}"
      ".stiction .com{fill:#fff;stroke:#000}.stiction .comdark{fill:#000}"
      ".stiction .gravity{stroke:#000;stroke-width:1.5}.stiction .head.gravity{fill:#fff;stroke-width:1}"
      ".stiction .axis{stroke:#555}.stiction .head.axis{fill:#555}.stiction "
      ".scale{stroke:#000;stroke-width:1.6;fill:none}"
      ".stiction .outer{fill:none;stroke:#0072b2;stroke-dasharray:5 3}.stiction "
      ".held{fill:#56b4e9;fill-opacity:.35;stroke:#0072b2}"
      ".stiction .holds{fill:#fff;stroke:#0072b2;stroke-width:2.5}.stiction .fails{fill:#a33c00}.stiction "
      ".undecided{fill:#fff;"
      "stroke:#000;stroke-width:2;stroke-dasharray:5 3}.stiction .on_dark{fill:#fff}";
  for (int kind = 0; kind <= static_cast<int>(Kind::kMotion); ++kind) {
    const ArrowStyle& style = style_of(static_cast<Kind>(kind));
    const std::string dashes = *style.dashes ? fmt::format("stroke-dasharray:{};", style.dashes) : "";
    css += fmt::format(
        ".stiction .{0}{{fill:none;stroke:{1};stroke-width:{2};{3}}}.stiction .head.{0}{{fill:{1};stroke:none}}",
        style.css, style.colour, style.width, dashes);
  }
  return "<style>" + css + (animated ? animation_css() : "") +
         "</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
         "width=\"6\" "
         "height=\"6\" fill=\"#fff\" fill-opacity=\".6\"/><path d=\"M0 6L6 0\" stroke=\"#888\" "
         "stroke-width=\".8\"/></pattern>"
         "<pattern id=\"dots\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><circle cx=\"2\" cy=\"2\" "
         "r=\".7\" "
         "fill=\"#00694d\"/></pattern></defs>\n";
}

std::string text_at(double x, double y, const std::string& text, const char* more = "")
{
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", px(x), px(y), more, escaped(text));
}

/// Title, verdict, sentence, captions and remedies; `y` moves below them.
std::string heading(const Picture& picture, double& y)
{
  constexpr double kCaption = 12.0;
  std::string out;
  y = 10.0;
  for (const std::string& line : broken_into_lines(picture.title, 16.0, kPageWidth - 2.0 * kEdge)) {
    if (line.empty()) break;
    out += text_at(kEdge, y += 20.0, line, " font-size=\"16\" font-weight=\"bold\"");
  }
  const bool fails = picture.verdict == Verdict::kFails, holds = picture.verdict == Verdict::kHolds;
  for (const std::string& line : broken_into_lines(picture.headline, 14.0 * 1.3, kPageWidth - 2.0 * kEdge - 16.0)) {
    out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"22\" rx=\"3\"/>",
                       fails   ? "fails"
                       : holds ? "holds"
                               : "undecided",
                       px(kEdge), px(y + 8.0), px(1.3 * text_width(line, 14.0) + 16.0));
    out += text_at(
        kEdge + 8.0, y += 24.0, line,
        fails ? " font-size=\"14\" font-weight=\"bold\" class=\"on_dark\"" : " font-size=\"14\" font-weight=\"bold\"");
    y += 6.0;
  }
  y += 2.0;
  for (const std::string& line : broken_into_lines(picture.sentence, 13.0, kPageWidth - 2.0 * kEdge))
    out += text_at(kEdge, y += 17.0, line, " font-size=\"13\"");
  y += 3.0;
  const auto add = [&](double indent, const std::string& item) {
    for (const std::string& line : broken_into_lines(item, kCaption, kPageWidth - 2.0 * kEdge - indent))
      out += text_at(kEdge + indent, y += 15.0, line, " font-size=\"12\"");
  };
  for (const std::string& caption : picture.captions) add(0.0, "– " + caption);
  if (!picture.remedies.empty()) add(0.0, "– " + picture.remedy + ":");
  for (const std::string& remedy : picture.remedies) add(12.0, "· " + remedy);
  y += 10.0;
  return out;
}

/// Signs with words beside them, in lines.
class Legend {
 public:
  explicit Legend(double y) : y_(y) {}

  /// `sign` draws at a place as wide as that.
  template <class Sign>
  void add(double width, const std::string& words, Sign sign)
  {
    const double whole = width + 6.0 + text_width(words, kSmallText) + 18.0;
    if (x_ > kEdge && x_ + whole > kPageWidth - kEdge) {
      x_ = kEdge;
      y_ += 20.0;
    }
    out_ += sign(Vector2d(x_, y_));
    out_ += text_at(x_ + width + 6.0, y_ + 4.0, words, " class=\"small\"");
    x_ += whole;
  }
  void add_line(const std::string& css, const std::string& words)
  {
    add(30.0, words, [&](const Vector2d& at) {
      return fmt::format("<path class=\"{}\" d=\"M{} {}h30\"/>", css, px(at.x()), px(at.y()));
    });
  }
  void add_box(const std::string& css, const std::string& words)
  {
    add(18.0, words, [&](const Vector2d& at) {
      return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"18\" height=\"12\"/>", css, px(at.x()),
                         px(at.y() - 6.0));
    });
  }
  void add_arrow(const ArrowStyle& style, double length, const std::string& words)
  {
    add(length, words, [&](const Vector2d& at) {
      const Vector2d tip = at + Vector2d(length, 0.0);
      return fmt::format("<path class=\"{}\" d=\"M{} {}h{}\"/>", style.css, px(at.x()), px(at.y()), px(length)) +
             arrow_head(at, tip, style);
    });
  }
  void new_line()
  {
    if (x_ > kEdge) y_ += 20.0;
    x_ = kEdge;
  }

  const std::string& text() const { return out_; }
  double y() const { return y_; }

 private:
  double x_ = kEdge, y_;
  std::string out_;
};

/// Bars for a metre, a newton and the like, with round numbers.
void add_scales(const Picture& picture, const Scales& scales, double pixels, Legend& legend)
{
  constexpr double kLongestBar = 110.0;
  const double metres = round_number_below(kLongestBar / pixels);
  legend.add(metres * pixels, fmt::format("{:g} m", metres), [&](const Vector2d& at) {
    return fmt::format("<path class=\"scale\" d=\"M{0} {1}v8m0 -4h{2}m0 -4v8\"/>", px(at.x()), px(at.y() - 4.0),
                       px(metres * pixels));
  });
  const auto add = [&](double metres_per_unit, Kind kind, const char* unit) {
    if (!(metres_per_unit > 0.0)) return;
    const double number = round_number_below(kLongestBar / (pixels * metres_per_unit));
    legend.add_arrow(style_of(kind), number * metres_per_unit * pixels, fmt::format("{:g} {}", number, unit));
  };
  const auto has = [&](Kind kind) {
    return std::ranges::any_of(picture.arrows, [&](const auto& a) { return a.kind == kind; });
  };
  add(scales.newton,
      has(Kind::kForce)    ? Kind::kForce
      : has(Kind::kBeyond) ? Kind::kBeyond
      : has(Kind::kLoad)   ? Kind::kLoad
                           : Kind::kPush,
      "N");
  add(scales.newton_second, has(Kind::kImpulse) ? Kind::kImpulse : Kind::kBlow, "N s");
  add(scales.speed, has(Kind::kAfter) ? Kind::kAfter : Kind::kBefore, "m/s");
}

/// "friction cone (mu 0.5)", "friction cone (left mu 0.4, right mu 0.5)"; empty: there is none.
std::string friction_of(const Picture& picture)
{
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> named;
  std::set<double> coefficients;
  for (const Picture::Cone& cone : picture.cones) {
    if (!(cone.mu > 0.0)) continue;
    coefficients.insert(cone.mu);
    named.push_back(fmt::format("{} mu {:.4g}", cone.name, cone.mu));
  }
  if (named.empty()) return "";
  if (coefficients.size() == 1) return fmt::format("friction cone (mu {:.4g})", *coefficients.begin());
  if (named.size() <= kMostNamed) return fmt::format("friction cone ({})", fmt::join(named, ", "));
  return fmt::format("friction cone (mu {:.4g} to {:.4g})", *coefficients.begin(), *coefficients.rbegin());
}

void add_signs(const Picture& picture, Legend& legend)
{
  const auto solid = [&](Picture::Role role) {
    return std::ranges::any_of(picture.solids, [&](const auto& s) { return s.role == role; });
  };
  std::set<Kind> kinds;
  for (const Picture::Arrow& arrow : picture.arrows) kinds.insert(arrow.kind);
  for (const Kind kind : kinds)
    legend.add_arrow(style_of(kind), 30.0, kind == Kind::kMotion ? picture.motion : style_of(kind).legend);
  if (!picture.motion.empty()) legend.add_box("ghost", "bodies a small step later");
  if (!picture.cones.empty()) {
    legend.add(8.0, "contact", [](const Vector2d& at) {
      return fmt::format("<circle class=\"contact\" cx=\"{}\" cy=\"{}\" r=\"3\"/>", px(at.x() + 4.0), px(at.y()));
    });
    if (const std::string friction = friction_of(picture); !friction.empty()) legend.add_box("cone", friction);
    legend.add_line("normal", "normal");
  }
  if (!picture.masses.empty())
    legend.add(12.0, picture.gravity.norm() > 0.0 ? "centre of mass, with gravity (not to scale)" : "centre of mass",
               [](const Vector2d& at) { return mass_mark(at + Vector2d(6.0, 0.0)); });
  if (!picture.areas.empty()) {
    legend.add_box("held", "centre of mass is held above (proved)");
    legend.add_box("outer", "and nowhere beyond (proved)");
  }
  if (solid(Picture::Role::kFixed)) legend.add_box("fixed", "fixed");
  if (solid(Picture::Role::kObstacle)) legend.add_box("obstacle", "obstacle");
  if (!picture.pins.empty())
    legend.add(10.0, "loop", [](const Vector2d& at) {
      return fmt::format("<circle class=\"pin\" cx=\"{}\" cy=\"{}\" r=\"5\"/>", px(at.x() + 5.0), px(at.y()));
    });
}

/// Labels for which there was no room.
std::string left_over(const Picture& picture, const std::set<std::string>& told)
{
  constexpr int kMostListed = 12;
  std::string list;
  int count = 0;
  for (const Picture::Arrow& arrow : picture.arrows)
    if (!arrow.label.empty() && !told.contains(arrow.label) && ++count <= kMostListed)
      list += (list.empty() ? "" : "; ") + arrow.label;
  if (count > kMostListed) list += fmt::format("; and {} more", count - kMostListed);
  return count == 0 ? "" : "without room above: " + list;
}

}  // namespace
}  // namespace internal

View view_named(const std::string& name, const std::string& path)
{
  const std::pair<const char*, Eigen::Vector3d> known[] = {
      {"side", {0.0, 1.0, 0.0}}, {"front", {-1.0, 0.0, 0.0}}, {"top", {0.0, 0.0, -1.0}}, {"iso", {-1.0, 1.3, -0.8}}};
  for (const auto& [word, along] : known)
    if (name == word) return {along};
  Eigen::Vector3d along;
  int used = 0;
  if (std::sscanf(name.c_str(), "%lf,%lf,%lf%n", &along[0], &along[1], &along[2], &used) != 3 ||
      static_cast<std::size_t>(used) != name.size() || !along.allFinite() || !(along.norm() > 0.0))
    throw InputError(path, "want front, side, top, iso or a direction to look along such as 1,1,-0.5, got " +
                               internal::quoted(name));
  return {along};
}

std::string to_svg(const Picture& picture, const View& view)
{
  using namespace internal;
  const Scales scales(picture);
  std::vector<Panel> panels;
  for (const Eye& eye : eyes_of(picture, view)) panels.emplace_back(picture, scales, eye, view.animated);
  const bool one = panels.size() == 1;
  const Vector2d size = one ? Vector2d(kPageWidth - 2.0 * kEdge, 480.0)
                            : Vector2d((kPageWidth - 2.0 * kEdge - kBetweenPanels) / 2.0, 340.0);
  double pixels = kInfinity;
  for (const Panel& panel : panels) pixels = std::min(pixels, panel.fitting_scale(size - 2.0 * kPad));

  double y = 0.0;
  std::string body = heading(picture, y);
  std::set<std::string> told;
  std::vector<std::string> drawn(panels.size());
  for (std::size_t k = panels.size(); k-- > 0;) {  // iso first: nothing is behind anything there
    const Vector2d corner(kEdge + static_cast<double>(k % 2) * (size.x() + kBetweenPanels),
                          y + static_cast<double>(k / 2) * (size.y() + kBetweenPanels));
    drawn[k] = panels[k].svg({corner, corner + size}, pixels, told);
  }
  for (const std::string& panel : drawn) body += panel;
  y += one ? size.y() : 2.0 * size.y() + kBetweenPanels;

  Legend legend(y + 20.0);
  add_scales(picture, scales, pixels, legend);
  legend.new_line();
  add_signs(picture, legend);
  body += legend.text();
  y = legend.y() + 10.0;
  std::vector<std::string> notes = picture.notes;
  if (std::string rest = left_over(picture, told); !rest.empty()) notes.insert(notes.begin(), std::move(rest));
  constexpr std::size_t kMostNotes = 6;
  if (notes.size() > kMostNotes) {
    const std::size_t more = notes.size() - kMostNotes + 1;
    notes.resize(kMostNotes - 1);
    notes.push_back(fmt::format("and {} more things that are not drawn", more));
  }
  for (const std::string& note : notes)
    for (const std::string& line : broken_into_lines(note, kSmallText, kPageWidth - 2.0 * kEdge))
      body += text_at(kEdge, y += 15.0, line, " class=\"small\"");
  y += 14.0;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"stiction\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
             "{0} "
             "{1}\" font-family=\"sans-serif\" data-pixels-per-metre=\"{2:.6g}\" data-pixels-per-newton=\"{3:.6g}\">\n"
             "<title>{4}</title>\n",
             kPageWidth, std::ceil(y), pixels, scales.newton * pixels,
             escaped(picture.title + ": " + picture.headline)) +
         style_sheet(view.animated) +
         fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", kPageWidth, std::ceil(y)) + body +
         "</svg>\n";
}

}  // namespace stiction
