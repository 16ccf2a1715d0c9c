#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stiction/contact_problem.hpp"
#include "stiction/surroundings.hpp"

namespace stiction {

enum class Base { kFloating, kFixed };

/// What the motors of a model do. kNone: zero effort. kLimits: free within the URDF's limits. kUnlimited: free.
/// kGiven: `given` holds N m or N per joint, unnamed joints 0.
struct Effort {
  enum class Kind { kNone, kLimits, kUnlimited, kGiven } kind = Kind::kNone;
  std::map<std::string, double> given;
  bool operator==(const Effort&) const = default;
};

/// Dry friction of a model's 1-dof joints, N m or N: bounds of an effort that holds a joint at rest, and what brakes
/// one that moves. kUrdf: the `friction` of `dynamics`; kGiven: `given`, unnamed joints none. A brake that is on is
/// friction as large as its torque.
struct JointFriction {
  enum class Kind { kNone, kUrdf, kGiven } kind = Kind::kNone;
  std::map<std::string, double> given;
  bool operator==(const JointFriction&) const = default;
};

/// One robot, hand or object. Either `urdf_file` or `urdf_text` is set.
struct ModelDescription {
  std::string name;
  std::string urdf_file;
  std::string urdf_text;
  Base base = Base::kFloating;
  Pose pose;                             ///< root link in the world
  std::optional<Placing> placing = {};   ///< the pose is still to be found (SceneGeometry)
  std::map<std::string, double> joints;  ///< rad or m; 1-dof joints; unnamed: zero, or the nearest limit
  std::map<std::string, double> rates;   ///< rad/s or m/s
  /// Planar (x, y, angle) and floating (x, y, z, roll, pitch, yaw) joints inside the URDF, and their rates in the
  /// joint's own axes (x, y, angular) / (linear, angular).
  std::map<std::string, std::vector<double>> multi_joints;
  std::map<std::string, std::vector<double>> multi_rates;
  Eigen::Vector3d linear_velocity = Eigen::Vector3d::Zero();  ///< of the root link, in its own axes
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();
  /// Rates of change of the rates and of the two velocities above; for questions that prescribe the motion.
  std::map<std::string, double> accelerations;
  std::map<std::string, std::vector<double>> multi_accelerations;
  Eigen::Vector3d linear_acceleration = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular_acceleration = Eigen::Vector3d::Zero();
  Effort effort;
  JointFriction joint_friction = {};
  bool operator==(const ModelDescription&) const = default;
};

/// A force and torque on "model/link", at point `at` of the link.
struct LoadDescription {
  std::string link;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
  Eigen::Vector3d at = Eigen::Vector3d::Zero();              ///< in the link frame
  enum class Frame { kWorld, kLink } frame = Frame::kWorld;  ///< of force and torque
  bool operator==(const LoadDescription&) const = default;
};

enum class ContactFrame { kLink, kWorld, kOn };

/// Principal radii of a body's surface at a contact, m: > 0 convex, < 0 hollow, kInfinity flat, 0 a corner or edge. The
/// normal sections along t1 and t2 have them, or those along `along` (in normal_frame) and across it.
struct SurfaceRadii {
  double first = kInfinity, second = kInfinity;
  std::optional<Eigen::Vector3d> along = {};
  bool operator==(const SurfaceRadii&) const = default;
};

struct ContactDescription {
  std::string name;
  std::string link;                     ///< "model/link": the body the normal pushes on (A)
  std::string on = "world";             ///< "world" or "model/link" (B)
  std::vector<Eigen::Vector3d> points;  ///< one: the contact keeps its name; several: name/0, name/1, …
  bool patch = false;                   ///< true: numbered names even for one point
  ContactFrame at_frame = ContactFrame::kLink;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  ContactFrame normal_frame = ContactFrame::kLink;
  double mu = 0.0;
  Side side = Side::kUnilateral;
  double torsion = 0.0;
  double max_normal = kInfinity;
  /// Surfaces of `link` and `on` there. Either one given: the bodies may roll, and the other one is flat. None: the
  /// point of contact stays with the body of `at_frame`, which is right for corners and for bodies that do not turn.
  std::optional<SurfaceRadii> radius = {}, on_radius = {};
  std::optional<Detect> detect = {};  ///< link, on, points and normal are still to be found (SceneGeometry)
  bool active = true;                 ///< false: as if it were not there
  std::vector<int> left_out = {};     ///< points that are as if they were not there; others keep their names
  bool takes_part(std::size_t point) const
  {
    return active && std::ranges::find(left_out, static_cast<int>(point)) == left_out.end();
  }
  bool operator==(const ContactDescription&) const = default;
};

struct LoopDescription {
  std::string name;
  std::string link;
  std::string on = "world";
  Eigen::Vector3d at = Eigen::Vector3d::Zero();               ///< in the link frame
  enum class Kind { kPin, kWeld, kGuide } kind = Kind::kPin;  ///< 3, 6, 1 rows
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();          ///< kGuide only: the blocked direction, in the link frame
  bool operator==(const LoopDescription&) const = default;
};

/// A plane of the world that everything stays in. kAuto: the one that nothing can leave and all normals lie in, if
/// there is one. kExact: likewise, but to rounding and not to what people type, so that nothing else changes.
enum class ScenePlane { kNone, kAuto, kExact, kXy, kYz, kXz };

/// "xy", "yz", "xz"; "auto", "exact", "none".
const char* name_of(ScenePlane plane);

/// A whole scene, as plain data that mirrors the scenario file.
struct SceneDescription {
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  std::vector<ModelDescription> models;
  std::vector<LoadDescription> loads;
  std::vector<ContactDescription> contacts;
  std::vector<LoopDescription> loops;
  ScenePlane plane = ScenePlane::kNone;
  std::optional<Ground> ground = {};  ///< this and the obstacles: for SceneGeometry, a Scene does not look at them
  std::vector<Obstacle> obstacles = {};
  std::vector<std::string> package_paths;  ///< searched for package:// after ROS_PACKAGE_PATH and AMENT_PREFIX_PATH
};

/// Configuration, velocity, prescribed acceleration and given efforts of every model, in the scene's own coordinates
/// (see Scene::state).
struct SceneState {
  Eigen::VectorXd q;            ///< nq
  Eigen::VectorXd v;            ///< nv
  Eigen::VectorXd a = {};       ///< nv; contact problems do not depend on it
  Eigen::VectorXd effort = {};  ///< nv, or empty: those of the description
};

/// Something that is allowed but looks wrong.
struct Warning {
  enum class Kind {
    kUrdf,             ///< masses, inertias or limits that no real mechanism has
    kZeroEffortLimit,  ///< of a joint whose effort is to be found within its limits
    kNoEffortLimit,    ///< likewise: it is unlimited
    kJointLimits,      ///< a position outside of them
    kEffortLimit,      ///< a given effort beyond it
    kFixedLoad,        ///< a load on a link that cannot move
    kPlane,            ///< what a plane changes: joints that it holds, or that it was found
    kTurningContact,   ///< bodies that turn over each other where no radius is given
    kOffSurface,       ///< a contact given by hand that is not where the surfaces are
    kNormal,           ///< a contact whose normal is not that of the surface
    kFloats,           ///< a link that was asked to touch and does not
    kUnderGround       ///< a link inside the ground or an obstacle
  };
  Kind kind = Kind::kUrdf;
  std::string path;  ///< the entry: "models.robot.joints.knee"
  std::string text;  ///< "2 is outside the limits -1 to 1"

