#pragma once

#include "stiction/cone_program.hpp"

namespace stiction::internal {

/// Errors below this are claimed as answers: half of what the proof room allows, as its sums may round differently.
inline constexpr double kProven = 0x1p-45;

/// How far an answer is from being a proof, in relative rounding units: the largest violation over the size of the
/// products it was computed from, infinity when no rounding explains it. The engine's own yardstick for when to stop;
/// verdicts are the proof room's business.
double witness_error(const ConeProgram& program, const Eigen::VectorXd& x);

/// The same for y'e > sup{ y'E x }; `gap` receives (y'e − sup) over the size of its products, negative when not
/// separated.
double separation_error(const ConeProgram& program, const Eigen::VectorXd& y, double* gap);

/// Sum of the sizes of the products behind support()'s value at its maximising ray; magnitudes = |E_i|'|y|.
double ray_magnitude(const FrictionCone& cone, const double* ray, const double* magnitudes);

}  // namespace stiction::internal
