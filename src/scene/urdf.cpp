#include "scene/urdf.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/limits.hpp"
#include "base/linear_algebra.hpp"
#include "base/names.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "scene/urdf_messages.hpp"
#include "scene/urdf_outline.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

/// A link or joint, for messages.
struct Entry {
  const std::string& path;
  const char* kind;
  const UrdfPlace& place;

  /// @param where below it, such as ", limit".
  [[noreturn]] void fail(const std::string& where, const std::string& what) const
  {
    throw InputError(path, std::string(kind) + " " + quoted(place.name) + where + ": " + what + " (line " +
                               std::to_string(place.line) + ")");
  }

  template <class Pointer>
  const auto& found(const Pointer& element) const
  {
    if (!element) fail("", "want a name that urdfdom can read, got another");
    return *element;
  }

  Eigen::Vector3d vector(const urdf::Vector3& v, const char* where) const
  {
    const Eigen::Vector3d vector(v.x, v.y, v.z);
    if (!vector.allFinite()) fail(where, "want three finite numbers, got " + text(vector));
    if (!in_range(vector.lpNorm<Eigen::Infinity>())) fail(where, "want numbers up to 1e50, got " + text(vector));
    return vector;
  }

  Eigen::Isometry3d pose(const urdf::Pose& p, const char* where) const
  {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = vector(p.position, where);
    const Eigen::Quaterniond turn(p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
    if (!(std::abs(turn.norm() - 1.0) <= kWrittenByHand)) fail(where, "want a rotation, got angles that give none");
    pose.linear() = turn.toRotationMatrix();
    return pose;
  }
};

/// Names, parents and children, in the order of the file.
class Skeleton {
 public:
  Skeleton(const UrdfOutline& outline, const std::string& path) : outline_(outline), path_(path) {}

  UrdfTree build()
  {
    tree_.name = outline_.robot;
    for (const UrdfPlace& place : outline_.links) {
      add_name(links_, {path_, "link", place});
      tree_.links.emplace_back().name = place.name;
    }
    for (const UrdfPlace& place : outline_.joints) {
      add_name(joints_, {path_, "joint", place});
      tree_.joints.emplace_back().name = place.name;
      connect({path_, "joint", place}, static_cast<int>(tree_.joints.size()) - 1);
    }
    find_root();
    for (auto& link : tree_.links)
      std::ranges::sort(link.child_joints, {}, [&](int j) { return tree_.joints[idx(j)].name; });
    return std::move(tree_);
  }

 private:
  static void add_name(std::map<std::string, int>& names, const Entry& entry)
  {
    if (entry.place.name.empty()) entry.fail("", "want a name, got an empty one");
    if (printable(entry.place.name) != entry.place.name)
      entry.fail("", "want a name in UTF-8 without control characters, got another");
    if (!names.emplace(entry.place.name, static_cast<int>(names.size())).second)
      entry.fail("", "want a unique name, got it twice");
  }

  int link_named(const Entry& joint, const char* where, const std::string& name) const
  {
    const auto found = links_.find(name);
    if (found == links_.end()) joint.fail(where, "want the name of a link, got " + quoted(name));
    return found->second;
  }

  void connect(const Entry& entry, int index)
  {
    UrdfJoint& joint = tree_.joints[idx(index)];
    joint.parent = link_named(entry, ", parent", entry.place.parent);
    joint.child = link_named(entry, ", child", entry.place.child);
    UrdfLink& child = tree_.links[idx(joint.child)];
    if (child.parent_joint >= 0)
      entry.fail("", "want a tree, got a kinematic loop: link " + quoted(child.name) + " is also the child of joint " +
                         quoted(tree_.joints[idx(child.parent_joint)].name) +
                         " (close loops with a closure of the scene)");
    child.parent_joint = index;
    tree_.links[idx(joint.parent)].child_joints.push_back(index);
  }