  std::string message() const { return path + ": " + text; }
};

/// Where a contact of the problem comes from.
struct ContactOrigin {
  int description = 0;      ///< index in SceneDescription::contacts: a patch gives several contacts
  int link = -1, on = -1;   ///< indices in SceneDescription::models of what it touches; -1: the world
  std::string normal_body;  ///< "model/link" or "world": what the normal and its tangents are fixed to
};

/// Bodies, contacts and loads of a description, loaded once; recomputes the contact problem for any state.
///
/// Contact points and normals are fixed to the body of their `at_frame` / `normal_frame`; a point given in the world
/// is the point of `link` that was there at the described state, a normal given in the world stays. The tangent t1 is
/// the x axis of `normal_frame` (y for normals near x) projected onto the tangent plane, t2 = normal x t1. Every
/// contact has two tangential rows, also for mu = 0 (it must stick without friction; a frictionless guide is a
/// closure), and a torsion row if torsion > 0. Rows compare the material points of both bodies; gamma is Jdot v, with
/// points and axes that move with their bodies: for a corner (`at_frame`) that slides over a face (`normal_frame`) of
/// another, turning body this includes the Coriolis term. Where radii are given the point of contact travels over both
/// surfaces as they roll and slide: gamma of the normal row is then that of the gap. Pins and welds use world axes.
///
/// In a plane (SceneDescription::plane) frictionless guides hold everything there: a floating base has the two linear
/// and the one angular velocity of its own axes that stay inside, joints that would leave the plane are held where they
/// are, contacts have one tangential row (along the axis of `normal_frame` that it is nearest to), pins two rows and
/// welds three. Normals and axes of roots must lie in the plane or across it.
///
/// q and v are Pinocchio's, models in the order given, joints depth first by name, except that mimic joints have no
/// entry (they follow their joint: M = T'MT, J = JT with constant T) and that continuous joints have one angle in q. A
/// planar joint moves in the plane normal to its axis: (x, y, cos, sin) in q; its x is the joint frame's x axis
/// projected onto that plane (y for normals near x).
///
/// M, F, J and gamma are computed in the frames of the models' root links; poses of roots enter as differences only,
/// so that it does not matter where in the world a scene is. Entries that are only rounding of their own terms are
/// zero (docs/proofs/scene.md).
///
/// Immutable after construction apart from its own workspace: one Scene per thread (copying shares the models).
class Scene {
 public:
  /// @throws InputError naming the entry, e.g. "contacts[2].normal: want a unit vector, got (0, 0, 0)".
  explicit Scene(const SceneDescription& description);
  /// Reads no URDF that `known` has read: for other contacts, loads or bases of the same robots.
  Scene(const SceneDescription& description, const Scene& known);
  ~Scene();
  Scene(const Scene& other);
  Scene(Scene&&) noexcept;
  Scene& operator=(const Scene&) = delete;
  Scene& operator=(Scene&&) noexcept;

