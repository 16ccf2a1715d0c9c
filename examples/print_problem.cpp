// A box on the ground, as a contact problem: M a + F = J' lambda, lambda in the friction cones.
//
//   print_problem [urdf/box.urdf]

#include <cstdio>
#include <iostream>

#include "stiction/error.hpp"
#include "stiction/scene.hpp"

int main(int argc, char** argv)
try {
  stiction::SceneDescription description;
  stiction::ModelDescription box;
  box.name = "box";
  box.urdf_file = argc > 1 ? argv[1] : "urdf/box.urdf";
  box.pose.xyz.z() = 0.1;  // half its edge: it stands on the ground
  description.models.push_back(box);

  stiction::ContactDescription ground;
  ground.name = "ground";
  ground.link = "box/box";
  ground.points = {{0.1, 0.1, -0.1}, {-0.1, 0.1, -0.1}, {-0.1, -0.1, -0.1}, {0.1, -0.1, -0.1}};
  ground.normal = Eigen::Vector3d::UnitZ();
  ground.mu = 0.6;
  description.contacts.push_back(ground);

  stiction::Scene scene(description);
  const stiction::ContactProblem problem = scene.compute();

  const Eigen::IOFormat table(4, 0, "  ", "\n", "  ", "");
  const Eigen::IOFormat point(4, Eigen::DontAlignCols, ", ", "", "", "", "(", ")");
  std::cout << "degrees of freedom:";
  for (const std::string& name : problem.dof_names) std::cout << ' ' << name;
  std::cout << "\n\nM [kg, kg m, kg m^2]\n" << problem.M.format(table);
  const Eigen::RowVectorXd forces = problem.F.array() + 0.0;  // no "-0"
  std::cout << "\n\nF [N, N m]\n" << forces.format(table);
  std::cout << "\n\nJ (per contact: normal, tangent, tangent)\n" << problem.J.format(table) << "\n\n";
  for (const stiction::Contact& contact : problem.contacts)
    std::cout << contact.name << ": rows " << contact.row << " to " << contact.row + contact.rows() - 1 << ", mu "
              << contact.mu << ", at " << contact.point_W.transpose().format(point) << '\n';
  return 0;
} catch (const stiction::InputError& error) {
  std::cerr << "print_problem: " << error.what() << '\n';
  return 2;
}
