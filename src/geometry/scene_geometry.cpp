#include <algorithm>
#include <cmath>
#include <set>

#include "base/names.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "geometry/detect.hpp"
#include "stiction/error.hpp"

namespace stiction {

struct SceneGeometry::Impl {
  std::vector<internal::RobotShapes> robots;
  internal::MeshStore meshes;
};

namespace internal {
namespace {

void check_surroundings(const SceneDescription& scene)
{
  const auto check_mu = [](const std::optional<double>& mu, const std::string& path) {
    if (mu && !(std::isfinite(*mu) && *mu >= 0.0))
      throw InputError(path, "want a finite number >= 0, got " + text(*mu));
  };
  if (const auto& ground = scene.ground) {
    if (!ground->point.allFinite()) throw InputError("ground.point", "want finite numbers, got " + text(ground->point));
    if (!(std::abs(ground->normal.norm() - 1.0) <= kUnitRounding))
      throw InputError("ground.normal", "want a unit vector, got " + text(ground->normal));
    check_mu(ground->mu, "ground.mu");
  }
  std::set<std::string> names{"ground", "world"};
  for (const ModelDescription& model : scene.models) names.insert(model.name);
  for (std::size_t i = 0; i < scene.obstacles.size(); ++i) {
    const Obstacle& obstacle = scene.obstacles[i];
    const std::string path = "obstacles[" + std::to_string(i) + "]";
    require_name(obstacle.name, path + ".name");
    if (!names.insert(obstacle.name).second || obstacle.name.find('/') != obstacle.name.npos)
      throw InputError(path + ".name", "want a name of its own without '/', got " + quoted(obstacle.name));
    if (!obstacle.size.allFinite() || (obstacle.kind == Obstacle::Kind::kBox && !(obstacle.size.minCoeff() > 0.0)))
      throw InputError(path + ".box", "want three lengths > 0, got " + text(obstacle.size));
    if (!obstacle.pose.xyz.allFinite() || !obstacle.pose.rpy.allFinite())
      throw InputError(path + ".pose", "want finite numbers, got others");
    check_mu(obstacle.mu, path + ".mu");
  }
}

}  // namespace
}  // namespace internal

bool has_geometry(const SceneDescription& description)
{
  const auto placed = [](const ModelDescription& model) { return model.placing.has_value(); };
  const auto detected = [](const ContactDescription& contact) { return contact.detect.has_value(); };
  return description.ground || !description.obstacles.empty() || std::ranges::any_of(description.models, placed) ||
         std::ranges::any_of(description.contacts, detected);
}

SceneGeometry::SceneGeometry(const SceneDescription& description)
    : impl_(new Impl{{}, internal::MeshStore(description.package_paths)})
{
  for (const ModelDescription& model : description.models)
    impl_->robots.push_back(internal::read_robot(model, description.package_paths));
}

SceneGeometry::~SceneGeometry() = default;
SceneGeometry::SceneGeometry(const SceneGeometry& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
SceneGeometry::SceneGeometry(SceneGeometry&&) noexcept = default;
SceneGeometry& SceneGeometry::operator=(SceneGeometry&&) noexcept = default;

bool SceneGeometry::fits(const SceneDescription& description) const
{
  const auto same = [&](const internal::RobotShapes& robot, const ModelDescription& model) {
    return robot.tree->source == internal::UrdfSource{model.urdf_file, model.urdf_text, description.package_paths};
  };
  return std::ranges::equal(impl_->robots, description.models, same);
}

ResolvedScene SceneGeometry::resolve(const SceneDescription& description)
{
  using namespace internal;
  if (!fits(description)) throw InputError("models", "want the robots that were read, got others");
  check_surroundings(description);
  impl_->meshes.forget_use();
  ResolvedScene result{description, {}, {}, {}, {}};
  result.scene.contacts.clear();
  Surroundings surroundings{description, {}, impl_->meshes};
  for (std::size_t m = 0; m < description.models.size(); ++m) {
    ModelDescription& model = result.scene.models[m];
    Posture posture = posture_of(model, impl_->robots[m]);
    if (model.placing) {
      const std::string path = posture.path() + ".pose.on";
      if (!description.ground) throw InputError(path, "want a scenario with a ground, got none");
      place_on_ground(*model.placing, model.pose, surroundings.ground(), description.gravity, posture, impl_->meshes);
      model.placing.reset();
      model.pose = {posture.root.translation(), rpy_of(posture.root.linear())};
      posture.root = isometry(model.pose.xyz, model.pose.rpy);
    }
    surroundings.postures.push_back(std::move(posture));
  }
  Detector detector(surroundings, result);
  for (std::size_t i = 0; i < description.contacts.size(); ++i) detector.resolve(description.contacts[i], i);
  detector.name_contacts();
  add_implausible(surroundings, result.warnings);
  result.mesh_files = impl_->meshes.files();
  return result;
}

}  // namespace stiction
