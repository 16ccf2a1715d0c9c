#pragma once

#include "ask/hold_search.hpp"
#include "stiction/equilibrium.hpp"

namespace stiction {

/// Everything a check of (EQ) needs besides the problem; sized by the first call.
struct EquilibriumChecker::Workspace : internal::HoldSearch {
  Judge judge;

  /// Takes the numbers of a problem and checks that its contacts stick under a. `columns` as for MultiplierSet::build.
  void load(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape, int branch_limit,
            const Eigen::MatrixXd* columns = nullptr, bool keep_bounds = false);

  void check(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
             EquilibriumResult& result);
  /// Parts that nothing connects, one by one, when the whole is undecided; false: still undecided. Margins stay as they are.
  bool check_by_parts(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
                      EquilibriumResult& result);

  /// The verdict of the loads at hand with its judged certificate; `reason` when undecided.
  Verdict decide_and_judge(Certificate& certificate, std::string& reason);
  /// The certificate of the forces in `witness`; efforts that rounding put beyond a limit are put back.
  void write_forces(Certificate& certificate);
  /// The certificate of what the search found, holds or fails.
  void write_certificate(Verdict found, Certificate& certificate);
  void write_efforts(const Eigen::VectorXd& lambda, Eigen::VectorXd& efforts) const;
  Verdict judged(const Certificate& certificate, Verdict claimed, std::string& reason);

  double carried_load() const;
  double set_effort_room();

  // equilibrium_margins.cpp
  void friction_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void effort_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void push_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void ball_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void generators_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  /// Back to the loads, signs and forces of the verdict.
  void restore();
  void zero_slope();

  Eigen::VectorXd a;                ///< prescribed acceleration, nv
  std::vector<int> motors_of_dof;   ///< how many, per degree of freedom
  internal::Loads loads, slope;
  internal::LineCast line;
  std::vector<int> held_signs;      ///< signs and forces of the verdict "holds"
  Eigen::VectorXd held_forces;
  Eigen::VectorXd effort_room;
  Eigen::VectorXd shallow;          ///< admissible forces, before they are moved deeper into the cones
};

}  // namespace stiction
