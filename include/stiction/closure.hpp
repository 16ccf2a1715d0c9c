#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/engine.hpp"
#include "stiction/grasp.hpp"
#include "stiction/margin.hpp"
#include "stiction/proof/closure.hpp"

namespace stiction {

/// What is asked; each costs decisions of its own. A planner wants `frictional` alone.
struct ClosureOptions {
  bool form = true;
  bool frictional = true;
  bool force = true;  ///< needs a hand
  bool d = false;
  bool epsilon_l1 = false;
  bool epsilon_linf = false;
  bool minimal_friction = false;
  bool null_spaces = false;
  bool explain = true;         ///< words need memory, a planner's loop may do without
  double epsilon_gap = 0.01;   ///< wanted (upper - lower) / upper
  int epsilon_cells = 200000;  ///< cells of the direction sphere before a wider interval is returned
  /// Epsilon is only compared with numbers: stop as soon as it is proved to be at least the first, or below the second.
  /// It is then kUndecided, with what was proved until then.
  std::optional<double> epsilon_at_least = {}, epsilon_stop_below = {};
};

struct ClosureVerdict {
  Verdict verdict = Verdict::kUndecided;
  bool asked = false;
  std::string reason;  ///< why undecided, empty otherwise
  ClosureProof proof;
  std::string explanation;  ///< one sentence in words
};

/// Dimensions of the null spaces of G (columns that can carry force only) and J_hand, relative tolerance kClosureDoubt.
struct NullSpaces {
  int indeterminate = 0;  ///< ker G': motions of the object that no contact sees
  int graspable = 0;      ///< ker G: internal forces
  bool hand = false;      ///< the rest was computed
  int redundant = 0;      ///< ker J_hand: motions of the hand that no contact sees
  int defective = 0;      ///< ker J_hand': contact forces that the hand does not feel
  int hyperstatic = 0;    ///< both at once: internal forces that the hand cannot command
};

struct ClosureResult {
  ClosureVerdict form_closure, frictional_form_closure, force_closure;
  /// Largest d with G f = 0, slack >= d, sum of normals <= contacts. The same number as Lynch and Park's over
  /// generators, for any symmetric generators. kNone: no contact pushes only, or one that also pulls has friction.
  Margin form_d, d;
  /// Ferrari and Canny: sum of normal forces <= 1; each normal force <= 1. kNone: forces without a normal, or a contact
  /// that also pulls has friction. kUndecided: the gap asked for is not reached.
  Margin epsilon_l1, epsilon_linf;
  /// Least factor on every mu and torsion for frictional form closure: not closed at `lower` (0: nothing proved below),
  /// closed at `upper`. kNone: no factor up to 1e6 is enough.
  Margin friction_factor;
  std::vector<Margin>
      contact_friction;  ///< least mu of each contact alone, others as given; for contacts with tangents
  std::optional<NullSpaces> null_spaces;
};

struct ResistResult {
  Verdict verdict = Verdict::kUndecided;
  std::string reason;
  ResistProof proof;
  Eigen::VectorXd forces;   ///< holds: lambda; else zero
  Eigen::VectorXd efforts;  ///< holds, per degree of freedom of the hand; else zero
  Twist twist;              ///< fails: motion of the object that the wrench drives and no force opposes; else empty
};

/// Closed in this share of draws with uncertain contacts.
struct ClosureRate {
  std::uint64_t seed = 0;
  int samples = 0, holds = 0, fails = 0, undecided = 0;
  double rate = 0.0;                ///< holds / samples
  double lower = 0.0, upper = 1.0;  ///< Wilson interval, 95 %; undecided draws count against the lower end only
};

/// Independent normal errors per contact. A common error of the object's pose alone moves no verdict.
struct ContactNoise {
  double position = 0.0;  ///< standard deviation of each coordinate of a point, m
  double angle = 0.0;     ///< standard deviation of each of the two tilts of a normal, rad
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

  /// @throws InputError. The overloads that return the result validate the grasp, the others take it as valid
  /// (set_grasp makes it so).
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
