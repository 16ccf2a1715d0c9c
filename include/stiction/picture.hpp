// What a scene and an answer look like: plain data in the world, for whatever draws it.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/report.hpp"

namespace stiction {

/// Bodies, contacts, forces and motions of a report in world coordinates, SI units. Everything in it is finite.
struct Picture {
  std::string title;     ///< of the scenario; may be empty
  std::string headline;  ///< the question's own words for the verdict, and that: "DOES NOT STICK (fails)"
  Verdict verdict = Verdict::kUndecided;
  std::string sentence;               ///< what happens, without the verdict
  std::vector<std::string> captions;  ///< which forces are shown, how far the verdict is from turning
  std::string remedy;                 ///< "what would make it hold, each by itself", of `remedies`
  std::vector<std::string> remedies;  ///< but for long ones, such as whole postures

  enum class Role { kBody, kFixed, kObstacle, kGhost };  ///< a ghost is a body after a small step of `motion`
  struct Ball {
    Eigen::Vector3d center;
    double radius = 0.0;
  };
  /// The convex hull of balls.
  struct Solid {
    std::string name;  ///< "model/link" or an obstacle's
    Role role = Role::kBody;
    std::vector<Ball> hull;
  };
  std::vector<Solid> solids;

  /// Where a link is: what else is known about its shape can be put there. All links are in it, and again as ghosts
  /// those that move along.
  struct Frame {
    std::string link;  ///< "model/link"
    Role role = Role::kBody;
    Eigen::Isometry3d pose;  ///< in the world
  };
  std::vector<Frame> frames;

  /// Part of a link that has no collision shape: from its frame to a joint or to its centre of mass.
  struct Bar {
    Role role = Role::kBody;
    Eigen::Vector3d from, to;
    std::string name = {};  ///< "model/link"
  };
  std::vector<Bar> bars;

  /// A rectangle of a plane, solid below: the ground, an obstacle, or what contacts with the world touch.
  struct Surface {
    std::string name;  ///< empty: inferred from contacts
    Eigen::Vector3d normal;
    std::vector<Eigen::Vector3d> corners;  ///< four, in order
  };
  std::vector<Surface> surfaces;

  std::vector<Eigen::Vector3d> points;  ///< of contacts

  /// Of a contact, or one for the points of a small patch, where their forces have their resultant.
  struct Cone {
    std::string name;  ///< of the contact, or of the patch
    Eigen::Vector3d apex, axis;
    double mu = 0.0;
    bool pulls = false;                      ///< bilateral: the opposite cone too
    std::string label;                       ///< where no arrow has it
    std::vector<std::size_t> contacts = {};  ///< indices in the report's problem
  };
  std::vector<Cone> cones;

  std::vector<Eigen::Vector3d> pins;  ///< of loops

  enum class Kind {
    kForce,    ///< of a contact or small patch on its link, N
    kBeyond,   ///< the same, but outside of the friction cone: it would be needed
    kLoad,     ///< N
    kPush,     ///< the largest one that is held, N
    kImpulse,  ///< of a contact on its link, N s
    kBlow,     ///< from outside, N s
    kBefore,   ///< velocity of a contact's link relative to what it touches, before an impact, m/s
    kAfter,    ///< and after it; no points of patches are put together in an impact
    kSlip,     ///< direction in which a contact slides, unit
    kMotion    ///< displacement, m, that belongs to the ghosts
  };
  struct Arrow {
    Kind kind = Kind::kForce;
    std::string name;  ///< of the contact, patch or link
    Eigen::Vector3d from, vector;
    std::string label;
  };
  std::vector<Arrow> arrows;
  std::string motion;  ///< what ghosts and kMotion show: "motion that nothing opposes"; empty: there is none

  struct Mass {
    std::string model;
    Eigen::Vector3d center;
    double mass = 0.0;  ///< kg
  };
  std::vector<Mass> masses;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< m/s^2

  /// Of the question region: where the centre of mass is held, and beyond which it is not; at the height of the lowest
  /// contact.
  struct Area {
    bool held = true;
    std::vector<Eigen::Vector3d> corners;
  };
  std::vector<Area> areas;

  ScenePlane plane = ScenePlane::kNone;  ///< that everything stays in
  Eigen::AlignedBox3d focus;             ///< what to look at; never empty
  std::vector<std::string> notes;        ///< what is not drawn, and why
};

/// Of a report about robots or matrices (which have contacts only). Robots are loaded again; meshes that are not found
/// are left out, with a note.
/// @throws InputError as Scene does.
Picture picture_of(const ScenarioReport& report);

/// The same of many reports, one after the other: robots and meshes stay loaded as long as they are the same ones. A
/// file that changed under the same name is not noticed. One per thread.
class PictureMaker {
 public:
  PictureMaker();
  ~PictureMaker();
  PictureMaker(PictureMaker&&) noexcept;
  PictureMaker& operator=(PictureMaker&&) noexcept;

  /// @throws InputError as picture_of.
  Picture picture_of(const ScenarioReport& report);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How a picture is looked at.
struct View {
  /// The direction that one looks along, of any length but zero, in the world. None: planar scenes across their plane,
  /// others from the side, from the front, from above, and askew.
  std::optional<Eigen::Vector3d> along = {};
  /// Ghosts move, again and again, from their bodies to where they are; where nothing moves they stay there.
  bool animated = false;
};

/// "front", "side", "top", "iso", or three numbers with commas: the direction that one looks along.
/// @throws InputError with `path` as the entry.
View view_named(const std::string& name, const std::string& path = "view");

/// A complete SVG file of its own, with white background; coordinates have one decimal.
std::string to_svg(const Picture& picture, const View& view = {});

}  // namespace stiction
