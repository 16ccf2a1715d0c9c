// Contacts of G1 with the ground, found anew for every posture, beside the bare calls that they come from: Pinocchio's
// kinematics and Coal's distances of the eight balls under the feet from a half-space.
//
//   detection/bare     forward kinematics, frames of the feet, eight distances
//   detection/ours     poses let down onto the ground, points, normals, radii and names of all contacts, and what is
//                      implausible: SceneGeometry::resolve
//   detection/scene    the same, and the scene around the contacts that were found: what a row of a trajectory pays
#include <benchmark/benchmark.h>
#include <coal/distance.h>
#include <coal/shape/geometric_shapes.h>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "stiction/geometry.hpp"

namespace stiction {
namespace {

std::string g1_file()
{
  const char* folder = std::getenv("STICTION_ROBOT_DATA");
#ifdef STICTION_ROBOT_DATA
  if (!folder) folder = STICTION_ROBOT_DATA;
#endif
  return folder ? std::string(folder) + "/g1_description/urdf/g1_29dof_rev_1_0.urdf" : std::string();
}

constexpr const char* kFeet[] = {"left_ankle_roll_link", "right_ankle_roll_link"};

/// G1 with bent knees, one of 64 postures.
SceneDescription g1(int posture)
{
  SceneDescription scene;
  scene.ground = Ground{};
  scene.ground->mu = 0.8;
  ModelDescription robot;
  robot.name = "g1";
  robot.urdf_file = g1_file();
  robot.placing = Placing{};
  const double bend = 0.2 + 0.1 * std::sin(2.0 * M_PI * posture / 64.0);
  for (const std::string side : {"left", "right"}) {
    robot.joints[side + "_hip_pitch_joint"] = robot.joints[side + "_ankle_pitch_joint"] = -bend;
    robot.joints[side + "_knee_joint"] = 2.0 * bend;
  }
  scene.models = {robot};
  ContactDescription feet;
  feet.name = "feet";
  feet.detect = Detect{};
  for (const char* foot : kFeet) feet.detect->links.push_back(std::string("g1/") + foot);
  feet.detect->with = "ground";
  feet.detect->mu_of_surface = true;
  scene.contacts = {feet};
  return scene;
}

void detection_ours(benchmark::State& state, bool with_scene)
{
  if (g1_file().empty()) return state.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  std::vector<SceneDescription> postures;
  for (int i = 0; i < 64; ++i) postures.push_back(g1(i));
  SceneGeometry geometry(postures[0]);
  const Scene known(geometry.resolve(postures[0]).scene);
  std::size_t i = 0, points = 0;
  for (auto _ : state) {
    const ResolvedScene found = geometry.resolve(postures[i++ % postures.size()]);
    for (const DetectedContact& contact : found.detected) points += contact.distances.size();
    if (with_scene) {
      Scene scene(found.scene, known);
      benchmark::DoNotOptimize(scene.nv());
    }
  }
  state.counters["points"] = static_cast<double>(points) / static_cast<double>(state.iterations());
}

void detection_bare(benchmark::State& state)
{
  if (g1_file().empty()) return state.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  pinocchio::Model model;
  pinocchio::urdf::buildModel(g1_file(), pinocchio::JointModelFreeFlyer(), model);
  pinocchio::Data data(model);
  const pinocchio::FrameIndex feet[] = {model.getFrameId(kFeet[0]), model.getFrameId(kFeet[1])};
  std::vector<Eigen::VectorXd> postures;
  for (int i = 0; i < 64; ++i) {
    postures.push_back(pinocchio::neutral(model));
    const SceneDescription posture = g1(i);
    for (const auto& [joint, value] : posture.models[0].joints)
      postures.back()[model.joints[model.getJointId(joint)].idx_q()] = value;
    postures.back()[2] = 0.75;
  }
  const RobotSurvey survey = survey_robot(g1(0).models[0]);
  std::vector<Eigen::Isometry3d> balls;
  double radius = 0.0;
  for (const RobotSurvey::Link& link : survey.links)
    if (link.name == kFeet[0])
      for (const Shape& shape : link.shapes)
        if (shape.kind == Shape::Kind::kSphere) {
          balls.push_back(shape.pose);
          radius = shape.size[0];
        }
  const coal::Sphere ball(radius);
  const coal::Halfspace ground(coal::Vec3s::UnitZ(), 0.0);
  const coal::DistanceRequest request;
  std::size_t i = 0;
  double sum = 0.0;
  for (auto _ : state) {
    pinocchio::forwardKinematics(model, data, postures[i++ % postures.size()]);
    for (const pinocchio::FrameIndex foot : feet) {
      const pinocchio::SE3& pose = pinocchio::updateFramePlacement(model, data, foot);
      for (const Eigen::Isometry3d& at : balls) {
        coal::DistanceResult result;
        const coal::Transform3s place(pose.rotation() * at.linear(), pose.act(Eigen::Vector3d(at.translation())));
        sum += coal::distance(&ball, place, &ground, coal::Transform3s(), request, result);
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  state.counters["points"] = static_cast<double>(2 * balls.size());
}

BENCHMARK(detection_bare)->Name("detection/bare")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(detection_ours, ours, false)->Name("detection/ours")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(detection_ours, scene, true)->Name("detection/scene")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace stiction
