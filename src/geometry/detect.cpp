#include "geometry/detect.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

constexpr std::string_view kGround = "ground";

/// Patches of several pairs of shapes that share a normal to this are one patch.
constexpr double kOneNormal = 1e-3;

}  // namespace

std::string length_text(double metres)
{
  char text[32];
  const double size = std::abs(metres);
  std::snprintf(text, sizeof text, size < 1.0 ? "%.3g mm" : "%.3g m", size < 1.0 ? 1e3 * metres : metres);
  return text;
}

Shape shape_of(const Obstacle& obstacle)
{
  const bool mesh = obstacle.kind == Obstacle::Kind::kMesh;
  return {mesh ? Shape::Kind::kMesh : Shape::Kind::kBox, isometry(obstacle.pose.xyz, obstacle.pose.rpy), obstacle.size,
          obstacle.mesh_file};
}

Plane plane_of(const Obstacle& obstacle)
{
  return {obstacle.pose.xyz, isometry(obstacle.pose.xyz, obstacle.pose.rpy).linear().col(2)};
}

std::string Detector::name_of(const LinkOf& link) const
{
  return at_.postures[link.model].name + "/" + at_.postures[link.model].link_name(link.link);
}

const std::vector<Shape>& Detector::shapes_of(const LinkOf& link) const
{
  return at_.postures[link.model].robot->shapes[link.link];
}

/// Those of "model" or "model/link" that have shapes.
std::vector<Detector::LinkOf> Detector::links_of(const std::string& name, const std::string& path) const
{
  const std::string model = name.substr(0, name.find('/'));
  for (std::size_t m = 0; m < at_.postures.size(); ++m) {
    if (at_.postures[m].name != model) continue;
    const RobotShapes& robot = *at_.postures[m].robot;
    std::vector<LinkOf> links;
    for (std::size_t i = 0; i < robot.shapes.size(); ++i) {
      if (name != model && name != name_of({m, i})) continue;
      if (!robot.shapes[i].empty()) links.push_back({m, i});
      if (name != model && links.empty())
        throw InputError(path, "want a link with collision shapes, got " + quoted(name) + ", which has none");
    }
    if (links.empty())
      throw InputError(path, name == model
                                 ? "want a model with collision shapes, got " + quoted(name) + " without any"
                                 : "want a link of models." + model + ", got " + quoted(name) +
                                       did_you_mean(name.substr(model.size() + 1), all_names(robot.tree->links)));
    return links;
  }
  std::vector<std::string> known = all_names(at_.postures);
  for (const Obstacle& obstacle : at_.description.obstacles) known.push_back(obstacle.name);
  known.emplace_back(kGround);
  throw InputError(path,
                   "want ground, an obstacle, a model or model/link, got " + quoted(name) + did_you_mean(model, known));
}

std::vector<Detector::LinkOf> Detector::links_of(const std::vector<std::string>& names, const std::string& path) const
{
  std::vector<LinkOf> links;
  for (std::size_t k = 0; k < names.size(); ++k)
    for (const LinkOf& link : links_of(names[k], path + "[" + std::to_string(k) + "]")) {
      if (std::ranges::find(links, link) != links.end())
        throw InputError(path, "want each link once, got " + quoted(names[k]) + " twice");
      links.push_back(link);
    }
  for (std::size_t m = 0; names.empty() && m < at_.postures.size(); ++m)
    for (std::size_t i = 0; i < at_.postures[m].robot->shapes.size(); ++i)
      if (!at_.postures[m].robot->shapes[i].empty()) links.push_back({m, i});
  return links;
}

void Detector::touch_plane(const LinkOf& link, const Plane& plane, const std::string& with, std::optional<double> mu,
                           double within)
{
  const Posture& posture = at_.postures[link.model];
  std::vector<PlanePoint> points;
  std::optional<CurvedPair> radii;
  for (const Shape& shape : shapes_of(link)) {
    const Mesh* mesh = at_.meshes.mesh(shape, posture.robot->place, posture.path() + ".urdf");
    const Eigen::Isometry3d pose = posture.link_pose(link.link) * shape.pose;
    const std::size_t before = points.size();
    add_plane_contacts({shape, mesh, pose}, plane, within, points);
    if (points.size() == before) continue;
    const auto one = curved(radii_of(shape, pose, plane.normal), SurfaceRadii{});
    radii = before == 0 ? one : common(radii, one);
  }
  if (!points.empty())
    found_.push_back({name_of(link), with, "world", plane.normal, reduced_patch(points, plane.normal), mu, radii});
}

