#pragma once

#include <Eigen/Core>
#include <vector>

#include "stiction/contact_problem.hpp"

namespace stiction {

enum class PredictedMotion { kSticks, kSlips, kDetaches };

/// What one contact does next, in its own axes (normal, t1, t2; "body A minus body B").
struct ContactPrediction {
  PredictedMotion motion = PredictedMotion::kSticks;
  Eigen::Vector4d force = Eigen::Vector4d::Zero();  ///< normal, t1, t2 (N), torsion (N m); absent components 0
  double normal_acceleration = 0.0;                 ///< m/s^2; >= 0 for unilateral contacts
  Eigen::Vector2d tangential_acceleration = Eigen::Vector2d::Zero();  ///< m/s^2; the direction of slip
  double spin_acceleration = 0.0;  ///< rad/s^2 about the normal, for torsional contacts
};

enum class PredictionOutcome {
  kNotRun,
  kConverged,     ///< every law below holds to `residual`
  kNotConverged,  ///< the best iterate found: no more than a guess
  kSingularMass,  ///< not applicable: the iteration needs M > 0
  kContradiction  ///< closures contradict each other: there is no motion
};

/// What happens next, from contacts at zero relative velocity, by Coulomb's law at the acceleration level (5)–(7),
/// problem (69):
///
///   M a + F = J'λ,   u = J a + gamma,   closures: u = 0,
///   0 <= λn ⟂ un >= 0 (unilateral),  un = 0 (bilateral),
///   |λt| <= mu |λn|,  ut = -κ λt with κ >= 0, κ = 0 inside the disk           (torsion likewise, in one dimension).
///
/// A prediction, not a proof: (69) is not convex and may have several solutions, or none; what is returned satisfies
/// the laws when it says it converged. Largest normal forces are limits of a contact, not laws of motion: ignored.
struct Prediction {
  PredictionOutcome outcome = PredictionOutcome::kNotRun;
  double residual = 0.0;  ///< largest violation of a law, as a share of the scale of the load (see predict)
  Eigen::VectorXd acceleration;
  Eigen::VectorXd lambda;
  std::vector<ContactPrediction> contacts;
  int sweeps = 0;

  bool converged() const { return outcome == PredictionOutcome::kConverged; }
};

struct PredictionOptions {
  /// On the residual. Forces are compared with Λ/√W_ii and accelerations with Λ√W_ii of their row, W = J M⁻¹J',
  /// Λ = √(F'M⁻¹F) + max |gamma_i|/√W_ii: the same for all units.
  double tolerance = 1e-9;
  int max_sweeps = 5000;
  Eigen::VectorXd start;  ///< forces to start from (rows); empty: none. Picks among several solutions.
};

/// Gauss–Seidel over the contacts, each solved exactly with the others held, finished by Newton steps on the laws.
/// @throws InputError from problem.validate(), and for a start of the wrong size.
Prediction predict(const ContactProblem& problem, const PredictionOptions& options = {});

}  // namespace stiction
