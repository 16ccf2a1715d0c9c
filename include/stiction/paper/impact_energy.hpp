#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "stiction/proof/impact.hpp"

namespace stiction {

/// Conditions on restitution, friction-independent and for every u- that keeps bilateral rows (section 5.2). Bilateral
/// rows are eliminated from G first: their ε has no effect. With δ = (1-ε)/(1+ε) (77) and G ↦ T'G T, T = blockdiag(chol
/// G_ii)⁻ᵀ (units disappear), W <= 0 for every u-, mu and mode whenever `exact >= 0` to rounding. The others are
/// sufficient for that and come from the eigenvalues alone.
struct EnergyConditions {
  bool applies = false;   ///< M > 0; nothing else below is filled otherwise
  Eigen::MatrixXd G;      ///< Delassus matrix J M⁻¹J' of the contact rows, bilateral rows eliminated, not normalised
  std::vector<int> rows;  ///< rows of J, in the order of G
  int rank = 0;
  double smallest = 0.0, largest = 0.0;  ///< eigenvalues of G
  double ratio = 0.0;                    ///< smallest/largest of G, the paper's r
  double normalised_ratio = 0.0;         ///< the same after normalisation: independent of units
  double e_min = 0.0, e_max = 0.0;
  bool equal = false, all_zero = false, all_one = false;  ///< special cases (93)–(96), each safe by itself
  double similar_left = 0.0, similar_right = 0.0;         ///< (86): (δmax-δmin) λmax <= (δmax+δmin) λmin, raw G
  bool similar = false;
  double small_left = 0.0;  ///< max |2ε/(1+ε)| against `ratio`: (92), corrected for ε < 0
  bool small = false;
  double spread = 0.0;     ///< (e_max-e_min)/(1-e_max e_min); 0 when all are equal
  bool sharpened = false;  ///< spread <= 2√r/(1+r) with the normalised r
  double exact = 0.0;  ///< smallest eigenvalue of δG + Gδ, normalised, over the largest of G: the condition behind (78)
  bool safe = false;  ///< δG + Gδ is semidefinite, checked in the proof room
};
EnergyConditions energy_conditions(const ContactProblem& problem, const std::vector<ImpactLaw>& laws);

/// Common ε of all closing contacts that cannot create energy whatever u-, mu and mode; other ε of `laws` as they are.
/// They fill an interval, as δG + Gδ is linear in the common δ. The exact bounds are tight over u-, not for one u-.
struct SafeRestitution {
  bool applies = false;             ///< M > 0, and some common ε is safe
  double least = 0.0, exact = 0.0;  ///< the least and the largest, by bisection on δG + Gδ >= 0, to 1e-12
  std::optional<double> similar;    ///< the largest by (87), raw G; none: that condition holds for no ε
  std::optional<double> sharpened;  ///< the same by 2√r/(1+r), normalised G
};
SafeRestitution safe_restitution(const ContactProblem& problem, const std::vector<ImpactLaw>& laws);

/// Contacts stick and their normals are hit: Λ = -G⁻¹(I+ε)γ- of least norm, and the friction that it needs. With equal
/// ε this is the impulse dynamics of rigid-body libraries. A thought experiment: `consistent` says whether ξ = 0 is
/// possible, with ξn >= 0 at the contacts that leave.
struct StickingTouchdown {
  bool consistent = false;
  Eigen::VectorXd velocity, impulse;
  double energy_change = 0.0;
  std::vector<double> friction;  ///< |Λt|/Λn per contact; infinite where the contact would have to pull
  double largest_friction() const;
};
/// @param leaves unilateral contacts that are not hit; empty: none of them
StickingTouchdown sticking_touchdown(const ContactProblem& problem, const Impact& impact,
                                     const std::vector<bool>& leaves = {});

/// The touchdown in which everything that is hit sticks with friction that is possible (finite) and as few contacts as
/// possible leave; of several with as few, the one that needs least friction. With that mu at every contact it is a
/// solution of the laws, checked in the proof room. All choices of up to 8 unilateral contacts are tried; with more,
/// those leave that would have to pull, one round after the other. None: none was found.
struct StickingFriction {
  double mu = 0.0;
  std::vector<int> leaves;  ///< contacts
};
std::optional<StickingFriction> sticking_friction(const ContactProblem& problem, const Impact& impact);

/// The two masses and the lever that bounce like one planar contact with Delassus matrix G (rows normal, tangent),
/// (135)–(137). Needs G > 0 and G12 < 0 (flip the tangent otherwise). @throws InputError otherwise.
struct ImpactEquivalent {
  double lever = 0.0;  ///< b/a
  double mass1 = 0.0, mass2 = 0.0;
};
ImpactEquivalent impact_equivalent(const Eigen::Matrix2d& G);

}  // namespace stiction
