#pragma once

#include <vector>

#include "stiction/cone_program.hpp"
#include "stiction/grasp.hpp"

namespace stiction::internal {

/// The program behind `resists`, in the rows and columns of ResistProof; further columns are slacks of limits.
/// @param doubt share by which friction, efforts and limits are enlarged
/// @param signs one per contact, 0 = unrestricted: sides of frictional bilateral contacts
void write_resist_program(const Grasp& grasp, const Eigen::VectorXd& wrench, double doubt,
                          const std::vector<int>& signs, ConeProgram& program);

}  // namespace stiction::internal
