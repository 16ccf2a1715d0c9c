#include "simulate/feature.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "geometry/bodies.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using Eigen::Vector3d;

constexpr double kTypedByHand = 1e-3;  // m: corners nearer to a contact's point are that contact, typed by hand
constexpr double kAlike = 1e-9;        // share by which two radii may differ and still be those of a ball
constexpr int kMeshDirections = 128;   // in which the outermost vertices of a mesh are its corners

/// The surface of one body of a contact.
struct Surface {
  double radius = 0.0;           ///< 0: a corner, infinite: flat
  std::optional<Vector3d> axis;  ///< in the world: of a cylinder

  bool flat() const { return std::isinf(radius); }
};

Surface surface_of(const std::optional<SurfaceRadii>& radii, const Contact& contact, const Eigen::Matrix3d& frame,
                   const std::string& path)
{
  if (!radii) return {kInfinity, {}};
  const auto [first, second, along] = *radii;
  const auto refuse = [&] {
    throw InputError(path, "want a ball, a cylinder, a corner or a flat face to simulate, got radii " + text(first) +
                               " and " + text(second));
  };
  if (first < 0.0 || second < 0.0) refuse();
  const Vector3d n = contact.axes_W.col(0);
  Vector3d t = contact.axes_W.col(1);
  if (along) t = frame * *along;
  t = (t - n * n.dot(t)).normalized();
  if (contact.tangents == 1) {  // in the plane only the section along its tangent counts
    const bool is_first = std::abs(t.dot(contact.axes_W.col(1))) > 0.5;
    return {is_first ? first : second, {}};
  }
  if (first == second || std::abs(first - second) <= kAlike * first) return {first, {}};
  if (std::isinf(second) || second == 0.0) return {first, Vector3d(n.cross(t))};
  if (std::isinf(first) || first == 0.0) return {second, t};
  refuse();
  return {};
}

class FeatureMaker {
 public:
  FeatureMaker(const Scenario& plain, const std::vector<int>& sources, Scene& scene)
      : plain_(plain), sources_(sources), scene_(scene), problem_(scene.compute())
  {
  }