namespace {

/// Adds a patch to those with the same normal.
template <class FoundPatch>
void merge(std::vector<FoundPatch>& patches, FoundPatch patch)
{
  for (FoundPatch& other : patches)
    if (other.with == patch.with && (other.normal - patch.normal).norm() <= kOneNormal) {
      other.points.insert(other.points.end(), patch.points.begin(), patch.points.end());
      other.radii = common(other.radii, patch.radii);
      return;
    }
  patches.push_back(std::move(patch));
}

std::vector<PlanePoint> patch_points(const Solid::Touch& touch)
{
  std::vector<PlanePoint> points;
  for (const Eigen::Vector3d& point : touch.points) points.push_back({point, touch.distance});
  return points;
}

}  // namespace

void Detector::touch_solid(const LinkOf& link, const Obstacle& obstacle, double within)
{
  const Posture& posture = at_.postures[link.model];
  const Solid& other = at_.meshes.solid(shape_of(obstacle), "", "obstacles." + obstacle.name);
  for (const Shape& shape : shapes_of(link)) {
    const Solid& solid = at_.meshes.solid(shape, posture.robot->place, posture.path() + ".urdf");
    if (const auto touch = solid.touch(posture.link_pose(link.link), other, Eigen::Isometry3d::Identity(), within))
      merge(found_, Found{name_of(link), obstacle.name, "world", touch->normal, patch_points(*touch), obstacle.mu,
                          curved(radii_of(shape, posture.link_pose(link.link) * shape.pose, touch->normal),
                                 radii_of(shape_of(obstacle), shape_of(obstacle).pose, touch->normal))});
  }
}

void Detector::touch_link(const LinkOf& link, const LinkOf& other, double within)
{
  const Posture &mine = at_.postures[link.model], &theirs = at_.postures[other.model];
  if (!mine.moves(link.link) && !theirs.moves(other.link)) return;
  for (const Shape& shape : shapes_of(link))
    for (const Shape& their_shape : shapes_of(other)) {
      const Solid& solid = at_.meshes.solid(shape, mine.robot->place, mine.path() + ".urdf");
      const Solid& their_solid = at_.meshes.solid(their_shape, theirs.robot->place, theirs.path() + ".urdf");
      if (const auto touch = solid.touch(mine.link_pose(link.link), their_solid, theirs.link_pose(other.link), within))
        merge(found_,
              Found{name_of(link),
                    name_of(other),
                    name_of(other),
                    touch->normal,
                    patch_points(*touch),
                    {},
                    curved(radii_of(shape, mine.link_pose(link.link) * shape.pose, touch->normal),
                           radii_of(their_shape, theirs.link_pose(other.link) * their_shape.pose, touch->normal))});
    }
}

void Detector::touch_all(const LinkOf& link, const Detect& detect, const std::string& path)
{
  const SceneDescription& scene = at_.description;
  const bool moves = at_.postures[link.model].moves(link.link), any = detect.with.empty();
  bool known = any;
  found_.clear();
  if (any || detect.with == kGround) {
    known = true;
    if (!any && !scene.ground) throw InputError(path + ".with", "want a scenario with a ground, got none");
    if (scene.ground && moves) touch_plane(link, at_.ground(), std::string(kGround), scene.ground->mu, detect.within);
  }
  for (const Obstacle& obstacle : scene.obstacles) {
    if (!any && detect.with != obstacle.name) continue;
    known = true;
    if (!moves) continue;
    if (obstacle.kind == Obstacle::Kind::kPlane)
      touch_plane(link, plane_of(obstacle), obstacle.name, obstacle.mu, detect.within);
    else
      touch_solid(link, obstacle, detect.within);
  }
  if (!known)
    for (const LinkOf& other : links_of(detect.with, path + ".with"))
      if (other.model != link.model) touch_link(link, other, detect.within);
  for (std::size_t m = 0; any && m < at_.postures.size(); ++m)
    // Among models, the one that comes first is `link`: unless only links of later ones are asked for.
    if (m != link.model && (m > link.model || !detect.links.empty()))
      for (std::size_t i = 0; i < at_.postures[m].robot->shapes.size(); ++i) touch_link(link, {m, i}, detect.within);
}

