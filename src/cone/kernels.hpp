#pragma once

// The functions of stiction/cone.hpp on plain arrays of dim() entries, unchecked: engines and judges call them once per
// contact and iteration.
#include <cmath>

#include "stiction/cone.hpp"

namespace stiction::internal {

/// max of h_t·w over the polygon of `cone` (tangents = 2); w receives the best vertex.
double polygon_support(const FrictionCone& cone, const double* h_t, double* w);

/// @param[out] ray optional.
inline double support(const FrictionCone& cone, const double* h, double* ray = nullptr)
{
  double value = cone.sign * h[0];
  if (ray) ray[0] = cone.sign;
  if (cone.tangents == 2 && cone.shape.approximation == ConeApproximation::kExact) {
    const double norm = std::sqrt(h[1] * h[1] + h[2] * h[2]);
    value += cone.mu * norm;
    if (ray) {  // any point of the rim will do when h_t = 0
      ray[1] = norm > 0.0 ? cone.mu * (h[1] / norm) : cone.mu;
      ray[2] = norm > 0.0 ? cone.mu * (h[2] / norm) : 0.0;
    }
  } else if (cone.tangents == 2) {
    double w[2];
    value += polygon_support(cone, h + 1, w);
    if (ray) {
      ray[1] = w[0];
      ray[2] = w[1];
    }
  } else if (cone.tangents == 1) {
    value += cone.mu * std::abs(h[1]);
    if (ray) ray[1] = std::copysign(cone.mu, h[1]);
  }
  if (cone.torsional) {
    const double about = h[1 + cone.tangents];
    value += cone.torsion * std::abs(about);
    if (ray) ray[1 + cone.tangents] = std::copysign(cone.torsion, about);
  }
  return value;
}

double slack(const FrictionCone& cone, const double* f);
double utilisation(const FrictionCone& cone, const double* f);

}  // namespace stiction::internal
