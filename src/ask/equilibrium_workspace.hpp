#pragma once

#include "ask/contact_reports.hpp"
#include "ask/internal_forces.hpp"
#include "ask/shown_forces.hpp"
#include "ask/slack.hpp"
#include "stiction/equilibrium.hpp"

namespace stiction {

namespace internal {

/// The entry that owns a row of J, and its name.
std::string owner_of(const ContactProblem& problem, Eigen::Index row, std::string& name);

/// Limits σ [lower, upper] of every motor whose limits contain zero, as loads from + t slope with t = -σ, and the loads
/// without them; false: there are none.
bool scale_limits(const Loads& loads, const ContactProblem& problem, Loads& from, Loads& slope, Loads& unlimited);

}  // namespace internal

/// Everything a check of (EQ) needs besides the problem; sized by the first call.
struct EquilibriumChecker::Workspace {
  /// Takes the numbers of a problem and checks that its contacts stick under a.
  void load(const ContactProblem& problem, const Eigen::VectorXd& a, const ConeShape& shape, int branch_limit,
            bool keep_bounds = false);

  void check(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
             EquilibriumResult& result);
  /// Of a sparse problem, by the sparse engine (equilibrium_sparse.cpp).
  void check_sparse(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
                    EquilibriumResult& result);
  /// Parts that nothing connects, one by one, when the whole is undecided; false: still undecided. Margins stay as they
  /// are.
  bool check_by_parts(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
                      EquilibriumResult& result);

  /// What another engine decides, if it does.
  void ask_second_engine(const ContactProblem& problem, const Eigen::VectorXd& a, const EquilibriumOptions& options,
                         EquilibriumResult& result) const;

  /// Can the loads at hand be held?
  internal::HoldProblem hold_problem() { return {set, loads, nullptr, {}, branch_limit}; }
  /// The verdict of the loads at hand with its judged certificate; `reason` when undecided.
  Verdict decide_and_judge(Certificate& certificate, std::string& reason);
  /// The certificate of the forces found.
  void write_forces(Certificate& certificate);
  /// The certificate of what was found, holds or fails.
  void write_certificate(Certificate& certificate);
  void write_efforts(const Eigen::VectorXd& lambda, Eigen::VectorXd& efforts) const;
  double shared_effort(std::size_t motor, const Eigen::VectorXd& lambda, const Eigen::VectorXd& efforts) const;
  Verdict judged(const Certificate& certificate, Verdict claimed, std::string& reason);
  void deepen(EquilibriumResult& result);
  bool fails_within(const ContactProblem& problem, double tolerance, Certificate& certificate, std::string& why);
  /// Judges again, about data within a tolerance.
  void tolerate(const ContactProblem& problem, double tolerance, EquilibriumResult& result);

  double carried_load() const;
  double set_effort_room();

  // equilibrium_margins.cpp
  void friction_margin(EquilibriumResult& result);
  void show_forces(EquilibriumResult& result, double least);
  void show_forces_of_failure(EquilibriumResult& result, double least);
  void show_forces_of_weakness(EquilibriumResult& result);
  void effort_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void push_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void ball_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  void generators_margin(const EquilibriumOptions& options, EquilibriumResult& result);
  bool set_generator_slope(Margin& margin);

  internal::HoldWorkspace search;
  Judge judge;
  internal::PartForces part_forces;
  const ContactProblem* problem = nullptr;
  ConeShape shape;
  int branch_limit = 4096;
  Eigen::VectorXd a;               ///< prescribed acceleration, nv
  std::vector<int> motors_of_dof;  ///< how many, per degree of freedom
  std::vector<char> detaching;     ///< nobody
  internal::Loads loads, slope;
  internal::MultiplierSet set;
  internal::HoldAnswer found;      ///< of the verdict
  internal::HoldAnswer trial;      ///< of a margin
  Certificate with_most_friction;  ///< of failure, when margins found one
  internal::SlackSearch slack;
  internal::ShownForces shown_forces;
  internal::LineCaster caster;
  internal::LineCast line;
  internal::InternalForces internal_forces;
  Eigen::VectorXd effort_room;
  Eigen::VectorXd shallow;  ///< admissible forces, before they are moved deeper into the cones
};

}  // namespace stiction
