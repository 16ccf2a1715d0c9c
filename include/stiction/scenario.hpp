#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stiction/question.hpp"
#include "stiction/scene.hpp"

namespace stiction {

/// What a contact does besides touching; only some questions look at it.
struct ContactMotion {
  std::optional<Eigen::Vector3d> slides;  ///< direction of the velocity of `link` relative to `on`, in normal_frame
  double restitution_normal = 0.0;
  double restitution_tangential = 0.0;
  double restitution_spin = 0.0;
  bool one_way = false;             ///< a sprag or ratchet: moves along the normal only
  std::optional<double> mu_second;  ///< orthotropic friction: along t2, `mu` is the one along t1
};

/// `noise` of closure: independent normal errors of every contact.
struct NoiseOption {
  double position = 0.0;  ///< standard deviation of each coordinate of a point, m
  double angle = 0.0;     ///< of each of the two tilts of a normal, rad
  int samples = 1000;
  std::uint64_t seed = 1;
};

/// `repair_forces` of all_sticking: joints to which a repairing force may be added.
struct RepairForcesOption {
  bool actuated = false;            ///< all joints with motors
  std::vector<std::string> joints;  ///< as reports call them: "model/joint", "model/base"
};

/// `repair_posture` of all_sticking: what may move to make a failing case hold.
struct RepairPostureOption {
  std::vector<std::string> move;  ///< joints and floating bases, as reports call them
  PostureMoves::Contacts contacts = PostureMoves::Contacts::kStay;
};

/// The `options` of a scenario. Extras that are not set are up to the program: `check` computes them, `batch` does not.
struct ScenarioOptions {
  ConeShape cone;
  Detachment detachment = Detachment::kAllowed;
  std::string solver = "auto";    ///< auto (sparse for sparse problems, else native), native, sparse or qpoases
  double tolerance = 0.0;         ///< equilibrium: of the data, relative (EquilibriumOptions::tolerance)
  std::string object;             ///< closure: the model that is held; region: the one whose centre of mass moves
  std::optional<bool> intervals;  ///< range of every normal force
  std::optional<bool> margins;    ///< friction_scale and its like
  std::optional<bool> repairs;    ///< what would make a failing case hold
  std::optional<RepairForcesOption> repair_forces;    ///< all_sticking; none: forces on everything that moves
  std::optional<RepairPostureOption> repair_posture;  ///< all_sticking; none: not looked for
  bool steps = false;                                 ///< all_sticking: what every step of the paper's algorithm finds
  std::optional<bool> explain;  ///< false: rows of a batch do not say why they fail, which takes several decisions

  std::optional<PushOption> push;  ///< equilibrium
  std::optional<double> gap;       ///< region, closure: relative width at which refining stops
  std::optional<double> box;       ///< region: clipped to a square of this half-width around the centre of mass, m
  std::string plane;               ///< closure: "", "xy", "yz", "zx" in the object's axes
  std::optional<double> length;    ///< closure: torques are divided by it, m
  std::optional<Eigen::Vector3d> point;  ///< closure: torques are about it; in the object's root link frame
  std::optional<WrenchOption> wrench;
  std::optional<NoiseOption> noise;
  std::string tangential = "held";  ///< couplings: "held" or "left_out", tangential rows of contacts with friction
  std::optional<int> modes;         ///< sliding, impact: contact modes looked at before giving up
  /// "refused" or "left_out": contacts whose bodies move apart (contact_activity, rest.hpp). Not of impact, which has
  /// laws for them.
  std::string parting = "refused";
  bool strict = false;  ///< what collision shapes contradict is an error, not a warning
};

/// A contact problem as matrices instead of robots, with what the matrices do not tell.
struct BareProblem {
  ContactProblem problem;
  Eigen::VectorXd v = {};                  ///< nv, or empty: at rest
  Eigen::VectorXd a = {};                  ///< nv, or empty: zero; the acceleration that `equilibrium` prescribes
  std::vector<std::string> warnings = {};  ///< of the file that it was read from
};

/// A scenario or problem file as plain data.
struct Scenario {
  std::string name;
  SceneDescription scene;
  std::optional<BareProblem> bare = {};  ///< instead of the scene, which is then not read
  /// One per scene.contacts, or per contact of the bare problem; there `slides` is in the contact's axes (n, t1, t2).
  std::vector<ContactMotion> contact_motions;
  /// Impact: blows from outside, N s and N m s, that change the velocity with which bodies hit.
  std::vector<LoadDescription> impulses = {};
  Question question = Question::kAllSticking;
  ScenarioOptions options;
};

/// Replaces one entry of a scenario: {"contacts.left_toe.mu", "0.3"}; the value is YAML.
struct ScenarioOverride {
  std::string path;
  std::string value;
};

/// Reads a scenario file (docs/scenario.md) or a problem file (docs/problem.md). URDF files are relative to it. Nothing
/// is loaded yet: Scene does that.
/// @throws InputError "file:line:column: path: want …, got …".
Scenario read_scenario_file(const std::string& file, const std::vector<ScenarioOverride>& overrides = {});

/// The same from memory; `folder` is what URDF files are relative to, `source` the name in messages.
Scenario read_scenario_text(const std::string& text, const std::string& folder = ".",
                            const std::string& source = "scenario",
                            const std::vector<ScenarioOverride>& overrides = {});

/// With ordinary poses and contacts instead of those that are left to collision shapes: what Scene takes. Its contacts
/// are the ones at the described state.
/// @param[out] warnings what the shapes contradict, if not null. @throws InputError naming the entry.
Scenario resolved_scenario(const Scenario& scenario, std::vector<Warning>* warnings = nullptr);

}  // namespace stiction