  Eigen::Index nq() const;
  Eigen::Index nv() const;

  /// The state written in the description.
  const SceneState& described_state() const;

  /// The state written in other descriptions of the same models (same names and bases, in order): joints, rates,
  /// poses, twists, accelerations, given efforts. URDFs are not read again; the pose of a fixed base and which
  /// efforts are to be found are part of the scene, not of the state. @throws InputError naming the entry.
  SceneState state(const std::vector<ModelDescription>& models) const;

  /// Things that are allowed but look wrong: joints outside their limits, …
  const std::vector<Warning>& warnings() const;
  /// The same for a state written in other descriptions.
  std::vector<Warning> warnings(const std::vector<ModelDescription>& models) const;
  /// Contacts without radii whose bodies turn about a tangent relative to each other, faster than kRestSpeed
  /// (rest.hpp): they are taken for corners.
  std::vector<Warning> turning_contacts(const SceneState& state);

  const Eigen::Vector3d& gravity() const;  ///< m/s^2, in the world
  /// One per contact of the problem.
  const std::vector<ContactOrigin>& contact_origins() const;
  /// Degrees of freedom of joints with an effort limit other than zero in the URDF whose efforts are given or none.
  const std::vector<int>& given_motors() const;
  ScenePlane plane() const;  ///< kXy, kYz or kXz; kNone: in space
  int model_index(
      const std::string& model) const;  ///< in SceneDescription::models. @throws InputError when there is none

  /// Recomputes `problem` for a state. The first call sizes it; later calls with the same object allocate nothing.
  void compute(const SceneState& state, ContactProblem& problem);
  ContactProblem compute();

  double total_mass() const;  ///< of everything that can move
  /// In the world. @throws InputError when nothing that can move has mass.
  Eigen::Vector3d center_of_mass(const SceneState& state);
  /// The same for the moving parts of one model. @throws InputError also when there is no such model.
  Eigen::Vector3d center_of_mass(const SceneState& state, const std::string& model);
  /// The same in the frame of the model's root link: free of the rounding of world coordinates.
  Eigen::Vector3d center_of_mass_in_root(const SceneState& state, const std::string& model);
  double total_mass(const std::string& model) const;
  std::string root_link(const std::string& model) const;  ///< "model/link"
  /// Frame of "model/link" (or of "world") in the world. @throws InputError with `path` as the entry.
  Eigen::Isometry3d link_pose(const SceneState& state, const std::string& link, const std::string& path = "link");
  /// What a load adds to the right-hand side of M a + nle = ... (nv): the sum of J' times force and torque. F of a
  /// contact problem falls by it. @throws InputError below `path`, e.g. "options.push.link".
  Eigen::VectorXd generalised_force(const SceneState& state, const LoadDescription& load,
                                    const std::string& path = "load");
  /// Kinetic and potential energy, J (for checks of M and F).
  double kinetic_energy(const SceneState& state);
  double potential_energy(const SceneState& state);
  /// q moved along dv = v dt (Lie group integration).
  Eigen::VectorXd integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& dv) const;
  /// The shortest dv with integrate(from, dv) = to; continuous joints go the shorter way round.
  Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What `stiction inspect` prints, as data.
struct LinkInfo {
  std::string name;
  double mass = 0.0;
};
struct JointInfo {
  std::string name, type, parent, child, mimics;
  double lower = -kInfinity, upper = kInfinity, effort = kInfinity, velocity = kInfinity;
};
struct RobotInfo {
  std::string name, root;
  std::vector<LinkInfo> links;
  std::vector<JointInfo> joints;
  double total_mass = 0.0;
  int nv_fixed = 0;                   ///< degrees of freedom with a fixed base
  std::vector<std::string> warnings;  ///< what looks wrong: massless leaf, inertia that no body can have, …
};
RobotInfo inspect_urdf_file(const std::string& path);
RobotInfo inspect_urdf_text(const std::string& text);

}  // namespace stiction