  std::vector<Feature> make()
  {
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) add_contact(i);
    add_planes();
    return std::move(features_);
  }

 private:
  Eigen::Isometry3d pose(const std::string& body)
  {
    const auto known = poses_.find(body);
    if (known != poses_.end()) return known->second;
    return poses_[body] = scene_.link_pose(scene_.described_state(), body, "contacts");
  }

  void add_contact(std::size_t i)
  {
    const Contact& contact = problem_.contacts[i];
    const int index = scene_.contact_origins()[i].description;
    const ContactDescription& described = plain_.scene.contacts[static_cast<std::size_t>(index)];
    const ContactMotion& motion = plain_.contact_motions[static_cast<std::size_t>(index)];
    const std::string path = "contacts[" + std::to_string(index) + "]";
    if (motion.one_way) throw InputError(path + ".one_way", "want none to simulate, got a ratchet");
    if (motion.mu_second) throw InputError(path + ".mu_second", "want none to simulate, got orthotropic friction");

    Feature feature;
    feature.contact = described;
    feature.contact.name = contact.name;
    feature.contact.patch = false;
    feature.contact.left_out.clear();
    feature.law = {motion.restitution_normal, motion.restitution_tangential, motion.restitution_spin, false, {}};
    feature.told = {contact.name, described.link, described.on,
                    sources_.empty() ? index : sources_[static_cast<std::size_t>(index)]};

    const Eigen::Matrix3d frame = pose(scene_.contact_origins()[i].normal_body).linear();
    const Surface a = surface_of(described.radius, contact, frame, path + ".radius");
    const Surface b = surface_of(described.on_radius, contact, frame, path + ".on_radius");
    const bool known = !a.flat() || !b.flat();
    if (!a.flat() && !b.flat() && (a.axis || b.axis))
      throw InputError(path + ".radius", "want a flat face or a ball under a cylinder or edge to simulate, got others");
    feature.of_link = known ? !a.flat() : described.at_frame != ContactFrame::kOn;
    const Surface& own = feature.of_link ? a : b;
    const Surface& other = feature.of_link ? b : a;
    feature.body = feature.of_link ? described.link : described.on;
    feature.face_body = feature.of_link ? described.on : described.link;
    const Eigen::Isometry3d to_body = pose(feature.body).inverse(), to_face = pose(feature.face_body).inverse();
    const Vector3d out = (feature.of_link ? 1.0 : -1.0) * contact.axes_W.col(0);
    feature.radius = known ? own.radius : 0.0;
    feature.center = to_body * Vector3d(contact.point_W + feature.radius * out);
    if (own.axis && known) feature.axis = to_body.linear() * *own.axis;
    feature.face_radius = known && !other.flat() ? other.radius : 0.0;
    feature.face_point = to_face * Vector3d(contact.point_W - feature.face_radius * out);
    feature.normal = to_face.linear() * out;
    feature.told.rolls = feature.rolls();
    if (!known) feature.contact.radius = feature.contact.on_radius = std::nullopt;
    features_.push_back(std::move(feature));
  }

  void add_planes()
  {
    const SceneDescription& scene = plain_.scene;
    struct PlaneOf {
      Plane plane;
      std::string name;
      std::optional<double> mu;
    };
    std::vector<PlaneOf> planes;
    if (scene.ground) planes.push_back({{scene.ground->point, scene.ground->normal}, "ground", scene.ground->mu});
    for (const Obstacle& obstacle : scene.obstacles)
      if (obstacle.kind == Obstacle::Kind::kPlane)
        planes.push_back({{obstacle.pose.xyz, isometry(obstacle.pose.xyz, obstacle.pose.rpy).linear().col(2)},
                          obstacle.name,
                          obstacle.mu});
    if (planes.empty()) return;
    MeshStore meshes(scene.package_paths);
    for (const ModelDescription& model : scene.models) {
      const RobotShapes robot = read_robot(model, scene.package_paths);
      const Posture posture = posture_of(model, robot);
      for (std::size_t link = 0; link < robot.shapes.size(); ++link) {
        if (!posture.moves(link)) continue;
        for (const PlaneOf& plane : planes) {
          int number = 0;
          for (const Shape& shape : robot.shapes[link])
            for (Feature& feature : over_plane(shape, posture, link, plane.plane, meshes))
              add_over_plane(std::move(feature), model.name + "/" + posture.link_name(link), plane.name, plane.mu,
                             plane.plane, number);
        }
      }
    }
  }

  /// Corners, balls and rims of a shape, with `center` in the link.
  static std::vector<Feature> over_plane(const Shape& shape, const Posture& posture, std::size_t link,
                                         const Plane& plane, MeshStore& meshes)
  {
    std::vector<Feature> found;
    const auto add = [&](const Vector3d& center, double radius, std::optional<Vector3d> axis) {
      Feature feature;
      feature.center = center;
      feature.radius = radius;
      feature.axis = std::move(axis);
      found.push_back(std::move(feature));
    };
    const Mesh* mesh = meshes.mesh(shape, posture.robot->place, posture.path() + ".urdf");
    if (mesh) {
      for (const Vector3d& vertex : outermost(mesh->vertices)) add(shape.pose * vertex, 0.0, {});
      return found;
    }
    if (shape.kind == Shape::Kind::kCylinder) {
      const Vector3d axis = shape.pose.linear().col(2);
      const bool stands = std::abs((posture.link_pose(link).linear() * axis).dot(plane.normal)) > std::sqrt(0.5);
      for (const double side : {-0.5, 0.5}) {
        const Vector3d middle(0.0, 0.0, side * shape.size[1]);
        for (std::size_t k = 0; stands && k < kMostPatchPoints; ++k) {
          const double angle = 2.0 * M_PI * static_cast<double>(k) / static_cast<double>(kMostPatchPoints);
          add(shape.pose * (middle + shape.size[0] * Vector3d(std::cos(angle), std::sin(angle), 0.0)), 0.0, {});
        }
        if (!stands) add(shape.pose * middle, shape.size[0], axis);
      }
      return found;
    }
    std::vector<Corner> corners;
    add_corners({shape, nullptr, shape.pose}, corners);
    for (const Corner& corner : corners) add(corner.center, corner.radius, {});
    return found;
  }

  static std::vector<Vector3d> outermost(const std::vector<Vector3d>& vertices)
  {
    std::vector<std::size_t> chosen;
    for (int k = 0; k < kMeshDirections; ++k) {  // spread over the sphere (Fibonacci's lattice)
      const double z = 1.0 - (2.0 * k + 1.0) / kMeshDirections, angle = k * M_PI * (3.0 - std::sqrt(5.0));
      const Vector3d direction(std::sqrt(1.0 - z * z) * std::cos(angle), std::sqrt(1.0 - z * z) * std::sin(angle), z);
      std::size_t best = 0;
      for (std::size_t i = 1; i < vertices.size(); ++i)
        if (direction.dot(vertices[i]) > direction.dot(vertices[best])) best = i;
      if (!vertices.empty() && std::ranges::find(chosen, best) == chosen.end()) chosen.push_back(best);
    }
    std::vector<Vector3d> points;
    for (const std::size_t i : chosen) points.push_back(vertices[i]);
    return points;
  }

  void add_over_plane(Feature feature, const std::string& link, const std::string& plane_name,
                      const std::optional<double>& mu, const Plane& plane, int& number)
  {
    feature.body = link;
    feature.face_body = "world";
    feature.normal = plane.normal;
    feature.face_point = plane.point;
    feature.touches_at_start = false;
    const Touch touch = touch_of(feature, pose(link), Eigen::Isometry3d::Identity());
    const ContactDescription* like = nullptr;
    for (std::size_t i = 0; i < plain_.scene.contacts.size(); ++i) {
      const ContactDescription& other = plain_.scene.contacts[i];
      if (other.on != "world" || (like && other.link != link)) continue;
      if (like && like->link == link) continue;
      like = &other;
      feature.law.normal = plain_.contact_motions[i].restitution_normal;
      feature.law.tangential = plain_.contact_motions[i].restitution_tangential;
    }
    for (const Feature& other : features_)
      if (other.touches_at_start && other.body == link && other.face_body == "world" &&
          other.normal.dot(plane.normal) > 0.99 && (other.center - feature.center).norm() <= kTypedByHand)
        return;
    if (!like && !mu)
      throw InputError(plane_name == "ground" ? "ground.mu" : "obstacles." + plane_name + ".mu",
                       "want friction for what may come to touch it, got none");
    ContactDescription& contact = feature.contact;
    contact.name = link + "@" + plane_name + "/" + std::to_string(number++);
    contact.link = link;
    contact.mu = like && (like->link == link || !mu) ? like->mu : *mu;
    if (feature.radius > 0.0)
      contact.radius =
          feature.axis ? SurfaceRadii{0.0, feature.radius, {}} : SurfaceRadii{feature.radius, feature.radius, {}};
    feature.told = {contact.name, link, plane_name};
    feature.told.rolls = feature.rolls();
    // What is a little inside at the start, as bumps of soles are, stays where it is.
    if (touch.gap < 0.0) feature.face_point += touch.gap * plane.normal;
    features_.push_back(std::move(feature));
  }

  const Scenario& plain_;
  const std::vector<int>& sources_;
  Scene& scene_;
  ContactProblem problem_;
  std::map<std::string, Eigen::Isometry3d> poses_;
  std::vector<Feature> features_;
};

}  // namespace

