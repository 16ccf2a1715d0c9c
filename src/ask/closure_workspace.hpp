#pragma once

#include "ask/equilibrium_workspace.hpp"
#include "base/linear_algebra.hpp"
#include "proof/closure_proof.hpp"
#include "solve/cast.hpp"
#include "solve/closure_newton.hpp"
#include "stiction/closure.hpp"

namespace stiction {

/// Which forces the wrenches of epsilon may use: normal forces of sum 1, or each up to 1.
enum class HullNorm { kL1, kLinf };

/// Everything a check needs besides the grasp; sized by the first call.
struct ClosureChecker::Workspace {
  std::unique_ptr<Engine> engine;

  // closure.cpp: the verdicts
  Verdict decide(const Grasp& grasp, ClosureKind kind, ClosureProof& proof);
  Verdict decide_signs(const Grasp& grasp, ClosureKind kind, const std::vector<int>& signs, ClosureProof& proof);
  bool gives_way(const Grasp& grasp, ClosureKind kind, const std::vector<int>& signs, const Twist& twist);
  bool find_wrench(const Grasp& grasp, ClosureKind kind, Twist& wrench);
  bool separate(const Grasp& grasp, Twist& wrench);
  bool drive(const Grasp& grasp, ClosureKind kind, const Twist& wrench, MotionLeaf& own);
  void write_program(const Grasp& grasp, ClosureKind kind, const std::vector<int>& signs);
  void write_cones(const Grasp& grasp, ClosureKind kind, const std::vector<int>& signs);
  void write_rows(const Grasp& grasp);
  bool weakest_direction(const Eigen::MatrixXd& rows, internal::PivotedQr& qr);
  void weakest_twist(const Eigen::VectorXd& forces, Twist& twist);
  void check(const Grasp& grasp, ClosureKind kind, const ClosureOptions& options, ClosureVerdict& result);
  void check_force(const Grasp& grasp, const ClosureVerdict& frictional, const ClosureOptions& options,
                   ClosureVerdict& result);
  bool uncommandable_force(const Grasp& grasp, Eigen::VectorXd& forces);
  void resists(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result);
  bool find_resisting_forces(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result);
  bool find_unresisted_motion(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result);
  bool resists_as_equilibrium(const Grasp& grasp, const Eigen::VectorXd& wrench, ResistResult& result);

  // closure_numbers.cpp
  Margin largest_slack(const Grasp& grasp, ClosureKind kind);
  Margin least_friction(const Grasp& grasp, int contact);
  double friction_reach(const Grasp& grasp, int contact, const Twist& twist) const;
  const Grasp& with_friction(const Grasp& grasp, int contact, double friction);
  NullSpaces null_spaces(const Grasp& grasp);

  // epsilon.cpp
  Margin epsilon(const Grasp& grasp, HullNorm norm, const ClosureOptions& options);

  internal::ClosureNewton newton;
  ConeProgram program;
  std::vector<int> carrying;  ///< columns of G that can carry force
  std::vector<int> signs;
  std::vector<double> torsion_unit;  ///< per cone of the program
  Twist weakest;
  MotionLeaf leaf;
  std::vector<MotionLeaf> leaves;
  ConeAnswer answer;
  internal::ClosureScratch scratch;
  internal::ResistScratch resist_scratch;
  EquilibriumChecker::Workspace equilibrium;
  EquilibriumResult found;
  ContactProblem resist_problem;
  Eigen::VectorXd weight, row_size, direction;
  Eigen::MatrixXd weighted, stacked;
  internal::PivotedQr weighted_qr, stacked_qr;
  Grasp drawn, varied;  ///< from contacts; with other friction
  ClosureProof trial_proof;
  internal::Caster caster{judge_claim};
  internal::Cast cast;
};

}  // namespace stiction
