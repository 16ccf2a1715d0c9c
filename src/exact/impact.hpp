#pragma once

// An impact as docs/proofs/impact.md speaks of it.
#include "exact/motion_sizes.hpp"

namespace stiction::exact {

struct ImpactLaw {
  Q normal, tangential, spin;
  bool one_way = false;
  std::optional<Q> mu_second;
};

struct Impact {
  Problem p;
  Vector before;  // u-
  std::vector<ImpactLaw> laws;
  Vector row_before, restitution;  // per row: gamma-, epsilon
  MotionSizes low, high;           // sizes, rounded down and up

  explicit Impact(const Json& certificate);
  bool rubs(std::size_t i) const { return p.contacts[i].tangents > 0 && p.contacts[i].mu > 0; }
  bool twists(std::size_t i) const { return p.contacts[i].torsional && p.contacts[i].torsion > 0; }
  /// Of tangent k: what turns the ellipse of friction into the disk of radius mu.
  Q stretch(std::size_t i, std::size_t k) const;
  /// Most normal impulse of a contact; none where it moves nothing.
  Limit most_normal(std::size_t i, const MotionSizes& size) const;
  Q energy_gain(const Vector& after) const;
  Q noticeable_gain(const MotionSizes& size) const;
  /// theta_j.
  Q different(const MotionSizes& size, std::size_t j) const { return power_of_two(-22) * size.motion[j]; }
};

/// What leaves show about all solutions.
struct LeafFindings {
  bool covers = false;   // every leaf is proved, and no mode is left out
  bool complete = true;  // and no velocity but the shown ones
  bool one = true;       // which all are the first one
  bool no_gain = true;   // none of them gains energy
};
LeafFindings look_at_leaves(const Impact& impact, const Matrix& solutions, const Json& leaves);

}  // namespace stiction::exact
