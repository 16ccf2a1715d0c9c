// Which finger positions hold a mug? Tries some, and prints how much of the friction each grasp needs.
//
//   grasp_planner [urdf/mug.urdf]

#include <array>
#include <cstdio>
#include <string>

#include "stiction/error.hpp"
#include "stiction/scene.hpp"
#include "stiction/sticking.hpp"

int main(int argc, char** argv)
try {
  stiction::SceneDescription scene;
  scene.models.resize(1);
  scene.models[0].name = "mug";
  scene.models[0].urdf_file = argc > 1 ? argv[1] : "urdf/mug.urdf";
  stiction::StickingChecker checker;
  stiction::StickingOptions options;
  options.margins = true;
  for (const double height : {0.02, 0.05, 0.08}) {   // of the two fingers; the thumb stays at mid-height
    scene.contacts.clear();
    for (const auto& [x, y, z] : {std::array{0.0, -0.04, 0.05}, {-0.024, 0.032, height}, {0.024, 0.032, height}}) {
      stiction::ContactDescription tip;
      tip.name = "tip" + std::to_string(scene.contacts.size());
      tip.link = "mug/mug";
      tip.points = {{x, y, z}};
      tip.normal = Eigen::Vector3d(-x, -y, 0.0).normalized();
      tip.mu = 0.6;
      tip.max_normal = 20.0;
      scene.contacts.push_back(tip);
    }
    const stiction::StickingResult grasp = checker.check(stiction::Scene(scene).compute(), options);
    std::printf("fingers at %.2f m: %s\n", height, grasp.explanation.c_str());
    if (grasp.friction_scale) std::printf("  needs %.0f %% of the friction\n", 100.0 * *grasp.friction_scale);
  }
} catch (const stiction::InputError& error) {
  std::fprintf(stderr, "grasp_planner: %s\n", error.what());
  return 2;
}