/// A point of the world in the axes of a link, without coordinates that are only rounding of the way there: a ball
/// would seem to touch beside the line through its centre.
Eigen::Vector3d in_link(const Eigen::Isometry3d& link, const Eigen::Vector3d& point)
{
  constexpr double kWayRounding = 0x1p-48;
  const Eigen::Matrix3d to_link = link.linear().transpose();
  const Eigen::Vector3d there = to_link * (point - link.translation());
  const Eigen::Vector3d size = to_link.cwiseAbs() * (point.cwiseAbs() + link.translation().cwiseAbs());
  return (there.array().abs() > kWayRounding * size.array()).select(there, 0.0);
}

void Detector::add(const ContactDescription& contact, std::size_t index, const LinkOf& link, Found& found)
{
  const std::string path = "contacts[" + std::to_string(index) + "]";
  ContactDescription one = contact;
  one.detect.reset();
  one.link = found.link;
  one.on = found.on;
  if (contact.detect->mu_of_surface) {
    if (!found.mu)
      throw InputError(path + ".mu", "want friction between " + quoted(found.link) + " and " + quoted(found.with) +
                                         ", which touch, got none: an entry with detect and mu says it");
    one.mu = *found.mu;
  }
  const Eigen::Vector3d normal = found.normal.normalized();
  const std::vector<PlanePoint> patch = found.points.size() > 1 ? reduced_patch(found.points, normal) : found.points;
  const Eigen::Isometry3d pose = at_.postures[link.model].link_pose(link.link);
  DetectedContact told{"", found.link, found.with, {}};
  one.points.clear();
  for (const PlanePoint& point : patch) {
    one.points.push_back(in_link(pose, point.point));
    told.distances.push_back(point.distance);
  }
  one.patch = patch.size() > 1;
  one.at_frame = ContactFrame::kLink;
  one.normal = normal;
  one.normal_frame = ContactFrame::kWorld;
  const bool fill_in = found.radii && !contact.radius && !contact.on_radius;
  if (fill_in && !flat(found.radii->first)) one.radius = found.radii->first;
  if (fill_in && !flat(found.radii->second)) one.on_radius = found.radii->second;
  if (found.on != "world") {
    const std::vector<LinkOf> on = links_of(found.on, path);
    const Eigen::Matrix3d to_on = at_.postures[on[0].model].link_pose(on[0].link).linear().transpose();
    one.normal = (to_on * normal).normalized();
    one.normal_frame = ContactFrame::kOn;
    for (std::optional<SurfaceRadii>* radii : {&one.radius, &one.on_radius})
      if (fill_in && *radii && (*radii)->along) (*radii)->along = to_on * *(*radii)->along;
  }
  result_.scene.contacts.push_back(one);
  result_.sources.push_back(static_cast<int>(index));
  result_.detected.push_back(told);
  warn_inside(told, path);
}

/// Bodies that overlap. Of the ground, what is under it is told of whole models.
void Detector::warn_inside(const DetectedContact& told, const std::string& path)
{
  const double deepest = *std::ranges::min_element(told.distances);
  if (told.with == kGround || deepest >= -kOffBy) return;
  result_.warnings.push_back({Warning::Kind::kUnderGround, path,
                              quoted(told.link) + " is " + length_text(-deepest) + " inside " + quoted(told.with)});
}

void Detector::resolve(const ContactDescription& contact, std::size_t index)
{
  if (contact.detect && !contact.active) return;
  if (!contact.detect) {
    result_.scene.contacts.push_back(contact);
    result_.sources.push_back(static_cast<int>(index));
    return;
  }
  const Detect& detect = *contact.detect;
  const std::string path = "contacts[" + std::to_string(index) + "].detect";
  if (!std::isfinite(detect.within) || detect.within < 0.0)
    throw InputError(path + ".within", "want a distance >= 0, got " + text(detect.within));
  const std::vector<LinkOf> links = links_of(detect.links, path + ".links");
  std::vector<bool> touched(links.size(), false);
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (!detect.links.empty() && !detect.with.empty() && !at_.postures[links[k].model].moves(links[k].link) &&
        detect.with == kGround)
      throw InputError(path + ".links", "want links that can move, got " + quoted(name_of(links[k])));
    touch_all(links[k], detect, path);
    touched[k] = !found_.empty();
    std::erase_if(found_, [&](const Found& found) { return known_.contains({found.link, found.with}); });
    for (Found& found : found_) {
      known_.emplace(found.link, found.with);
      add(contact, index, links[k], found);
    }
  }
  warn_floating(links, touched, detect, path);
}