Touch touch_of(const Feature& feature, const Eigen::Isometry3d& body, const Eigen::Isometry3d& face)
{
  const Vector3d center = body * feature.center, under = face * feature.face_point;
  Touch touch;
  touch.normal = face.linear() * feature.normal;
  if (feature.face_radius > 0.0) touch.normal = (center - under).normalized();
  Vector3d down = -touch.normal;
  if (feature.axis) {
    const Vector3d axis = body.linear() * *feature.axis;
    down = (axis * axis.dot(touch.normal) - touch.normal).normalized();
  }
  touch.point = center + feature.radius * down;
  touch.gap = touch.normal.dot(touch.point - under) - feature.face_radius;
  return touch;
}

ContactDescription contact_of(const Feature& feature, const Eigen::Isometry3d& body, const Eigen::Isometry3d& face)
{
  const Touch touch = touch_of(feature, body, face);
  ContactDescription contact = feature.contact;
  contact.at_frame = feature.of_link ? ContactFrame::kLink : ContactFrame::kOn;
  contact.points = {feature.rolls() ? Vector3d(body.inverse() * touch.point) : feature.center};
  contact.normal_frame = feature.of_link ? ContactFrame::kOn : ContactFrame::kLink;
  const Vector3d out = face.linear().transpose() * touch.normal;
  contact.normal = feature.of_link ? out : Vector3d(-out);
  // Of a cylinder: round about its axis.
  const auto turn_with_axis = [&](std::optional<SurfaceRadii>& radii) {
    if (!radii || !feature.axis) return;
    const Vector3d axis = face.linear().transpose() * (body.linear() * *feature.axis);
    const double across = std::isinf(radii->first) || std::isinf(radii->second) ? kInfinity : 0.0;
    radii = SurfaceRadii{feature.radius, across, Vector3d(axis.cross(out).normalized())};
  };
  turn_with_axis(contact.radius);
  turn_with_axis(contact.on_radius);
  return contact;
}

std::vector<Feature> features_of(const Scenario& plain, const std::vector<int>& sources, Scene& scene)
{
  return FeatureMaker(plain, sources, scene).make();
}

}  // namespace stiction::internal
