#pragma once

#include <string>
#include <vector>

#include "stiction/cone_program.hpp"
#include "stiction/contact_problem.hpp"

namespace stiction {

/// Three-valued; the default claims nothing. "holds": a solution in which every contact sticks exists. "fails": none does.
enum class Verdict { kUndecided, kHolds, kFails };

/// A verdict is about the given numbers up to relative changes of this size in each entry: residuals and violations
/// that rounding alone explains do not count, anything larger does. The same for every engine.
inline constexpr double kRounding = 0x1p-44;   // 5.7e-14

/// True when x solves the program: |E x - e|_i <= kRounding * (|E||x| + max(|e|, e_scale))_i on every row, and every cone
/// and box holds to rounding of its own entries. `why` (optional) receives the first violated condition in words.
bool proves_feasible(const ConeProgram& program, const Eigen::VectorXd& x, std::string* why = nullptr);

/// True when y separates: y'e > sup{ y'E x : x in cones x boxes x free }, where a cone or free column may violate its
/// condition only by rounding of its own product (|y|'|E|), and the strict inequality exceeds the rounding of y'e.
bool proves_infeasible(const ConeProgram& program, const Eigen::VectorXd& y, std::string* why = nullptr);

/// How a unilateral contact may leave: the paper's (65) lets it detach, (61) forbids it.
enum class Detachment { kAllowed, kForbidden };

struct StickingRules {
  ConeShape shape;
  Detachment detachment = Detachment::kAllowed;
};

/// One leaf of the sign tree over bilateral contacts: signs per contact (0 = not yet chosen: the force is unrestricted) and a
/// motion y in velocity space that no admissible force opposes while M a + F drives it.
struct MotionLeaf {
  std::vector<int> signs;   ///< one per contact, -1, 0 or +1; 0 everywhere without bilateral friction
  Eigen::VectorXd motion;   ///< nv, then one entry per contact with finite max_normal (in contact order): the price of that limit, >= 0
};

enum class CertificateKind {
  kNone,
  kForces,          ///< holds: (a, lambda) solves (65) or (61)
  kMotion,          ///< fails: (a, lambda) is the KKT pair of Gauss' principle, leaves separate the multipliers from the cones
  kContradiction,   ///< fails: the rows contradict each other; lambda is a Farkas vector: J'lambda = 0, gamma'lambda < 0
  kUnbalanced       ///< fails: nothing can balance; a is a motion with M a = 0, rows kept, F'a < 0
};

struct Certificate {
  CertificateKind kind = CertificateKind::kNone;
  Eigen::VectorXd a;         ///< nv
  Eigen::VectorXd lambda;    ///< rows, ordered as in J
  std::vector<MotionLeaf> leaves;
};

/// Judges a certificate from the problem's own numbers, with no solver: the verdict it proves, or kUndecided and why not.
/// A shape that may not prove a verdict (inner facets for "fails") never does.
Verdict judge(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
              std::string* why = nullptr);

}  // namespace stiction
