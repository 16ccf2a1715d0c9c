#include "ask/closure_family.hpp"

namespace stiction::internal {

bool write_closure_family(const Grasp& grasp, ConeFamily& family)
{
  ConeProgram& program = family.program;
  program = ConeProgram{};
  program.E = grasp.G;
  program.e.setZero(grasp.G.rows());
  program.free = grasp.free;
  family.ways.resize(grasp.G.rows(), 0);
  family.slopes.clear();
  for (const GraspBlock& block : grasp.contacts) {
    if (block.side == Side::kBilateral || block.cone.shape.approximation != ConeApproximation::kExact) return false;
    program.cones.push_back({block.col, block.cone});
    FrictionCone& cone = program.cones.back().cone;
    cone.sign = 1.0;
    family.slopes.push_back({cone.mu, cone.torsion});
    cone.mu = cone.torsion = 0.0;
  }
  return true;
}

void write_closure_at(const ConeFamily& family, double t, ConeProgram& program)
{
  program = family.program;
  for (std::size_t i = 0; i < program.cones.size(); ++i) {
    program.cones[i].cone.mu += t * family.slopes[i].mu;
    program.cones[i].cone.torsion += t * family.slopes[i].torsion;
    program.e -= program.E.col(program.cones[i].col);
  }
}

}  // namespace stiction::internal