  /// With one parent per link at most: exactly one root, and every link below it (else a cycle floats beside).
  void find_root()
  {
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      if (tree_.links[i].parent_joint >= 0) continue;
      if (tree_.root >= 0)
        throw InputError(path_, "want one root link, got " + quoted(tree_.links[idx(tree_.root)].name) + " and " +
                                    quoted(tree_.links[i].name));
      tree_.root = static_cast<int>(i);
    }
    if (tree_.root < 0) throw InputError(path_, "want a tree, got a kinematic loop: every link is a child");
    std::vector<int> reached{tree_.root};
    std::vector<bool> seen(tree_.links.size(), false);
    seen[idx(tree_.root)] = true;
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (int j : tree_.links[idx(reached[k])].child_joints) {
        const int child = tree_.joints[idx(j)].child;
        seen[idx(child)] = true;
        reached.push_back(child);
      }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!seen[i])
        throw InputError(path_, "want a tree, got a kinematic loop through link " + quoted(tree_.links[i].name));
  }

  const UrdfOutline& outline_;
  const std::string& path_;
  UrdfTree tree_;
  std::map<std::string, int> links_, joints_;
};

/// The link or joint that a message of urdfdom names.
const UrdfPlace* named_in(const std::string& message, const char* kind, const std::vector<UrdfPlace>& places)
{
  if (message.find(kind) == message.npos) return nullptr;
  const auto named = [&](const UrdfPlace& place) {
    return message.find("[" + place.name + "]") != message.npos || message.find("'" + place.name + "'") != message.npos;
  };
  const auto found = std::ranges::find_if(places, named);
  return found == places.end() ? nullptr : &*found;
}

/// In urdfdom's words, up to the first that say where.
[[noreturn]] void fail_as_urdfdom(const std::vector<std::string>& errors, const UrdfOutline& outline,
                                  const std::string& path)
{
  std::string words;
  for (const std::string& error : errors) {
    const std::string said = unmasked(error);
    words += (words.empty() ? "" : "; ") + said;
    const std::string what = "want valid URDF, got what urdfdom refuses: " + words;
    if (const auto* joint = named_in(said, "oint", outline.joints)) Entry{path, "joint", *joint}.fail("", what);
    if (const auto* link = named_in(said, "ink", outline.links)) Entry{path, "link", *link}.fail("", what);
  }
  throw InputError(path, "robot " + quoted(outline.robot) + ": want valid URDF, got what urdfdom refuses: " + words +
                             " (line " + std::to_string(outline.line) + ")");
}

void read_link(const Entry& entry, const urdf::Link& source, UrdfLink& link)
{
  link.line = entry.place.line;
  if (!source.inertial) return;
  const urdf::Inertial& inertial = *source.inertial;
  const Eigen::Isometry3d frame = entry.pose(inertial.origin, ", inertial, origin");
  Eigen::Matrix3d moments;
  moments << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz, inertial.ixz,
      inertial.iyz, inertial.izz;
  if (!std::isfinite(inertial.mass) || !moments.allFinite())
    entry.fail(", inertial", "want finite numbers, got mass " + text(inertial.mass) + " and others");
  if (const double largest = std::max(std::abs(inertial.mass), moments.cwiseAbs().maxCoeff()); !in_range(largest))
    entry.fail(", inertial", "want numbers up to 1e50, got " + text(largest));
  link.mass = inertial.mass;
  link.com = frame.translation();
  link.inertia = frame.linear() * moments * frame.linear().transpose();
  link.inertia = (0.5 * (link.inertia + link.inertia.transpose())).eval();  // rounding of the rotation
}

JointType type_of(const Entry& entry, const urdf::Joint& source)
{
  switch (source.type) {
    case urdf::Joint::REVOLUTE:
      return JointType::kRevolute;
    case urdf::Joint::CONTINUOUS:
      return JointType::kContinuous;
    case urdf::Joint::PRISMATIC:
      return JointType::kPrismatic;
    case urdf::Joint::PLANAR:
      return JointType::kPlanar;
    case urdf::Joint::FLOATING:
      return JointType::kFloating;
    case urdf::Joint::FIXED:
      return JointType::kFixed;
    default:
      entry.fail(", type", "want revolute, continuous, prismatic, planar, floating or fixed, got another");
  }
}

