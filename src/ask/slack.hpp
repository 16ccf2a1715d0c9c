#pragma once

#include "ask/line_cast.hpp"

namespace stiction::internal {

/// Moves forces that hold deeper into their cones. Workspace, one per thread.
class SlackSearch {
 public:
  struct Depth {
    double slack = 0.0;  ///< N: every contact could lose that much normal force and stay in its cone
    bool any = false;    ///< there is some
  };

  /// To the largest common slack. Efforts keep `effort_room` (nv, per newton of slack; optional) from their bounds.
  /// With `any_slack` only whether there is some.
  Depth deepen(const HoldProblem& problem, const Eigen::VectorXd* effort_room, bool any_slack, HoldWorkspace& workspace,
               HoldAnswer& held, double relative_gap = 1e-6);

  /// To forces with that much slack (N), by one decision; false: there are none, the forces stay.
  bool give(const HoldProblem& problem, const Eigen::VectorXd* effort_room, double slack, HoldWorkspace& workspace,
            HoldAnswer& held);

 private:
  double weigh_contacts(const MultiplierSet& set, const HoldAnswer& held);
  void set_slope(const HoldProblem& problem, const Eigen::VectorXd* effort_room);
  bool try_slack(const HoldProblem& problem, double slack, HoldWorkspace& workspace, HoldAnswer& held);
  bool put_back(const HoldProblem& problem, const Eigen::VectorXd& forces, double t, HoldAnswer& held);
  bool set_aside_stuck_contacts(const ContactProblem& problem);

  std::vector<double> weights_;  ///< per contact: the sign of its cone, 0: no part in the common slack
  Loads at_, slope_;
  LineCaster caster_;
  LineCast line_;
  HoldAnswer trial_;
  Eigen::VectorXd shifted_;
};

}  // namespace stiction::internal
