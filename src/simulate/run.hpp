// One simulation: steps, the events that cut them, and what is told of both.
#pragma once

#include <set>

#include "simulate/motion.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/impact.hpp"
#include "stiction/simulator.hpp"
#include "stiction/sliding.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

inline bool has_friction(const Contact& contact) { return contact.tangents > 0 && contact.mu > 0.0; }

class SimulationRun {
 public:
  SimulationRun(Motion& motion, const SimulatorOptions& options);
  Simulation run(double seconds);

 private:
  struct Trial {
    Motion::End end;
    Instant instant;
    Eigen::VectorXd gaps;
    bool event = false;
  };

  using Kind = SimulationEvent::Kind;
  using Index = std::size_t;

  void start();
  bool ask_verdict();
  void advance(double step);
  void end_here();
  void attempt(double step, Trial& trial);
  bool has_event(const Trial& trial) const;
  void accept(const Trial& trial);
  std::vector<int> closing(const Trial& trial) const;
  void step_through(double step);

  // run_events.cpp
  void settle();
  bool hit();
  void classify();
  bool follow_laws();
  void evaluate();
  bool stop_soft_finger(const Contact& contact);
  void give_up();
  static double gives_way(const Instant& instant, Index motor);
  void close(const std::vector<int>& features);
  void open(const std::vector<int>& features);
  void count();
  void stop(SimulationOutcome outcome, const std::string& reason);
  bool stopped() const { return told_.outcome != SimulationOutcome::kDone; }

  void tell(Kind kind, int contact, double value = 0.0);
  void tell_rest();
  void record();

  Motion& motion_;
  Touching& touching_;
  SimulatorOptions options_;
  Simulation told_;
  double time_ = 0.0;
  SceneState state_;
  Instant instant_;
  Eigen::VectorXd gaps_;
  StickingChecker sticking_;
  EquilibriumChecker equilibrium_;
  SlidingChecker slidings_;
  ImpactChecker impacts_checker_;
  double energy_ = 0.0;                      ///< at the start
  SimulationStep now_;                       ///< sums and numbers of the step at hand
  int impacts_ = 0, cuts_ = 0;               ///< within the step
  std::set<int> sliding_, slowed_, moving_;  ///< contacts that slip, have slipped; joints that their motors do not hold
  bool moved_ = false;                       ///< since it rested
};

}  // namespace stiction::internal