void read_limit(const Entry& entry, const urdf::JointLimits& limits, UrdfJoint& joint)
{
  joint.limited = true;
  joint.effort = limits.effort;
  joint.velocity = limits.velocity;
  if (std::isnan(joint.effort) || std::isnan(joint.velocity))
    entry.fail(", limit", "want numbers, got effort " + text(joint.effort) + " and velocity " + text(joint.velocity));
  if (joint.type == JointType::kContinuous) return;  // no end stops
  joint.lower = limits.lower;
  joint.upper = limits.upper;
  if (!(joint.lower <= joint.upper))
    entry.fail(", limit", "want lower <= upper, got " + text(joint.lower) + " and " + text(joint.upper));
}

void read_dynamics(const Entry& entry, const urdf::JointDynamics& dynamics, UrdfJoint& joint)
{
  joint.friction = dynamics.friction;
  if (std::isnan(joint.friction)) entry.fail(", dynamics", "want a number, got friction " + text(joint.friction));
}

void read_joint(const Entry& entry, const urdf::Joint& source, UrdfJoint& joint)
{
  if (source.dynamics) read_dynamics(entry, *source.dynamics, joint);
  joint.line = entry.place.line;
  joint.type = type_of(entry, source);
  joint.origin = entry.pose(source.parent_to_joint_origin_transform, ", origin");
  if (joint.type != JointType::kFixed && joint.type != JointType::kFloating) {
    const Eigen::Vector3d direction = entry.vector(source.axis, ", axis");
    const double length = direction.norm();
    if (!(length > 0.0) || !std::isfinite(length))
      entry.fail(", axis", "want a non-zero vector, got " + text(direction));
    joint.axis = length == 1.0 ? direction : Eigen::Vector3d(direction / length);
  }
  if (freedoms(joint.type) == 1 && source.limits) read_limit(entry, *source.limits, joint);
}

void read_mimic(const Entry& entry, const urdf::JointMimic& source, const UrdfTree& tree, UrdfJoint& joint)
{
  if (joint.type == JointType::kFixed) return;  // a locked joint follows nothing
  const std::string name = unmasked(source.joint_name);
  joint.mimics = tree.find_joint(name);
  if (joint.mimics < 0) entry.fail(", mimic", "want the name of a joint, got " + quoted(name));
  const JointType driver = tree.joints[idx(joint.mimics)].type;
  if (freedoms(joint.type) != 1 || freedoms(driver) != 1)
    entry.fail(", mimic", "want revolute, continuous or prismatic joints, got " + std::string(name_of(joint.type)) +
                              " and " + name_of(driver));
  joint.multiplier = source.multiplier;
  joint.offset = source.offset;
}

/// Every mimic joint then follows one that follows none.
void shorten_mimic_chains(const UrdfOutline& outline, const std::string& path, UrdfTree& tree)
{
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    UrdfJoint& joint = tree.joints[j];
    const Entry entry{path, "joint", outline.joints[j]};
    for (std::size_t hops = 0; joint.mimics >= 0; ++hops) {
      const UrdfJoint& driver = tree.joints[idx(joint.mimics)];
      if (hops > tree.joints.size() || joint.mimics == static_cast<int>(j))
        entry.fail(", mimic", "want a chain that ends, got a circle");
      if (driver.mimics < 0) break;
      joint.offset += joint.multiplier * driver.offset;
      joint.multiplier *= driver.multiplier;
      joint.mimics = driver.mimics;
    }
    if (!in_range(joint.multiplier) || !in_range(joint.offset))
      entry.fail(", mimic",
                 "want finite numbers up to 1e50, got " + text(joint.multiplier) + " and " + text(joint.offset));
  }
}

}  // namespace

int freedoms(JointType type)
{
  switch (type) {
    case JointType::kFixed:
      return 0;
    case JointType::kPlanar:
      return 3;
    case JointType::kFloating:
      return 6;
    default:
      return 1;
  }
}

const char* name_of(JointType type)
{
  switch (type) {
    case JointType::kRevolute:
      return "revolute";
    case JointType::kContinuous:
      return "continuous";
    case JointType::kPrismatic:
      return "prismatic";
    case JointType::kPlanar:
      return "planar";
    case JointType::kFloating:
      return "floating";
    default:
      return "fixed";
  }
}

