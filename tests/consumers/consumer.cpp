// Uses the library from outside: every public header, a scene from URDF text, and the exception across the boundary.

#include <cmath>
#include <cstdio>

#include "stiction/stiction.hpp"

int main()
{
  stiction::SceneDescription description;
  stiction::ModelDescription cube;
  cube.name = "cube";
  cube.urdf_text = R"(<robot name="cube"><link name="body"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)";
  description.models.push_back(cube);
  stiction::Scene scene(description);
  const stiction::ContactProblem problem = scene.compute();
  if (problem.nv() != 6 || std::abs(problem.F(2) - 2 * 9.81) > 1e-12) {
    std::printf("want 6 degrees of freedom and a weight of 19.62 N, got %d and %g\n", int(problem.nv()), problem.F(2));
    return 1;
  }

  description.models.front().urdf_text = "<robot";
  try {
    stiction::Scene broken(description);
  } catch (const stiction::InputError& error) {
    std::printf("as wanted: %s\n", error.what());
    return 0;
  }
  std::printf("want an InputError for broken XML, got none\n");
  return 1;
}
