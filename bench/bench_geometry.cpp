// Finding the contacts of a posture beside the bare Coal calls for the same pairs: Talos on the ground (two soles of
// 156 vertices), and the Allegro hand around a mug (four balls against a cylinder).
#include <benchmark/benchmark.h>
#include <coal/collision.h>
#include <coal/contact_patch.h>
#include <coal/mesh_loader/loader.h>
#include <coal/shape/geometric_shapes.h>

#include <filesystem>
#include <string>

#include "stiction/geometry.hpp"
#include "stiction/scenario.hpp"
#include "talos.hpp"

namespace stiction {
namespace {

std::string packages()
{
  const std::string talos = talos_file();
  if (talos.empty()) return talos;
  return std::filesystem::path(talos).parent_path().parent_path().parent_path().parent_path().parent_path().string();
}

void resolve(benchmark::State& run, const char* name)
{
  if (talos_file().empty()) return run.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  Scenario scenario = read_scenario_file(std::string(STICTION_SOURCE_DIR) + "/scenarios/" + name + ".yaml");
  scenario.scene.package_paths = {packages()};
  SceneGeometry geometry(scenario.scene);
  std::size_t points = 0;
  for (auto _ : run) {
    const ResolvedScene found = geometry.resolve(scenario.scene);
    points = 0;
    for (const ContactDescription& contact : found.scene.contacts) points += contact.points.size();
    benchmark::DoNotOptimize(points);
  }
  run.counters["points"] = static_cast<double>(points);
}

/// Two soles against a half-space: collide and computeContactPatch, on convex hulls.
void coal_soles(benchmark::State& run)
{
  if (talos_file().empty()) return run.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  const std::string file = packages() + "/example-robot-data/robots/talos_data/meshes/v2/ankle_X_collision.stl";
  auto mesh = coal::MeshLoader(coal::BV_AABB).load(file);
  const std::unique_ptr<coal::ConvexBase> sole(
      coal::ConvexBase::convexHull(mesh->vertices, static_cast<unsigned>(mesh->vertices->size()), false, "Qt"));
  const coal::Halfspace ground(coal::Vec3s::UnitZ(), 0.0);
  coal::CollisionRequest request;
  request.security_margin = 0.002;
  const coal::ContactPatchRequest patches(1, 8, 0.002);
  const coal::Transform3s pose(Eigen::Matrix3d::Identity(), coal::Vec3s(0, 0, 0.1075)), origin;
  for (auto _ : run)
    for (int foot = 0; foot < 2; ++foot) {
      coal::CollisionResult result;
      coal::ContactPatchResult found(patches);
      coal::collide(sole.get(), pose, &ground, origin, request, result);
      coal::computeContactPatch(sole.get(), pose, &ground, origin, result, patches, found);
      benchmark::DoNotOptimize(found.numContactPatches());
    }
}

/// Four balls against a cylinder.
void coal_fingers(benchmark::State& run)
{
  const coal::Sphere tip(0.012);
  const coal::Cylinder mug(0.04, 0.1);
  coal::CollisionRequest request;
  request.security_margin = 0.001;
  const coal::ContactPatchRequest patches(1, 8, 0.001);
  const coal::Transform3s origin;
  for (auto _ : run)
    for (int finger = 0; finger < 4; ++finger) {
      const coal::Transform3s pose(Eigen::Matrix3d::Identity(), coal::Vec3s(0.0521, 0.001 * finger, 0.01 * finger));
      coal::CollisionResult result;
      coal::ContactPatchResult found(patches);
      coal::collide(&tip, pose, &mug, origin, request, result);
      coal::computeContactPatch(&tip, pose, &mug, origin, result, patches, found);
      benchmark::DoNotOptimize(found.numContactPatches());
    }
}

BENCHMARK(coal_soles);
BENCHMARK_CAPTURE(resolve, talos_on_the_ground, "talos_detected");
BENCHMARK(coal_fingers);
BENCHMARK_CAPTURE(resolve, allegro_and_mug, "mug_detected");
BENCHMARK_CAPTURE(resolve, anymal_and_wall, "anymal_against_wall");

}  // namespace
}  // namespace stiction
