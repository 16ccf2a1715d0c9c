#include "stiction_ros/markers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction_ros/conversions.hpp"

namespace stiction_ros {
namespace {

using stiction::Contact;
using stiction::ContactState;
using stiction::Verdict;
using visualization_msgs::msg::Marker;
using visualization_msgs::msg::MarkerArray;

constexpr int kSides = 24;         // of a drawn cone
constexpr double kThin = 0.006;    // lines and shafts, m
constexpr double kVisible = 1e-3;  // arrows shorter than this share of the longest are left out
constexpr double kAboveGround = 1e-3;

std_msgs::msg::ColorRGBA colour(float r, float g, float b, float a = 1.0f)
{
  std_msgs::msg::ColorRGBA colour;
  colour.r = r;
  colour.g = g;
  colour.b = b;
  colour.a = a;
  return colour;
}

const std_msgs::msg::ColorRGBA kGreen = colour(0.2f, 0.7f, 0.3f), kAmber = colour(1.0f, 0.7f, 0.1f),
                               kRed = colour(0.9f, 0.2f, 0.2f), kBlue = colour(0.2f, 0.4f, 0.9f),
                               kGrey = colour(0.6f, 0.6f, 0.6f);

std_msgs::msg::ColorRGBA faded(std_msgs::msg::ColorRGBA colour, float alpha)
{
  colour.a = alpha;
  return colour;
}

/// Collects markers, numbered.
class Drawing {
 public:
  explicit Drawing(const std_msgs::msg::Header& header) : header_(header)
  {
    Marker clear;
    clear.header = header;
    clear.action = Marker::DELETEALL;
    array_.markers.push_back(clear);
  }

  Marker& add(const char* name, int32_t type, const std_msgs::msg::ColorRGBA& colour)
  {
    Marker marker;
    marker.header = header_;
    marker.ns = name;
    marker.id = static_cast<int32_t>(array_.markers.size());
    marker.type = type;
    marker.action = Marker::ADD;
    marker.pose.orientation.w = 1.0;
    marker.scale.x = marker.scale.y = marker.scale.z = 1.0;
    marker.color = colour;
    array_.markers.push_back(marker);
    return array_.markers.back();
  }

  void add_arrow(const char* name, const Eigen::Vector3d& from, const Eigen::Vector3d& vector,
                 const std_msgs::msg::ColorRGBA& colour)
  {
    Marker& arrow = add(name, Marker::ARROW, colour);
    arrow.points = {to_point(from), to_point(from + vector)};
    arrow.scale.x = 2.0 * kThin;  // shaft, head, and length of the head
    arrow.scale.y = 4.0 * kThin;
    arrow.scale.z = std::min(6.0 * kThin, 0.5 * vector.norm());
  }

  MarkerArray take() { return std::move(array_); }