int UrdfTree::find_link(const std::string& link) const
{
  const auto found = std::ranges::find(links, link, &UrdfLink::name);
  return found == links.end() ? -1 : static_cast<int>(found - links.begin());
}

int UrdfTree::find_joint(const std::string& joint) const
{
  const auto found = std::ranges::find(joints, joint, &UrdfJoint::name);
  return found == joints.end() ? -1 : static_cast<int>(found - joints.begin());
}

UrdfTree parse_urdf(const std::string& text, const std::string& path)
{
  const UrdfOutline outline = read_outline(text, path);
  // First: urdfdom takes a link with two parents, forgets a loop beside the tree, and never frees links in a loop.
  UrdfTree tree = Skeleton(outline, path).build();
  const UrdfReading reading = read_quietly(outline.text);
  if (!reading.model || !reading.errors.empty()) fail_as_urdfdom(reading.errors, outline, path);
  // Else a chain of links is freed by recursion.
  for (const auto& [name, link] : reading.model->links_) link->child_links.clear();

  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Entry entry{path, "link", outline.links[i]};
    read_link(entry, entry.found(reading.model->getLink(masked(entry.place.name))), tree.links[i]);
  }
  const auto each_joint = [&](auto&& read) {
    for (std::size_t j = 0; j < tree.joints.size(); ++j) {
      const Entry entry{path, "joint", outline.joints[j]};
      read(entry, entry.found(reading.model->getJoint(masked(entry.place.name))), tree.joints[j]);
    }
  };
  each_joint(read_joint);
  each_joint([&](const Entry& entry, const urdf::Joint& source, UrdfJoint& joint) {
    if (source.mimic) read_mimic(entry, *source.mimic, tree, joint);
  });
  shorten_mimic_chains(outline, path, tree);
  return tree;
}

Eigen::Isometry3d isometry(const Eigen::Vector3d& xyz, const Eigen::Vector3d& rpy)
{
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = xyz;
  // An exact identity keeps the matrices of hand-made models exact.
  if (!rpy.isZero(0.0))
    pose.linear() =
        (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
  return pose;
}

std::vector<Finding> physical_findings(const UrdfTree& tree)
{
  std::vector<Finding> findings;
  for (const UrdfLink& link : tree.links) {
    const std::string words = "link " + quoted(link.name) + ", ";
    const Eigen::Vector3d moments = symmetric_eigenvalues(link.inertia);  // ascending
    const double allowed = kWrittenByHand * moments.cwiseAbs().maxCoeff();
    if (link.mass < 0.0) findings.push_back({words + "mass: want >= 0, got " + text(link.mass), true});
    if (moments(0) < -allowed)
      findings.push_back({words + "inertia: no body has a negative principal moment, got " + text(moments) + " kg m²"});
    else if (moments(0) + moments(1) < moments(2) - allowed)
      findings.push_back({words + "inertia: no body has principal moments " + text(moments) +
                          " kg m² (the largest exceeds the sum of the others)"});
    if (link.mass == 0.0 && moments(2) > 0.0) findings.push_back({words + "inertia: a massless link has inertia"});
    if (link.mass == 0.0 && link.child_joints.empty() && link.parent_joint >= 0 &&
        tree.joints[idx(link.parent_joint)].type != JointType::kFixed)
      findings.push_back({words + "mass: a moving leaf link has none, the mass matrix is singular"});
  }
  for (const UrdfJoint& joint : tree.joints) {
    const std::string words = "joint " + quoted(joint.name) + ", limit: ";
    if (!joint.limited) continue;
    if (joint.effort < 0.0) findings.push_back({words + "effort: want >= 0, got " + text(joint.effort), true});
    if (joint.effort == 0.0 && joint.mimics < 0)
      findings.push_back({words + "the effort limit is 0", false, Warning::Kind::kZeroEffortLimit});
    if (joint.velocity < 0.0) findings.push_back({words + "the velocity limit is negative: " + text(joint.velocity)});
    if (joint.lower == joint.upper) findings.push_back({words + "lower and upper are both " + text(joint.lower)});
  }
  return findings;
}

}  // namespace stiction::internal