double Detector::distance_to(const LinkOf& link, const Detect& detect, std::string& nearest) const
{
  const SceneDescription& scene = at_.description;
  const Posture& posture = at_.postures[link.model];
  double least = kInfinity;
  const auto consider = [&](double distance, const std::string& name) {
    if (distance >= least) return;
    least = distance;
    nearest = name;
  };
  if (scene.ground && (detect.with.empty() || detect.with == kGround))
    consider(lowest_of(posture, link.link, at_.ground(), at_.meshes), "the ground");
  const auto consider_solid = [&](const Solid& other, const Eigen::Isometry3d& pose, const std::string& name) {
    for (const Shape& shape : shapes_of(link))
      consider(at_.meshes.solid(shape, posture.robot->place, posture.path() + ".urdf")
                   .distance(posture.link_pose(link.link), other, pose),
               name);
  };
  bool known = detect.with.empty() || detect.with == kGround;
  for (const Obstacle& obstacle : scene.obstacles) {
    if (!detect.with.empty() && detect.with != obstacle.name) continue;
    known = true;
    if (obstacle.kind == Obstacle::Kind::kPlane)
      consider(lowest_of(posture, link.link, plane_of(obstacle), at_.meshes), quoted(obstacle.name));
    else
      consider_solid(at_.meshes.solid(shape_of(obstacle), "", "obstacles." + obstacle.name),
                     Eigen::Isometry3d::Identity(), quoted(obstacle.name));
  }
  if (!known)
    for (const LinkOf& other : links_of(detect.with, "contacts.with"))
      for (const Shape& shape : shapes_of(other))
        consider_solid(
            at_.meshes.solid(shape, at_.postures[other.model].robot->place, at_.postures[other.model].path() + ".urdf"),
            at_.postures[other.model].link_pose(other.link), quoted(name_of(other)));
  return least;
}

/// Links that were named and do not touch, or that nothing touches at all.
void Detector::warn_floating(const std::vector<LinkOf>& links, const std::vector<bool>& touched, const Detect& detect,
                             const std::string& path)
{
  std::string nearest;
  if (!detect.links.empty()) {
    for (std::size_t k = 0; k < links.size(); ++k)
      if (const double distance = touched[k] ? 0.0 : distance_to(links[k], detect, nearest); !touched[k])
        result_.warnings.push_back(
            {Warning::Kind::kFloats, path,
             quoted(name_of(links[k])) + " does not touch: it is " + length_text(distance) + " from " + nearest});
    return;
  }
  if (std::ranges::find(touched, true) != touched.end()) return;
  double least = kInfinity;
  std::string what, who;
  for (const LinkOf& link : links)
    if (const double distance = distance_to(link, detect, what); distance < least) {
      least = distance;
      nearest = what;
      who = name_of(link);
    }
  result_.warnings.push_back({Warning::Kind::kFloats, path,
                              who.empty() ? "nothing touches"
                                          : "nothing touches: the nearest is " + quoted(who) + ", " +
                                                length_text(least) + " from " + nearest});
}

void Detector::name_contacts()
{
  const auto last = [](const std::string& name) { return name.substr(name.find('/') + 1); };
  const auto full_name = [&](const DetectedContact& told, const std::string& link) {
    return told.with == kGround ? link : link + "@" + last(told.with);
  };
  std::map<std::string, int> count;
  std::size_t next = 0;
  const auto each_detected = [&](auto&& visit) {
    next = 0;
    for (std::size_t i = 0; i < result_.sources.size(); ++i)
      if (at_.description.contacts[idx(result_.sources[i])].detect)
        visit(result_.scene.contacts[i], result_.detected[next++]);
      else
        ++count[result_.scene.contacts[i].name];
  };
  each_detected([&](ContactDescription&, DetectedContact& told) { ++count[full_name(told, last(told.link))]; });
  std::map<std::string, int> used;
  const std::map<std::string, int> wanted = count;
  each_detected([&](ContactDescription& contact, DetectedContact& told) {
    std::string name = full_name(told, last(told.link));
    if (wanted.at(name) > 1) name = full_name(told, told.link);
    if (const int again = used[name]++; again > 0) name += "#" + std::to_string(again + 1);  // another side of it
    contact.name = told.name = name;
  });
}

}  // namespace stiction::internal
