#pragma once

#include <cstdlib>
#include <string>

#include "stiction/scene.hpp"

namespace stiction {

/// The URDF of the example-robot-data wheel; empty when it is not installed.
inline std::string talos_file()
{
  const char* folder = std::getenv("STICTION_ROBOT_DATA");
#ifdef STICTION_ROBOT_DATA
  if (!folder) folder = STICTION_ROBOT_DATA;
#endif
  return folder ? std::string(folder) + "/talos_data/robots/talos_reduced.urdf" : std::string();
}

/// Talos (nv 38) on the four corners of each sole.
inline Scene talos_on_its_soles(Effort::Kind effort)
{
  SceneDescription description;
  ModelDescription robot;
  robot.name = "talos";
  robot.urdf_file = talos_file();
  robot.effort.kind = effort;
  description.models = {robot};
  for (const char* side : {"left", "right"}) {
    ContactDescription sole;
    sole.name = side;
    sole.link = std::string("talos/") + side + "_sole_link";
    sole.points = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {-0.1, 0.05, 0}, {-0.1, -0.05, 0}};
    sole.mu = 0.6;
    description.contacts.push_back(sole);
  }
  return Scene(description);
}

}  // namespace stiction
