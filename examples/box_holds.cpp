// Does a box on a rough floor stay put when it is pushed? Prints the verdict for a gentle and for a strong push.

#include <cstdio>

#include "stiction/scene.hpp"
#include "stiction/sticking.hpp"

int main(int argc, char** argv)
{
  stiction::SceneDescription description;
  stiction::ModelDescription box;
  box.name = "box";
  box.urdf_file = argc > 1 ? argv[1] : "urdf/box.urdf";  // 1 kg, edges of 0.2 m
  box.pose.xyz.z() = 0.1;
  description.models.push_back(box);

  stiction::ContactDescription floor;
  floor.name = "floor";
  floor.link = "box/box";
  floor.points = {{0.1, 0.1, -0.1}, {-0.1, 0.1, -0.1}, {-0.1, -0.1, -0.1}, {0.1, -0.1, -0.1}};
  floor.mu = 0.6;
  description.contacts.push_back(floor);

  stiction::StickingChecker checker;
  for (const double push : {4.0, 8.0}) {  // friction can carry 0.6 * 9.81 N
    stiction::LoadDescription load;
    load.link = "box/box";
    load.force.x() = push;
    description.loads = {load};
    stiction::Scene scene(description);
    const stiction::StickingResult result = checker.check(scene.compute());
    std::printf("%g N: %s\n", push, to_string(result.verdict));
  }
}
