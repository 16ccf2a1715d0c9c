#pragma once

#include "ask/contact_reports.hpp"
#include "ask/internal_forces.hpp"
#include "ask/shown_forces.hpp"
#include "ask/slack.hpp"
#include "base/linear_algebra.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// Everything a check needs besides the problem; sized by the first call.
struct StickingChecker::Workspace {
  void check(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);

  /// Parts that nothing connects, one by one, when the whole is undecided; false: still undecided. Margins and repairs
  /// stay unknown.
  bool check_by_parts(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);

  /// What another engine decides, if it does.
  void ask_second_engine(const ContactProblem& problem, const StickingOptions& options, StickingResult& result) const;

  // sticking_modes.cpp: contacts that are free once they leave
  void check_free(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);
  bool holds_leaving(const ContactProblem& problem, const StickingOptions& options, const ContactProblem& stays,
                     const std::vector<int>& leaving, const StickingResult& one, StickingResult& result);
  void free_intervals(StickingResult& result);
  void free_margins(StickingResult& result);
  Certificate refutation(const ContactProblem& problem, const StickingOptions& options, const std::vector<int>& leaving,
                         const StickingResult& one);

  /// The sentence about a decided case.
  void explain(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);

  // sticking.cpp: the decision
  void start(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);
  bool solve_motion(StickingResult& result);
  void load_gauss();
  void scatter_multipliers(Eigen::VectorXd& lambda) const;
  void drop_noise(Eigen::VectorXd& a, Eigen::VectorXd& lambda);
  bool balanced(const Eigen::VectorXd& a, const Eigen::VectorXd& lambda);
  bool settle(Eigen::VectorXd& a, const Eigen::VectorXd& lambda);
  void set_carried_load(const Eigen::VectorXd& lambda);
  void meet_cones(StickingResult& result);
  bool lighten(StickingResult& result, bool slowly);
  void prove_holds(StickingResult& result);
  void prove_fails(StickingResult& result);
  void prove_fails_with_more(StickingResult& result);
  bool multiplier_admissible(StickingResult& result);
  internal::HoldProblem hold_problem() { return {set, loads, nullptr, {}, options->branch_limit}; }
  Verdict judged(StickingResult& result, Verdict claimed);
  Verdict judged_forces(StickingResult& result);
  void doubt(StickingResult& result) const;

  // sticking_refine.cpp
  void refine(Eigen::VectorXd& a, Eigen::VectorXd& lambda) const;

  // sticking_structure.cpp: uniqueness
  void factor_mass();
  bool acceleration_unique();

  // sticking_margins.cpp: intervals, friction, repairs, words
  void settle_load();
  void show_forces(StickingResult& result, const internal::FrictionBracket& least);
  void intervals(StickingResult& result);
  bool admissible_patterns(std::vector<std::vector<int>>& patterns);
  void widen_intervals(const std::vector<int>& pattern, std::vector<ContactReport>& contacts);
  internal::FrictionBracket common_friction(const StickingResult& result);
  internal::FrictionBracket friction_by_verdicts();
  void friction_margin(StickingResult& result);
  void repairs(StickingResult& result);
  void repairing_frictions(bool none, StickingResult& result);
  void repairing_force(StickingResult& result);
  std::optional<Eigen::VectorXd> nearest_load(const std::vector<MotionLeaf>& leaves, double room,
                                              const std::vector<int>& dofs);
  bool repaired_by_friction(double factor);
  Verdict verdict_as(const ContactProblem& changed);
  bool holds_as(const ContactProblem& changed) { return verdict_as(changed) == Verdict::kHolds; }

  internal::HoldWorkspace search;
  Judge judge;
  internal::PartForces part_forces;
  const ContactProblem* problem = nullptr;
  const StickingOptions* options = nullptr;
  std::vector<char> detaching;
  internal::MultiplierSet set;
  internal::HoldAnswer found;      ///< of the verdict
  internal::HoldAnswer trial;      ///< with other friction
  Certificate with_most_friction;  ///< of failure, when margins found one
  internal::SlackSearch slack;
  internal::ShownForces shown_forces;
  internal::InternalForces internal_forces;
  internal::Caster caster{judge_claim};
  internal::Cast cast;
  Eigen::VectorXd direction;
  std::vector<int> equality_rows, inequality_rows;
  GaussProgram gauss;
  GaussAnswer gauss_answer;
  internal::Loads loads;
  Eigen::VectorXd row_scale;
  Eigen::VectorXd shallow;    ///< admissible forces, before they are moved deeper into the cones
  Eigen::MatrixXd unit_mass;  ///< M with a unit diagonal
  bool mass_definite = false;
  Eigen::VectorXd mass_scale, imbalance;
  internal::Cholesky mass_cholesky;
  ConeProgram extended;  ///< with one row more, for force intervals
};

}  // namespace stiction
