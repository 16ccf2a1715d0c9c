#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <vector>

#include "stiction/proof/sliding.hpp"
#include "stiction/scenario.hpp"
#include "stiction/scene.hpp"

namespace stiction {

struct SimulatorOptions {
  double step = 1e-3;  ///< s; what happens within it is found by bisection
  /// Impacts within one step from which on bounces are no longer followed one by one: contacts close for good.
  int most_impacts = 8;
  bool count_solutions = true;  ///< whether the laws have one solution, where contacts slide or hit
  int record = 1;               ///< every so many steps are kept, besides the first and last
};

/// What one contact, or stop of a joint, does at an instant.
struct SimulatedContact {
  enum class State { kOpen, kSticks, kSlips } state = State::kOpen;
  double gap = 0.0;                                 ///< m (rad); the distance that stabilisation has left, where closed
  Eigen::Vector4d force = Eigen::Vector4d::Zero();  ///< normal, t1, t2 (N), torsion (N m)
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();  ///< on the contact's `link`, N; not of stops
  Eigen::Vector3d point_W = Eigen::Vector3d::Zero();  ///< m; not of stops
  double slip = 0.0;                                  ///< m/s along the surface
};

struct SimulationStep {
  double time = 0.0;                       ///< s
  SceneState state;                        ///< with the acceleration that follows
  Eigen::VectorXd joints;                  ///< positions of Simulation::joints, rad or m
  std::vector<Eigen::Isometry3d> bodies;   ///< Simulation::bodies in the world
  std::vector<SimulatedContact> contacts;  ///< as Simulation::contacts
  double kinetic = 0.0, potential = 0.0;   ///< J
  /// Since the start: what loads and motors did, what friction took, and what impacts took, J.
  double work = 0.0, friction_loss = 0.0, impact_loss = 0.0;
  double imbalance = 0.0;   ///< J: how far the energies of above are from adding up; the error of integration
  double residual = 0.0;    ///< of the laws, as Prediction::residual
  double stabilised = 0.0;  ///< m: largest distance that stabilisation took out in this step
  SolutionCount count = SolutionCount::kUndecided;  ///< of the laws for the acceleration
};

struct SimulationEvent {
  enum class Kind {
    kLifts,
    kHits,          ///< value: speed of approach, m/s (rad/s)
    kSlips,         ///< begins to
    kSticks,        ///< ends to slip
    kMoves,         ///< a joint that its motor or brake held
    kHeld,          ///< one that it holds again
    kStepsThrough,  ///< bounces are no longer followed one by one; value: how many there were in this step
    kRests,         ///< nothing moves any more, and nothing will
    kGains          ///< an impact whose law makes energy; value: J
  } kind = Kind::kLifts;
  double time = 0.0;
  int contact = -1;  ///< in Simulation::contacts; of a joint: its degree of freedom
  double value = 0.0;
};

enum class SimulationOutcome {
  kDone,
  kNoSolution,  ///< the laws of rigid bodies contradict each other from here on
  kSeveral,     ///< they allow several futures
  kGaveUp       ///< no solution was found, and none excluded; or the laws do not cover what happens
};

/// A prediction, not a proof: motion in time from a scenario's state.
struct Simulation {
  struct Contact {
    std::string name;
    std::string link, on;  ///< as of a ContactDescription; of the stop of a joint: its model and empty
    int source = -1;       ///< index in the scenario's contacts; -1: found as things moved
    bool rolls = false;    ///< one of its surfaces is round
    bool stop = false;     ///< of a joint
  };
  std::string name;  ///< of the scenario
  std::vector<Contact> contacts;
  struct Joint {
    std::string model, joint;
    int dof = 0;  ///< in SceneState::v
  };
  std::vector<Joint> joints;        ///< of one degree of freedom
  std::vector<std::string> bodies;  ///< "model/link" of what is free, or moves in a plane: roots, links of such joints
  std::vector<std::string> dofs;    ///< of SceneState::v
  std::vector<SimulationStep> steps;
  std::vector<SimulationEvent> events;
  SimulationOutcome outcome = SimulationOutcome::kDone;
  std::string reason;  ///< why it ended early
  double time = 0.0;   ///< reached, s
  /// Whether every contact can stick or leave at the start (all_sticking with `detachment: free`), or where motors have
  /// limits whether they find efforts that keep it there (equilibrium), and whether the simulation's contacts and
  /// motors did. Undecided also when it was not asked, as something moves.
  Verdict verdict = Verdict::kUndecided;
  Question asked = Question::kAllSticking;
  bool sticks = false;
  std::vector<std::string> warnings;

  bool disagrees() const { return verdict != Verdict::kUndecided && sticks != (verdict == Verdict::kHolds); }
};

/// "tips: left lifts at 0 s, torso hits ground at 0.62 s (3.1 m/s)": one sentence.
std::string story_of(const Simulation& simulation);
/// As `stiction simulate` prints it, at most 80 columns.
std::string to_text(const Simulation& simulation);
/// As `stiction simulate --json` writes it. Ends with a newline.
std::string to_json(const Simulation& simulation);
/// A row per step that was kept: time, places, energies, and per contact of the scenario its state, gap and force.
std::string to_csv(const Simulation& simulation);

/// What happens next, from the state of a scenario: rigid bodies with exact Coulomb friction and Newton's restitution.
///
/// Between events the accelerations of predict() are integrated with a commutator-free Lie-group method of order 4
/// (Celledoni, Marthinsen, Owren 2003). Where a contact opens, closes, slips or sticks the step is cut; impacts have
/// the laws of ImpactLaw. Beyond SimulatorOptions::most_impacts the rest of a step is one step of time,
///
///   min ½ |v+ - v_free|²_M   such that   gap/h + J v+ >= 0, with Coulomb's law for impulses.
///
/// A contact given by hand is a corner of the body of its `at_frame` on a face without end of the other one, or, with
/// `radius` or `on_radius`, a ball or cylinder on a face or ball. On a `ground` or an obstacle that is a plane, corners
/// and balls of all collision shapes may come to touch. One per thread.
class Simulator {
 public:
  /// @throws InputError naming the entry: what read_scenario_file's and Scene's do, matrices instead of robots, and
  /// what the laws here do not cover.
  explicit Simulator(const Scenario& scenario);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  /// From the described state. @throws InputError "for", "step", … for options out of range.
  Simulation run(double seconds, const SimulatorOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
