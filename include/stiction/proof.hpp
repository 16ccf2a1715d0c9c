#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/cone_program.hpp"
#include "stiction/contact_problem.hpp"
#include "stiction/verdict.hpp"

namespace stiction {

/// Backward error that counts as rounding, of a load relative to itself, of a contact's axes and lever arms relative to
/// their length: a verdict is about data within changes of this size, and says so exactly (docs/proofs.md). The same
/// for every engine.
inline constexpr double kRounding = 0x1p-44;  // 5.7e-14

/// Tolerances of data: beyond a hundredth nobody knows anything.
inline constexpr double kLargestTolerance = 0x1p-7;

/// What finders take for zero in contact accelerations J a + gamma, which come out of a linear solve. No proof of
/// sticking or equilibrium depends on it.
inline constexpr double kSolve = 0x1p-36;  // 1.5e-11

/// A contact counts as gone in a proof of "fails" only when it separates by more than this share of its scale; between
/// kSolve and kClear it is neither held to be touching nor to be gone.
inline constexpr double kClear = 0x1p-30;  // 9.3e-10

/// A prescribed acceleration agrees with a sticking row when J a + gamma is below this share of its scale: planners
/// hand over accelerations with a millionth of error, a contact that is really moving is far above.
inline constexpr double kConsistent = 0x1p-20;  // 9.5e-7

/// True when x solves the program: |E x - e|_i <= kRounding * (|E||x| + max(|e|, e_scale))_i on every row, and every
/// cone and box holds to rounding of its own entries (so f_n >= 0 holds exactly). `why` (optional) receives the
/// first violated condition in words.
bool proves_feasible(const ConeProgram& program, const Eigen::VectorXd& x, std::string* why = nullptr);

/// True when y separates: y'e > sup{ y'E x : x in cones x boxes x free }, where a cone or free column may violate its
/// condition only by rounding of its own product (|y|'|E|), and the strict inequality exceeds the rounding of y'e.
bool proves_infeasible(const ConeProgram& program, const Eigen::VectorXd& y, std::string* why = nullptr);

/// The verdict that an engine's claim proves: kHolds by the x of kFeasible, kFails by the y of kInfeasible.
Verdict judge_claim(const ConeProgram& program, const ConeAnswer& claim);

/// How a unilateral contact may leave: the paper's (65) lets it detach but keeps its tangential acceleration at zero,
/// (61) forbids it; kFree: it sticks, or leaves, and is then neither held nor carries anything.
enum class Detachment { kAllowed, kForbidden, kFree };

/// Most unilateral contacts whose ways to leave are all looked at: 2^10 combinations.
inline constexpr int kMostLeaving = 10;

struct StickingRules {
  ConeShape shape;
  Detachment detachment = Detachment::kAllowed;
};

/// One leaf of the sign tree over bilateral contacts: signs per contact (0 = the leaf serves both) and a vector y of
/// velocity space with y'(M a + F) > sup of y'J'lambda over the forces of that sign pattern: what the contacts would
/// have to supply in the direction y is more than they can. The physical failing motion is -y: applied forces drive it
/// and no admissible contact force opposes it.
struct MotionLeaf {
  std::vector<int> signs;  ///< one per contact, -1, 0 or +1; 0 for unilateral contacts
  /// y (nv), then one entry w >= 0 per contact with finite max_normal, in contact order: the price of that limit. With
  /// prices, support(J_i y) <= w_i and y'(M a + F) > sum of w_i max_normal_i.
  Eigen::VectorXd motion;
};

enum class CertificateKind {
  kNone,
  kForces,         ///< holds: (a, lambda) solves (65) or (61)
  kMotion,         ///< fails: (a, lambda) is the KKT pair of Gauss' principle (normals are equalities when detachment
                   ///< is forbidden), leaves separate the multipliers from the cones
  kContradiction,  ///< fails: rows contradict each other; lambda is a Farkas vector: J'lambda = 0, gamma'lambda < 0
  kUnbalanced,     ///< fails: nothing can balance; a is a motion with M a = 0, rows kept, F'a < 0
  kModes,          ///< fails with kFree: every choice of contacts that leave has a certificate in `modes`
  kPenetration     ///< only in `modes`: (a, lambda) is the KKT pair of what stays, and everything near it drives the
                   ///< contact `penetrating` into its surface
};

struct Certificate {
  CertificateKind kind = CertificateKind::kNone;
  Eigen::VectorXd a;       ///< nv
  Eigen::VectorXd lambda;  ///< rows, ordered as in J
  std::vector<MotionLeaf> leaves;
  Eigen::VectorXd efforts{};  ///< kForces of (EQ): one per actuator; unused otherwise
  /// With Detachment::kFree: the contacts that leave, ascending. In `modes`, a and lambda are about the problem without
  /// them (problem_without), where detachment is forbidden.
  std::vector<int> leaving{};
  int penetrating = -1;              ///< kPenetration: one of `leaving`
  std::vector<Certificate> modes{};  ///< kModes
};

/// The problem without some of its contacts, whose rows are left out of J and gamma; others keep their order.
/// `leaving`: indices of contacts, ascending.
ContactProblem problem_without(const ContactProblem& problem, const std::vector<int>& leaving);

/// Judges a certificate from the problem's own numbers, with no solver: the verdict it proves, or kUndecided and why
/// not. `problem` must be valid (M semidefinite, row ownership); sizes and finiteness of both are checked.
///
/// kHolds: there are accelerations and forces, in proportion to the loads, that solve (65) or (61) up to a backward
/// error of kRounding. kFails: there are none. docs/proofs.md has both statements with their proofs; no certificates of
/// both exist. Inner facets never prove "fails" by kMotion and outer facets never prove "holds"; kContradiction and
/// kUnbalanced involve no cone and count for every shape. With Detachment::kFree, kForces and kModes are judged as
/// docs/proofs/detachment.md says, and nothing else proves anything.
Verdict judge(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
              std::string* why = nullptr);

namespace internal {
struct JudgeScratch;
}

/// Judges a certificate of (EQ), M a + F = J'lambda + S'tau with lambda in the cones and tau within the actuators'
/// limits, for a prescribed acceleration a (nv): the whole statement is rebuilt from the problem's own numbers, with no
/// solver.
///
/// kForces: lambda and efforts solve it up to a backward error of kRounding, with forces in proportion to the loads;
/// kMotion: for every leaf y'(M a + F) exceeds what contacts, their limits and the limited efforts can supply together,
/// rounding included (docs/proofs.md). Certificate::a must equal a. Data with J a + gamma beyond kConsistent prove
/// nothing.
Verdict judge_equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                          const Certificate& certificate, std::string* why = nullptr);

