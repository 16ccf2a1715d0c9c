#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/engine.hpp"
#include "stiction/failure.hpp"
#include "stiction/margin.hpp"
#include "stiction/prediction.hpp"

namespace stiction {

enum class ContactState { kSticking, kRim, kDetaching, kSliding, kUnloaded };

/// What is asked beyond the verdict; each costs extra decisions.
struct StickingOptions {
  StickingRules rules;
  bool largest_slack = true;  ///< return the forces deepest inside the cones instead of any admissible ones
  bool intervals = false;     ///< per-contact normal-force intervals over all admissible solutions
  bool margins = false;       ///< friction_scale; returns the forces that need the least friction, of least norm
  bool repairs = false;       ///< when it fails: what would make it hold
  /// Degrees of freedom to which a repairing force may be added, as the joints that have motors; none: all.
  std::vector<int> repair_dofs;
  bool nearest_load = false;  ///< when it fails: StickingResult::nearest_load
  bool prediction = false;    ///< acceleration-level Coulomb law (69) for contacts on the rim or after a failure
  /// Fill `explanation` and `failure`; words need memory, and those about a failing case other decisions (what would
  /// help?): a control loop may do without.
  bool explain = true;
  std::vector<int>
      idle_motors;          ///< degrees of freedom whose motors are given no effort, for the words: would they help?
  int branch_limit = 4096;  ///< nodes of the sign tree over bilateral contacts before "undecided"
};

struct ContactReport {
  ContactState state = ContactState::kSticking;
  Eigen::Vector4d force = Eigen::Vector4d::Zero();  ///< normal, t1, t2 (N), torsion (N m); absent components 0
  double utilisation = 0.0;
  bool unique = true;                ///< the same in every admissible solution
  Margin normal_interval;            ///< N, of the normal force over all admissible solutions; when asked for
  double normal_acceleration = 0.0;  ///< (J_n a + gamma_n), m/s^2
};

/// One way to make a failing case hold.
struct Repair {
  enum class Change { kCommonFriction, kFriction, kForce } change;
  int contact = -1;       ///< kFriction: index of the contact whose mu alone is raised
  double value = 0.0;     ///< kCommonFriction: factor on every mu; kFriction: the new mu
  Eigen::VectorXd force;  ///< kForce: smallest change of F (generalised, nv), Euclidean norm over SI numbers, same
                          ///< acceleration; 0 where nothing may be added
};

struct StickingResult {
  Verdict verdict = Verdict::kUndecided;
  std::string reason;  ///< why undecided, empty otherwise
  Certificate certificate;
  Eigen::VectorXd acceleration;  ///< nv; a solution of Gauss' principle, when there is one
  bool acceleration_unique = false;
  Eigen::VectorXd lambda;  ///< rows; admissible when the verdict is holds, else a KKT multiplier
  std::vector<ContactReport> contacts;
  int indeterminacy = 0;  ///< rows of the non-detaching contacts and closures minus their rank
  /// Every loaded cone strictly inside: the mode persists (P4 i). Never with a contact without friction that has
  /// tangential rows: they are held, but nothing keeps them from slipping at the next instant.
  bool strict = false;
  double slack = 0.0;                 ///< largest s such that every contact could lose s newtons of normal force and
                                      ///< stay in its cone; capped where internal forces can grow without end
  Margin friction_scale;              ///< smallest s such that s·mu holds; kNone: none does
  bool least_friction_shown = false;  ///< `lambda` is, of all admissible forces, what needs the least friction
  int frictions_not_tried = 0;        ///< contacts beyond the first 64, whose friction alone was not asked about
  std::vector<Repair> repairs;
  /// Change of F (nv) to the nearest load that the contacts carry with the same acceleration, at the boundary: its norm
  /// falls to zero where it begins to hold. Empty: not asked for, or not known. A search's guide, without a proof.
  std::optional<Eigen::VectorXd> nearest_load;
  std::optional<Prediction>
      prediction;           ///< what happens next, when asked for and a contact is, or may be, about to move
  std::string explanation;  ///< one sentence in words: what happens
  Failure failure;          ///< of a failing case, when words were asked for: what would help, and the motion told
  int iterations = 0;
  std::string second_engine;  ///< that decided what the given one left open; empty: none did
};

/// Decides "every contact keeps sticking" for given forces (section 4.2 of the paper, steps 1 to 8). One per thread.
class StickingChecker {
 public:
  explicit StickingChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~StickingChecker();
  StickingChecker(StickingChecker&&) noexcept;
  StickingChecker& operator=(StickingChecker&&) noexcept;

  /// @throws InputError. The overload that returns the result validates the problem, the other one takes it as valid.
  void check(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);
  StickingResult check(const ContactProblem& problem, const StickingOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
