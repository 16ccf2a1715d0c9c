#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "ask/multiplier_set.hpp"
#include "stiction/sticking.hpp"

namespace stiction {

/// Everything a check needs besides the problem; sized by the first call.
struct StickingChecker::Workspace {
  std::unique_ptr<Engine> engine;
  Judge judge;

  void check(const ContactProblem& problem, const StickingOptions& options, StickingResult& result);

  // sticking.cpp: the decision
  void load_gauss();
  void scatter_multipliers(Eigen::VectorXd& lambda) const;
  void drop_noise(Eigen::VectorXd& a, Eigen::VectorXd& lambda);
  bool balanced(const Eigen::VectorXd& a, const Eigen::VectorXd& lambda);
  void settle(Eigen::VectorXd& a, const Eigen::VectorXd& lambda);
  bool multiplier_admissible(StickingResult& result);
  Verdict judged(StickingResult& result, Verdict claimed);
  void recycle(std::vector<MotionLeaf>& used);
  Verdict decide_signs(const internal::Friction& friction);
  Verdict decide_node(const internal::Friction& friction);
  void deepen(StickingResult& result);
  void doubt_the_rim(StickingResult& result);
  void report_contacts(StickingResult& result);

  // sticking_structure.cpp: uniqueness and indeterminacy
  void factor_mass();
  bool acceleration_unique();
  int indeterminacy();
  bool force_unique(size_t contact) const;

  // sticking_margins.cpp: intervals, friction, repairs, words
  void intervals(StickingResult& result);
  void friction_margin(StickingResult& result);
  void repairs(StickingResult& result);
  std::optional<double> smallest_friction(int contact, double known_holding, bool& known);
  double friction_needed(const internal::Friction& friction) const;
  std::string describe_holding(const StickingResult& result) const;

  const ContactProblem* problem = nullptr;
  const StickingOptions* options = nullptr;
  std::vector<int> equality_rows, inequality_rows;
  GaussProgram gauss;
  GaussAnswer gauss_answer;
  std::vector<char> detaching;
  internal::MultiplierSet multipliers;
  ConeAnswer answer;
  std::vector<int> signs;          ///< of the branch at hand; after "holds" those of the witness
  std::vector<MotionLeaf> leaves;  ///< certificates of the last failing search
  std::vector<MotionLeaf> spare_leaves;   ///< used ones, kept for their memory
  std::string undecided_reason;
  int nodes = 0, iterations = 0;
  Eigen::VectorXd witness;         ///< in the columns of `multipliers`
  internal::Caster caster;
  internal::Cast cast;
  std::vector<double> slack_weights;
  Eigen::VectorXd load, load_scale, row_scale, direction, shifted, shifted_load;
  Eigen::MatrixXd active_rows;     ///< J' of the contacts that stay, nv x columns
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> rank_qr;
  Eigen::MatrixXd unit_mass;       ///< M with a unit diagonal
  bool mass_definite = false;
  Eigen::VectorXd mass_scale, imbalance;
  Eigen::LLT<Eigen::MatrixXd> mass_cholesky;
  Eigen::MatrixXd pivoted_null_space;
  Eigen::MatrixXd null_space;      ///< internal forces: active_rows * null_space = 0
  ConeProgram extended;            ///< with one row more, for force intervals
};

}  // namespace stiction