/// The same with its own scratch memory, one per thread: after the first call of a given size it allocates nothing
/// (sign trees and explanations aside).
class Judge {
 public:
  Judge();
  ~Judge();
  Judge(Judge&&) noexcept;
  Judge& operator=(Judge&&) noexcept;

  Verdict operator()(const ContactProblem& problem, const StickingRules& rules, const Certificate& certificate,
                     std::string* why = nullptr);
  /// One of the `modes` of a certificate of `problem` with Detachment::kFree: true when nothing solves it.
  bool refutes_mode(const ContactProblem& problem, const ConeShape& shape, const Certificate& mode,
                    std::string* why = nullptr);

  /// judge_equilibrium.
  Verdict equilibrium(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape,
                      const Certificate& certificate, std::string* why = nullptr);
  /// The same about data that are known to `tolerance` only, which takes the place of kRounding (docs/proofs.md):
  /// kHolds: some problem that near holds; kFails: none does.
  Verdict equilibrium_within(double tolerance, const ContactProblem& problem, const Eigen::VectorXd& a,
                             const ConeShape& shape, const Certificate& certificate, std::string* why = nullptr);
  /// After a verdict kHolds: the smallest tolerance that its forces need; 0: none beyond kRounding.
  double needed_tolerance() const;

  /// Scale of J a + gamma per row: (|J| A + |gamma|)_i with A_j = L / sqrt(M_jj), L^2 = sum of load_k^2 / M_kk over the
  /// part of j, load = max(|M a + F|, |F|): the acceleration that all of its loads would give j (a massless one counts
  /// as the heaviest). Prescribed accelerations are measured by it, and what people are told.
  void row_scales(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::VectorXd& scales);

  /// The loads M a + F with the sums of the absolute values of their terms, and the row of J a + gamma furthest beyond
  /// kConsistent of its scale; -1: none, every row sticks.
  Eigen::Index load_scales(const ContactProblem& problem, const Eigen::VectorXd& a, Eigen::VectorXd& load,
                           Eigen::VectorXd& scales);

 private:
  Verdict judge_free(const ContactProblem& problem, const ConeShape& shape, const Certificate& certificate,
                     std::string* why);
  std::unique_ptr<internal::JudgeScratch> scratch_;
};

}  // namespace stiction

// Proved of a StickingResult and of an EquilibriumResult: verdict, acceleration, forces and efforts of the certificate,
// with the states and utilisations that follow from them, change, and what would help in `failure`. Not proved: what is
// unique, intervals of normal forces, indeterminacy, slack, margins, repairs, and the motion that a failure tells.
