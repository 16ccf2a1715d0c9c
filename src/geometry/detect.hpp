#pragma once

#include <set>
#include <string>
#include <vector>

#include "geometry/bodies.hpp"
#include "geometry/curvature.hpp"
#include "stiction/geometry.hpp"

namespace stiction::internal {

/// More than this off a surface, or inside it, is implausible, m.
constexpr double kOffBy = 0.005;

/// Everything in its place.
struct Surroundings {
  const SceneDescription& description;
  std::vector<Posture> postures;
  MeshStore& meshes;

  Plane ground() const { return {description.ground->point, description.ground->normal}; }
};

/// An obstacle as a shape in the world; of a plane see plane_of.
Shape shape_of(const Obstacle& obstacle);
Plane plane_of(const Obstacle& obstacle);

/// Contacts of a description, found where they are to be detected; those given by hand stay.
class Detector {
 public:
  Detector(const Surroundings& surroundings, ResolvedScene& result) : at_(surroundings), result_(result) {}

  /// @throws InputError below contacts[index]
  void resolve(const ContactDescription& contact, std::size_t index);
  /// Names of detected contacts, once all are known.
  void name_contacts();

 private:
  struct LinkOf {
    std::size_t model, link;
    auto operator<=>(const LinkOf&) const = default;
  };
  struct Found {
    std::string link, with, on;
    Eigen::Vector3d normal;
    std::vector<PlanePoint> points;
    std::optional<double> mu;
    std::optional<CurvedPair> radii;  ///< in the world
  };

  std::vector<LinkOf> links_of(const std::vector<std::string>& names, const std::string& path) const;
  std::vector<LinkOf> links_of(const std::string& name, const std::string& path) const;
  std::string name_of(const LinkOf& link) const;
  const std::vector<Shape>& shapes_of(const LinkOf& link) const;

  void touch_plane(const LinkOf& link, const Plane& plane, const std::string& with, std::optional<double> mu,
                   double within);
  void touch_solid(const LinkOf& link, const Obstacle& obstacle, double within);
  void touch_link(const LinkOf& link, const LinkOf& other, double within);
  void touch_all(const LinkOf& link, const Detect& detect, const std::string& path);
  void add(const ContactDescription& contact, std::size_t index, const LinkOf& link, Found& found);
  double distance_to(const LinkOf& link, const Detect& detect, std::string& nearest) const;
  void warn_inside(const DetectedContact& told, const std::string& path);
  void warn_floating(const std::vector<LinkOf>& links, const std::vector<bool>& touched, const Detect& detect,
                     const std::string& path);

  const Surroundings& at_;
  ResolvedScene& result_;
  std::vector<Found> found_;  ///< of the link at hand
  std::set<std::pair<std::string, std::string>> known_;
};

/// Compares contacts given by hand, and where the models are, with the shapes.
void add_implausible(const Surroundings& surroundings, std::vector<Warning>& warnings);

/// "160 mm", "6.7 m"
std::string length_text(double metres);

}  // namespace stiction::internal