 private:
  std_msgs::msg::Header header_;
  MarkerArray array_;
};

std_msgs::msg::ColorRGBA colour_of(const View& view, std::size_t contact)
{
  if (view.result.verdict != Verdict::kHolds) return view.result.verdict == Verdict::kFails ? kRed : kGrey;
  switch (view.result.contacts[contact].state) {
    case ContactState::kSticking:
      return kGreen;
    case ContactState::kUnloaded:
      return kGrey;
    case ContactState::kRim:
      return kAmber;
    default:
      return kRed;
  }
}

/// A friction cone as triangles from its apex; RViz has no cone of its own. A contact that can pull has two.
void add_cone(const Contact& contact, double length, const std_msgs::msg::ColorRGBA& colour, Drawing& drawing)
{
  if (contact.mu <= 0.0) return;
  Marker& cone = drawing.add("cones", Marker::TRIANGLE_LIST, faded(colour, 0.35f));
  const double height = length / std::hypot(1.0, contact.mu), radius = height * contact.mu;
  const auto rim = [&](int side, double sign) {
    const double angle = 2.0 * std::numbers::pi * side / kSides;
    return to_point(contact.point_W + contact.axes_W * Eigen::Vector3d(sign * height, radius * std::cos(angle),
                                                                       radius * std::sin(angle)));
  };
  for (const double sign : {1.0, -1.0}) {
    if (sign < 0.0 && contact.side == stiction::Side::kUnilateral) break;
    for (int side = 0; side < kSides; ++side)
      cone.points.insert(cone.points.end(),
                         {to_point(contact.point_W), rim(side, sign), rim((side + 1) % kSides, sign)});
  }
}

void add_line(const char* name, const stiction::Polygon& polygon, double z, const std_msgs::msg::ColorRGBA& colour,
              Drawing& drawing)
{
  if (polygon.size() < 2) return;
  Marker& line = drawing.add(name, Marker::LINE_STRIP, colour);
  line.scale.x = kThin;
  for (std::size_t i = 0; i <= polygon.size(); ++i) {
    const Eigen::Vector2d& corner = polygon[i % polygon.size()];
    line.points.push_back(to_point({corner.x(), corner.y(), z}));
  }
}

/// On the ground, taken to be where the lowest contact is.
void add_region(const View& view, double ground, Drawing& drawing)
{
  for (const stiction::RegionPiece& piece : view.region->pieces) {
    add_line("region", piece.outer, ground, kBlue, drawing);
    if (piece.inner.size() < 3) continue;
    Marker& area = drawing.add("region", Marker::TRIANGLE_LIST, faded(kBlue, 0.25f));
    for (std::size_t i = 2; i < piece.inner.size(); ++i)
      for (const std::size_t corner : {std::size_t{0}, i - 1, i})
        area.points.push_back(to_point({piece.inner[corner].x(), piece.inner[corner].y(), ground}));
  }
}

void add_center_of_mass(const View& view, double ground, const std_msgs::msg::ColorRGBA& colour, Drawing& drawing)
{
  const Eigen::Vector3d& c = view.center_of_mass;
  Marker& ball = drawing.add("center_of_mass", Marker::SPHERE, colour);
  ball.pose.position = to_point(c);
  ball.scale.x = ball.scale.y = ball.scale.z = 0.05;
  Marker& plumb = drawing.add("center_of_mass", Marker::LINE_STRIP, colour);
  plumb.scale.x = kThin;
  plumb.points = {to_point(c), to_point({c.x(), c.y(), ground})};
}

void add_motion(const View& view, double length, Drawing& drawing)
{
  const Eigen::VectorXd motion = failing_motion(view.problem, view.result);
  if (motion.size() == 0) return;
  std::vector<std::pair<Eigen::Vector3d, Eigen::Vector3d>> arrows = {
      {view.center_of_mass, view.center_of_mass_velocity}};
  for (const Contact& contact : view.problem.contacts) {
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  // of `link` relative to `on`, along the contact's axes
    const int rows = 1 + contact.tangents;
    velocity.head(rows) = view.problem.J.middleRows(contact.row, rows) * motion;
    arrows.emplace_back(contact.point_W, contact.axes_W * velocity);
  }
  double fastest = 0.0;
  for (const auto& [from, velocity] : arrows) fastest = std::max(fastest, velocity.norm());
  for (const auto& [from, velocity] : arrows)
    if (velocity.norm() > kVisible * fastest) drawing.add_arrow("motion", from, velocity * (length / fastest), kRed);
}

}  // namespace

Eigen::VectorXd failing_motion(const stiction::ContactProblem& problem, const stiction::EquilibriumResult& result)
{
  if (result.verdict != Verdict::kFails || result.certificate.leaves.empty()) return {};
  return -result.certificate.leaves.front().motion.head(problem.nv());
}

MarkerArray no_markers(const std_msgs::msg::Header& header) { return Drawing(header).take(); }

double ground_height(const View& view)
{
  double ground = view.center_of_mass.z();
  for (const Contact& contact : view.problem.contacts) ground = std::min(ground, contact.point_W.z());
  return ground;
}

MarkerArray markers(const std_msgs::msg::Header& header, const View& view, const MarkerStyle& style)
{
  Drawing drawing(header);
  const std::vector<Contact>& contacts = view.problem.contacts;
  const double ground = ground_height(view) + kAboveGround;  // else it flickers in the plane of a floor

  if (!contacts.empty()) {
    Marker& points = drawing.add("contacts", Marker::SPHERE_LIST, kGrey);
    points.scale.x = points.scale.y = points.scale.z = 0.02;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      points.points.push_back(to_point(contacts[i].point_W));
      points.colors.push_back(colour_of(view, i));
    }
  }
  for (std::size_t i = 0; i < contacts.size(); ++i)
    add_cone(contacts[i], style.cone_length, colour_of(view, i), drawing);
  if (view.result.verdict == Verdict::kHolds)
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const Eigen::Vector3d force_W = contacts[i].axes_W * view.result.contacts[i].force.head<3>();
      if (force_W.norm() > kVisible * view.weight)
        drawing.add_arrow("forces", contacts[i].point_W, force_W * (style.weight_length / view.weight),
                          colour_of(view, i));
    }
  if (view.region) add_region(view, ground, drawing);
  add_center_of_mass(view, ground,
                     view.result.verdict == Verdict::kHolds   ? kGreen
                     : view.result.verdict == Verdict::kFails ? kRed
                                                              : kGrey,
                     drawing);
  add_motion(view, style.motion_length, drawing);
  return drawing.take();
}

}  // namespace stiction_ros
