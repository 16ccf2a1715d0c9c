#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/closure.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/region.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// Slopes of a margin: `rising` as the number grows, `falling` as it shrinks. They are the same where the margin is
/// differentiable. Not a number where none was found.
struct Slopes {
  Eigen::VectorXd rising, falling;
};

/// How a margin changes with the data of its problem, from the forces and the motion at the boundary that is the margin
/// (the envelope theorem: both may be taken as they are while the data change):
///
///   d margin = motion'(dM a + dF + value dslope - dJ'lambda) + row_motion'(dJ a + dgamma)
///
/// where slope is what a push or the centre of mass adds to F per newton or metre. Forces and motion are solved for to
/// rounding and checked to be both at the boundary, which the margin's own interval has to contain.
struct MarginGradient {
  bool known = false;
  std::string reason;  ///< why not, or why it is not differentiable
  /// Forces and motion are unique: every slope is the same on both sides. Otherwise only forces are not, and slopes are
  /// one-sided; with several motions nothing is known.
  bool differentiable = false;
  double value = 0.0;          ///< of the margin, to rounding
  Eigen::VectorXd motion;      ///< nv; of a grasp: rows of G, the motion of the object
  Eigen::VectorXd row_motion;  ///< rows; zero unless Gauss' principle gives the acceleration
  Eigen::VectorXd a;           ///< nv: the acceleration
  Eigen::VectorXd lambda;      ///< rows; of a grasp columns of G, with normal forces of sum 1
  Slopes mu, torsion;          ///< per contact
  Slopes max_normal;           ///< per contact; 0 where there is no limit
  Slopes lower, upper;         ///< per actuator; 0 where it is no limit that ends the margin
};

/// The same for the contacts of a grasp in space or in the plane: contact i has entries 3i to 3i + 2, per metre along
/// the axes of the wrenches, and per change of the unit normal (which stays a unit vector: slopes are across it).
struct GraspGradient {
  MarginGradient matrices;
  Slopes points, normals;
};

/// Finds gradients of margins that were found already. Exact cones only; one per thread.
class MarginDifferentiator {
 public:
  explicit MarginDifferentiator(std::unique_ptr<Engine> engine = make_native_engine());
  ~MarginDifferentiator();
  MarginDifferentiator(MarginDifferentiator&&) noexcept;
  MarginDifferentiator& operator=(MarginDifferentiator&&) noexcept;

  /// Margins of (EQ). `margin` is that of an EquilibriumResult about the same problem and a.
  /// @throws InputError: sizes, and what EquilibriumChecker::check throws.
  MarginGradient friction_scale(const ContactProblem& problem, const Eigen::VectorXd& a, const Margin& margin);
  MarginGradient effort(const ContactProblem& problem, const Eigen::VectorXd& a, const Margin& margin);
  MarginGradient push(const ContactProblem& problem, const Eigen::VectorXd& a, const Eigen::VectorXd& push,
                      const Margin& margin);
  /// StickingResult::friction_scale of a result with margins, detachment allowed or forbidden.
  MarginGradient friction_scale(const ContactProblem& problem, const StickingRules& rules,
                                const StickingResult& result);
  /// RegionResult::distance.
  MarginGradient com(const RegionInput& input, const RegionResult& result);
  /// ClosureResult::friction_factor of a grasp of at least one contact, all of which push.
  GraspGradient friction_factor(const Grasp& grasp, const Margin& margin);

  /// Slopes of the margin last differentiated along several changes of its data.
  /// @param loads one per change: motion'(dM a + dF + value dslope) + row_motion'(dJ a + dgamma)
  /// @param rows  rows x changes: dJ motion (of a grasp dG'motion, per column of G)
  Slopes along(const Eigen::VectorXd& loads, const Eigen::MatrixXd& rows);

  struct Workspace;

 private:
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
