#pragma once

// Certificates that no engine wrote, for tests that try to prove a question and its opposite.
#include <Eigen/Core>
#include <cmath>
#include <string>

#include "support/random_problems.hpp"
#include "support/trials.hpp"

namespace stiction::testing {

/// One of: as it is, scaled up or down by up to 1e20, noise of 1e-16 to 1e-4 of each entry, some entries times 1e20,
/// zeroed or reversed, noise of the largest entry everywhere.
template <typename Vector>
void forge(Rng& rng, Vector& v)
{
  const auto entry = [&]() -> double& { return v[static_cast<Eigen::Index>(rng() % static_cast<unsigned>(v.size()))]; };
  if (v.size() == 0) return;
  const double share = std::pow(10.0, uniform(rng, -17, -3));
  switch (rng() % 8) {
    case 0:
      return;
    case 1:
      v *= std::pow(10.0, uniform(rng, -20, 20));
      return;
    case 2:
      v.array() *= 1.0 + share * Vector(gaussian(rng, v.size())).array();
      return;
    case 3:
      entry() *= 1e20;
      return;
    case 4:
      entry() = 0.0;
      return;
    case 5:
      entry() *= -1.0;
      return;
    case 6:
      v += share * v.cwiseAbs().maxCoeff() * Vector(gaussian(rng, v.size()));
      return;
    default:
      entry() *= 1.0 + share;
      return;
  }
}

}  // namespace stiction::testing
