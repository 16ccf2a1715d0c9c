#pragma once

#include <string>
#include <vector>

#include "stiction/cone_program.hpp"

namespace stiction::test {

/// What the conic solver says of one program: min |E x - e| over cones and boxes.
struct ConicDistance {
  double distance = 0.0;
  bool solved = false;
};

/// Asks Clarabel, in its own process. Empty and `missing` filled when its Python modules are not there.
std::vector<ConicDistance> conic_distances(const std::vector<ConeProgram>& programs, std::string& missing);

inline constexpr double kConicTolerance = 1e-6;  // of |e|: what an interior-point distance is good for

/// Lower bound of the distance that y proves: (y'e - sup over boxes) / |y|.
double proved_distance(const ConeProgram& program, const Eigen::VectorXd& y);

}  // namespace stiction::test
