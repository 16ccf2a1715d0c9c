#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/engine.hpp"
#include "stiction/grasp.hpp"
#include "stiction/proof.hpp"

namespace stiction {

/// Closure is a strict property, so it is told from its opposite only up to a tolerance: "holds" means that it would
/// still hold with every number of G changed by this share of itself, "fails" that it would still fail with every
/// friction coefficient larger by this share. Between them (exactly at the least friction) nothing is claimed.
inline constexpr double kClosureDoubt = 0x1p-30;   // 9.3e-10

/// Which closure. All first order: second-order immobility (curvature) is out of scope.
enum class ClosureKind {
  kForm,             ///< normals only
  kFrictionalForm,   ///< with the friction cones: every wrench can be resisted
  kForce             ///< and the hand commands every internal force: ker G and ker J_hand' meet in zero only
};

/// What judge_closure() checks.
struct ClosureProof {
  Eigen::VectorXd forces;   ///< holds: internal forces, G forces = 0, inside the cones. Fails with an empty twist (kForce):
                            ///< internal forces that the hand cannot command, J_hand' forces = 0
  Twist twist;              ///< fails: a motion of the object that no contact opposes; empty otherwise
};

/// Judges a proof from the grasp's own numbers, with no solver: the verdict it proves, or kUndecided and why not.
///
/// Holds: with a ball of radius slack_i / sqrt 2 around the forces of contact i inside its cone (tangents in units of
/// mu, torsion in units of its coefficient), the wrenches of the grasp contain G forces plus the image of those balls,
/// hence a ball of the radius of that image's smallest singular value. When it exceeds the residual G forces and
/// kClosureDoubt of the sums in each row, every wrench can be resisted: strictly interior internal force and rank in
/// one.
/// Fails: the twist is not zero and in the dual of every cone with friction (1 + kClosureDoubt) mu, up to kRounding of what the
/// forces of the cone could do at all. No grasp has certificates of both that are accepted (docs/proofs/closure.md).
/// kForce: forces and the smallest singular value of (G; J_hand') with unit columns above kClosureDoubt; fails by a
/// twist or by internal forces that do no work on any actuated degree of freedom.
/// A verdict is about the true cones: with inner facets a twist must be in the dual of the exact cone to prove "fails",
/// with outer ones the forces must be in the exact cone to prove "holds". Frictional bilateral contacts push or pull as
/// the sign of their normal force says; a twist must leave them at rest.
Verdict judge_closure(const Grasp& grasp, ClosureKind kind, const ClosureProof& proof, std::string* why = nullptr);

/// The program behind `resists`: G lambda + wrench = 0 and, when the hand is modelled, J_hand' lambda + effort =
/// hand_load within the effort limits; then the limits on normal forces. Columns: those of G, one effort per hand
/// degree of freedom, slacks. `wrench` has the rows of G, forces in N, torques in N m about the reference point.
/// `doubt` is a share by which friction, efforts and limits are enlarged. `signs` (one per contact, 0 = unrestricted)
/// chooses sides of frictional bilateral contacts.
void write_resist_program(const Grasp& grasp, const Eigen::VectorXd& wrench, double doubt, const std::vector<int>& signs,
                          ConeProgram& program);

/// Certificate of `resists`, in the rows and columns of write_resist_program.
struct ResistProof {
  Verdict claims = Verdict::kUndecided;
  std::vector<int> signs;   ///< kHolds: one per contact, see write_resist_program
  Eigen::VectorXd x;        ///< kHolds: a solution with friction smaller by kClosureDoubt; slacks are not read
  Eigen::VectorXd y;        ///< kFails: separates with friction larger by kClosureDoubt and all signs 0
};

/// As equilibrium at rest, see judge_equilibrium: forces are bounded by the loads, internal forces buy no tolerance. Efforts and
/// limits count as they are given.
Verdict judge_resists(const Grasp& grasp, const Eigen::VectorXd& wrench, const ResistProof& proof,
                      std::string* why = nullptr);

/// A free motion in words: "free to turn about the line through f1 and f2", "free to slide along (0, 0, +1)",
/// "free to turn about (0.1, 0), leaving f3". Judges nothing.
std::string describe_free_motion(const Grasp& grasp, const Twist& twist);

/// What is asked; each costs decisions of its own. A planner wants `frictional` alone.
struct ClosureOptions {
  bool form = true;
  bool frictional = true;
  bool force = true;               ///< needs a hand
  bool d = false;
  bool epsilon_l1 = false;
  bool epsilon_linf = false;
  bool minimal_friction = false;
  bool null_spaces = false;
  bool explain = true;             ///< words need memory, a planner's loop may do without
  double epsilon_gap = 0.01;       ///< wanted (upper - lower) / upper
  int epsilon_cells = 200000;      ///< cells of the direction sphere before a wider interval is returned
};

struct ClosureVerdict {
  Verdict verdict = Verdict::kUndecided;
  bool asked = false;
  std::string reason;        ///< why undecided, empty otherwise
  ClosureProof proof;
  std::string explanation;   ///< one sentence in words
};

/// lower <= true value <= upper, each end proved.
struct Certified {
  double lower = 0.0;
  double upper = kInfinity;
};

/// Least friction for frictional form closure.
struct LeastFriction {
  bool known = false;       ///< false: a decision on the way was undecided
  bool enough = false;      ///< false (and known): no friction up to 1e6 is enough
  double lower = 0.0;       ///< not closed here (0: nothing proved below)
  double upper = kInfinity; ///< closed here
};

/// Dimensions of the null spaces of G (columns that can carry force only) and J_hand, relative tolerance kClosureDoubt.
struct NullSpaces {
  int indeterminate = 0;   ///< ker G': motions of the object that no contact sees
  int graspable = 0;       ///< ker G: internal forces
  bool hand = false;       ///< the rest was computed
  int redundant = 0;       ///< ker J_hand: motions of the hand that no contact sees
  int defective = 0;       ///< ker J_hand': contact forces that the hand does not feel
  int hyperstatic = 0;     ///< both at once: internal forces that the hand cannot command
};

struct ClosureResult {
  ClosureVerdict form_closure, frictional_form_closure, force_closure;
  std::optional<Certified> form_d, d;          ///< largest d with G f = 0, slack >= d, sum of normals <= contacts. The same
                                               ///< number as Lynch and Park's over generators, for any symmetric generators;
                                               ///< empty when not asked for, or no contact pushes only
  std::optional<Certified> epsilon_l1;         ///< Ferrari and Canny, sum of normal forces <= 1
  std::optional<Certified> epsilon_linf;       ///< each normal force <= 1
  std::optional<LeastFriction> friction_factor;      ///< on every mu and torsion
  std::vector<LeastFriction> contact_friction;       ///< mu of each contact alone, others as given; for contacts with tangents
  std::optional<NullSpaces> null_spaces;
};

struct ResistResult {
  Verdict verdict = Verdict::kUndecided;
  std::string reason;
  ResistProof proof;
  Eigen::VectorXd forces;    ///< holds: lambda; else zero
  Eigen::VectorXd efforts;   ///< holds, per degree of freedom of the hand; else zero
  Twist twist;               ///< fails: motion of the object that the wrench drives and no force opposes; else empty
};

/// Closed in this share of draws with uncertain contacts.
struct ClosureRate {
  std::uint64_t seed = 0;
  int samples = 0, holds = 0, fails = 0, undecided = 0;
  double rate = 0.0;                 ///< holds / samples
  double lower = 0.0, upper = 1.0;   ///< Wilson interval, 95 %; undecided draws count against the lower end only
};

/// Independent normal errors per contact. A common error of the object's pose alone moves no verdict.
struct ContactNoise {
  double position = 0.0;   ///< standard deviation of each coordinate of a point, m
  double angle = 0.0;      ///< standard deviation of each of the two tilts of a normal, rad
  int samples = 1000;
  std::uint64_t seed = 1;
};

/// Decides closure. One per thread; asked the same again about a grasp of the same size, it allocates nothing with the
/// native engine (words and numbers aside).
class ClosureChecker {
 public:
  explicit ClosureChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~ClosureChecker();
  ClosureChecker(ClosureChecker&&) noexcept;
  ClosureChecker& operator=(ClosureChecker&&) noexcept;

  /// `grasp` must be valid (set_grasp makes it so; else call validate()).
  void check(const Grasp& grasp, const ClosureOptions& options, ClosureResult& result);
  ClosureResult check(const Grasp& grasp, const ClosureOptions& options = {});

  /// For planners: only whether the grasp has frictional form closure, proved.
  Verdict closed(const Grasp& grasp);
  Verdict closed(const std::vector<GraspContact>& contacts, const WrenchConvention& convention = {});

  /// Whether the contacts balance a wrench on the object: rows of G, N and N m about the reference point (gravity: at
  /// the centre of mass). @throws InputError when its size differs or an entry is not finite.
  void resists(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result);
  ResistResult resists(const Grasp& grasp, const Eigen::VectorXd& wrench);

  /// Share of draws in which frictional form closure holds. The same numbers on every platform for a given seed, up to
  /// draws within rounding of the boundary.
  ClosureRate rate(const std::vector<GraspContact>& contacts, const WrenchConvention& convention,
                   const ContactNoise& noise);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
