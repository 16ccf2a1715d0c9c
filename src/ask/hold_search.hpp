#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ask/friction_bracket.hpp"
#include "ask/multiplier_set.hpp"
#include "problem/linear_algebra.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

/// How far along a line of loads it holds: everything from the start to `lower` does, beyond `upper` not everything does.
struct LineCast : CastRange {
  Eigen::VectorXd x;                ///< the forces at `lower`, columns of the multiplier set
  std::vector<MotionLeaf> leaves;   ///< the failing search that gave `upper`; empty: none did
};

struct LineOptions : CastOptions {
  bool same_signs = false;       ///< only forces with the signs at the start: a convex piece
  bool bounded = false;          ///< known to end before the cap or not to matter: do not look for rays
};

/// What the questions about forces have in common: do the multipliers of a set meet the cones, how far inside, with how
/// little friction, how uniquely? Finds; the judge has the last word. Sized by the first call, one per thread.
struct HoldSearch {
  std::unique_ptr<Engine> engine;
  const ContactProblem* problem = nullptr;
  ConeShape shape;
  int branch_limit = 4096;
  MultiplierSet multipliers;
  std::vector<char> detaching;

  // What the last search found.
  std::vector<int> signs;          ///< of the branch at hand; after "holds" those of the witness
  std::vector<MotionLeaf> leaves;  ///< certificates of the last failing search
  Eigen::VectorXd witness;         ///< in the columns of `multipliers`
  std::string undecided_reason;
  ConeAnswer answer;
  int nodes = 0, iterations = 0;

  /// Depth-first search over the signs of bilateral contacts.
  Verdict decide_signs(const Friction& friction = {});
  /// What the engine claims where no signs have to be searched, not proved; undecided elsewhere.
  Verdict claim_signs();
  /// The same as decide_signs with these signs kept; contacts with sign 0 that need one are searched.
  Verdict decide_from(const std::vector<int>& kept, const Friction& friction = {});

  /// From a load that holds at `start` with the forces `witness` and `signs`, along from + t slope. Leaves the set at `from`.
  void cast(const Loads& from, const Loads& slope, double start, const LineOptions& options, LineCast& result);

  /// How much a leaf's motion is driven beyond what everything can supply; positive: it proves failure. Linear in the loads.
  double gain(const MotionLeaf& leaf, const Loads& loads) const;

  /// Turns the leaves towards motions along which every contact clearly separates, at the cost of half of what drives them, where
  /// there are such motions: the contacts then cannot supply even what rounding would leave to them. False: there are none.
  bool sharpen(std::vector<MotionLeaf>& sharpened, const Loads& loads);
  /// A motion `away` (nv) that no force of the leaf's signs opposes, that does not see the columns `unseen` (nv x n) and that
  /// separates every contact: by Farkas' lemma there is one unless contacts can press against each other, sum of normal forces = 1
  /// with J'lambda = unseen z.
  bool separate_contacts(const MotionLeaf& leaf, const Eigen::MatrixXd& unseen, Eigen::VectorXd& away);
  /// Adds to the leaf's motion as little of `away` as makes every contact of these signs separate clearly. False: it does not.
  bool turn(MotionLeaf& leaf, const Eigen::VectorXd& away) const;

  struct Depth {
    double slack = 0.0;    ///< N: every contact could lose that much normal force and stay in its cone
    bool strict = false;   ///< there is some
  };
  /// Moves the witness to the largest common slack. Efforts keep `effort_room` (nv, per newton of slack; optional) from
  /// their bounds. With `any_slack` only whether there is some.
  Depth deepen(const Loads& loads, const Eigen::VectorXd* effort_room, bool any_slack, double relative_gap = 1e-6);

  /// Moves the witness to forces with that much slack (N), by one decision; false: there are none, the witness stays.
  bool give_slack(const Loads& loads, const Eigen::VectorXd* effort_room, double slack);

  /// Empty, or why the forces lambda are too near to a rim to claim anything.
  std::string doubt_of_the_rim(const Eigen::VectorXd& lambda) const;

  void report_contacts(const Eigen::VectorXd& lambda, Verdict verdict, std::vector<ContactReport>& reports) const;

  /// Columns minus rank of the contacts and closures that stay, and the internal forces themselves.
  int indeterminacy();
  bool force_unique(size_t contact) const;

  /// Smallest factor on every mu (contact < 0), or smallest mu of one contact alone, with which it holds.
  FrictionBracket smallest_friction(int contact, double known_holding);

  void recycle(std::vector<MotionLeaf>& used);

  Caster caster;
  Cast interval_cast;
  Eigen::VectorXd direction, shifted;
  Eigen::MatrixXd null_space;      ///< internal forces: rows of the balance times null_space = 0

 private:
  Verdict decide_next(const std::vector<int>& kept);   ///< decide_from, for loads along a line
  Verdict decide_program(const Friction& friction);
  bool fails_with_more(const Friction& friction);
  Verdict decide_node(const Friction& friction);
  double friction_needed(const Friction& friction) const;
  double weigh_contacts();
  void set_slack_slope(const Loads& loads, const Eigen::VectorXd* effort_room);
  bool slack_at(const Loads& loads, double slack);
  bool put_back(const Eigen::VectorXd& x, double t);

  ConeProgram separation_;
  ConeAnswer separation_answer_;
  std::vector<MotionLeaf> spare_leaves_;   ///< used ones, kept for their memory
  std::vector<int> start_signs_, witness_signs_;
  bool claims_only_ = false;       ///< what the engine says is not proved
  bool in_sequence_ = false;       ///< this decision differs from the last mostly in its load
  std::uint64_t decided_build_ = 0;   ///< multipliers.builds() at the last decision
  Loads at_, slope_;
  LineCast deep_;
  std::vector<double> slack_weights_;   ///< per contact: the sign of its cone, 0: no part in the common slack
  Eigen::MatrixXd active_rows_;     ///< rows of the balance, unit columns
  PivotedQr rank_qr_;
};

}  // namespace stiction::internal
