#include "scene/urdf.hpp"

#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "problem/linear_algebra.hpp"
#include "problem/text.hpp"
#include "stiction/error.hpp"

namespace stiction::internal {
namespace {

using tinyxml2::XMLElement;

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMostLinks = 4096;   // a mass matrix of 130 MB; and links are walked by recursion

/// One element of the file, with the words that lead to it in messages ("joint 'knee', limit").
struct Entry {
  const XMLElement* xml;
  const std::string& path;
  std::string words;

  [[noreturn]] void fail(const std::string& what) const
  {
    throw InputError(path,
                     (words.empty() ? "" : words + ": ") + what + " (line " + std::to_string(xml->GetLineNum()) + ")");
  }

  Entry child(const XMLElement* element) const { return {element, path, words + ", " + element->Name()}; }

  const char* attribute(const char* name) const
  {
    const char* value = xml->Attribute(name);
    if (!value) fail(std::string("want attribute ") + name + ", got none");
    return value;
  }

  /// Finite, whatever the locale says about decimal points.
  double number(std::string_view word, const char* name) const
  {
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      fail(std::string(name) + ": want a finite number, got " + quoted(std::string(word)));
    return value;
  }

  double number(const char* name) const
  {
    std::string_view word = attribute(name);
    const auto first = word.find_first_not_of(kBlanks);
    if (first == word.npos) fail(std::string(name) + ": want a finite number, got ''");
    return number(word.substr(first, word.find_last_not_of(kBlanks) - first + 1), name);
  }

  double number_or(const char* name, double otherwise) const { return xml->Attribute(name) ? number(name) : otherwise; }

  Eigen::Vector3d vector_or(const char* name, const Eigen::Vector3d& otherwise) const
  {
    const char* value = xml->Attribute(name);
    if (!value) return otherwise;
    Eigen::Vector3d vector;
    int count = 0;
    std::string_view rest = value;
    for (;;) {
      const auto first = rest.find_first_not_of(kBlanks);
      if (first == rest.npos) break;
      rest.remove_prefix(first);
      const auto length = std::min(rest.find_first_of(kBlanks), rest.size());
      if (count < 3) vector(count) = number(rest.substr(0, length), name);
      ++count;
      rest.remove_prefix(length);
    }
    if (count != 3) fail(std::string(name) + ": want three numbers, got " + quoted(value));
    return vector;
  }
};

Eigen::Isometry3d read_origin(const Entry& owner)
{
  const XMLElement* element = owner.xml->FirstChildElement("origin");
  if (!element) return Eigen::Isometry3d::Identity();
  const Entry origin = owner.child(element);
  if (element->Attribute("quat_xyzw")) origin.fail("want rpy, got quat_xyzw (not supported)");
  return isometry(origin.vector_or("xyz", Eigen::Vector3d::Zero()), origin.vector_or("rpy", Eigen::Vector3d::Zero()));
}

Entry required(const Entry& owner, const char* name)
{
  const XMLElement* element = owner.xml->FirstChildElement(name);
  if (!element) owner.fail(std::string("want a <") + name + "> element, got none");
  return owner.child(element);
}

UrdfLink read_link(const Entry& entry, const std::string& name)
{
  UrdfLink link;
  link.name = name;
  link.line = entry.xml->GetLineNum();
  const XMLElement* element = entry.xml->FirstChildElement("inertial");
  if (!element) return link;
  const Entry inertial = entry.child(element);
  const Eigen::Isometry3d frame = read_origin(inertial);
  link.mass = required(inertial, "mass").number("value");
  const Entry inertia = required(inertial, "inertia");
  const double xx = inertia.number("ixx"), xy = inertia.number("ixy"), xz = inertia.number("ixz");
  const double yy = inertia.number("iyy"), yz = inertia.number("iyz"), zz = inertia.number("izz");
  Eigen::Matrix3d principal;
  principal << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  link.com = frame.translation();
  link.inertia = frame.linear() * principal * frame.linear().transpose();
  link.inertia = (0.5 * (link.inertia + link.inertia.transpose())).eval();  // rounding of the rotation
  return link;
}

JointType read_type(const Entry& entry)
{
  const std::string_view type = entry.attribute("type");
  for (JointType t : {JointType::kRevolute, JointType::kContinuous, JointType::kPrismatic, JointType::kPlanar,
                      JointType::kFloating, JointType::kFixed})
    if (type == name_of(t)) return t;
  entry.fail("type: want revolute, continuous, prismatic, planar, floating or fixed, got " + quoted(std::string(type)));
}

void read_limit(const Entry& entry, UrdfJoint& joint)
{
  const bool wanted = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  const XMLElement* element = entry.xml->FirstChildElement("limit");
  if (!element) {
    if (wanted) entry.fail("want a <limit> element, got none");
    return;
  }
  const Entry limit = entry.child(element);
  joint.limited = true;
  joint.effort = limit.number("effort");
  joint.velocity = limit.number("velocity");
  if (!wanted) return;  // continuous joints have no end stops
  joint.lower = limit.number_or("lower", 0.0);
  joint.upper = limit.number_or("upper", 0.0);
  if (joint.lower > joint.upper)
    limit.fail("want lower <= upper, got " + text(joint.lower) + " and " + text(joint.upper));
}

UrdfJoint read_joint(const Entry& entry, const std::string& name)
{
  UrdfJoint joint;
  joint.name = name;
  joint.line = entry.xml->GetLineNum();
  joint.type = read_type(entry);
  joint.origin = read_origin(entry);
  if (const XMLElement* element = entry.xml->FirstChildElement("axis");
      element && joint.type != JointType::kFixed && joint.type != JointType::kFloating) {
    const Entry axis = entry.child(element);
    const Eigen::Vector3d direction = axis.vector_or("xyz", Eigen::Vector3d::UnitX());
    const double length = direction.norm();
    if (!(length > 0.0) || !std::isfinite(length)) axis.fail("want a non-zero vector, got " + text(direction));
    joint.axis = length == 1.0 ? direction : Eigen::Vector3d(direction / length);
  }
  if (freedoms(joint.type) == 1) read_limit(entry, joint);
  return joint;
}

/// Names in file order to indices, refusing duplicates.
int add_name(std::map<std::string, int>& names, const Entry& entry, const std::string& name)
{
  const int index = static_cast<int>(names.size());
  if (name.empty()) entry.fail("want a name, got an empty one");
  if (!names.emplace(name, index).second) entry.fail("want a unique name, got it twice");
  return index;
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& path) : path_(path)
  {
    if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
      throw InputError(path_, "want well-formed XML, got " + std::string(document_.ErrorName()) + " (line " +
                                  std::to_string(document_.ErrorLineNum()) + ")");
  }

  UrdfTree parse()
  {
    const XMLElement* robot = document_.RootElement();
    if (!robot || robot->Name() != std::string_view("robot"))
      throw InputError(path_,
                       "want a <robot> element, got " + (robot ? "<" + std::string(robot->Name()) + ">" : "none"));
    if (const char* name = robot->Attribute("name")) tree_.name = name;
    for (auto* e = robot->FirstChildElement(); e; e = e->NextSiblingElement())
      if (std::string_view(e->Name()).starts_with("xacro:"))
        Entry{e, path_, e->Name()}.fail("want plain URDF, got a xacro file: expand it with xacro first");

    for (auto* e = robot->FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
      const std::string name = Entry{e, path_, "link"}.attribute("name");
      const Entry entry{e, path_, "link " + quoted(name)};
      add_name(links_, entry, name);
      tree_.links.push_back(read_link(entry, name));
    }
    if (tree_.links.empty()) throw InputError(path_, "want at least one <link>, got none");
    if (tree_.links.size() > kMostLinks)
      throw InputError(path_, "want at most " + std::to_string(kMostLinks) + " links, got " + std::to_string(tree_.links.size()));

    for (auto* e = robot->FirstChildElement("joint"); e; e = e->NextSiblingElement("joint")) {
      const std::string name = Entry{e, path_, "joint"}.attribute("name");
      entries_.push_back({e, path_, "joint " + quoted(name)});
      add_name(joints_, entries_.back(), name);
      tree_.joints.push_back(read_joint(entries_.back(), name));
      connect(entries_.back(), static_cast<int>(tree_.joints.size()) - 1);
    }
    find_root();
    for (auto& link : tree_.links)
      std::ranges::sort(link.child_joints, {}, [&](int j) { return tree_.joints[idx(j)].name; });
    read_mimics();
    return std::move(tree_);
  }

 private:
  int link_named(const Entry& joint, const char* role) const
  {
    const Entry end = required(joint, role);
    const std::string name = end.attribute("link");
    const auto found = links_.find(name);
    if (found == links_.end()) end.fail("want the name of a link, got " + quoted(name));
    return found->second;
  }

  void connect(const Entry& entry, int index)
  {
    UrdfJoint& joint = tree_.joints[idx(index)];
    joint.parent = link_named(entry, "parent");
    joint.child = link_named(entry, "child");
    UrdfLink& child = tree_.links[idx(joint.child)];
    if (child.parent_joint >= 0)
      entry.fail("want a tree, got a kinematic loop: link " + quoted(child.name) + " is also the child of joint " +
                 quoted(tree_.joints[idx(child.parent_joint)].name) + " (close loops with a closure of the scene)");
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

  void read_mimics()
  {
    for (std::size_t j = 0; j < entries_.size(); ++j) {
      const XMLElement* element = entries_[j].xml->FirstChildElement("mimic");
      if (!element || tree_.joints[j].type == JointType::kFixed) continue;  // a locked joint follows nothing
      const Entry mimic = entries_[j].child(element);
      const std::string name = mimic.attribute("joint");
      const auto found = joints_.find(name);
      if (found == joints_.end()) mimic.fail("want the name of a joint, got " + quoted(name));
      UrdfJoint& joint = tree_.joints[j];
      if (freedoms(joint.type) != 1 || freedoms(tree_.joints[idx(found->second)].type) != 1)
        mimic.fail("want revolute, continuous or prismatic joints, got " + std::string(name_of(joint.type)) + " and " +
                   name_of(tree_.joints[idx(found->second)].type));
      joint.mimics = found->second;
      joint.multiplier = mimic.number_or("multiplier", 1.0);
      joint.offset = mimic.number_or("offset", 0.0);
    }
    for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
      UrdfJoint& joint = tree_.joints[j];
      for (std::size_t hops = 0; joint.mimics >= 0; ++hops) {
        const UrdfJoint& driver = tree_.joints[idx(joint.mimics)];
        if (hops > tree_.joints.size() || joint.mimics == static_cast<int>(j))
          entries_[j].fail("mimic: want a chain that ends, got a circle");
        if (driver.mimics < 0) break;
        joint.offset += joint.multiplier * driver.offset;
        joint.multiplier *= driver.multiplier;
        joint.mimics = driver.mimics;
      }
    }
  }

  const std::string& path_;
  tinyxml2::XMLDocument document_;
  UrdfTree tree_;
  std::map<std::string, int> links_, joints_;
  std::vector<Entry> entries_;  // of the joints
};

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

UrdfTree parse_urdf(const std::string& text, const std::string& path) { return Parser(text, path).parse(); }

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
  constexpr double kRounding = 1e-9;  // of hand-written and CAD-exported inertias, relative to the largest moment
  std::vector<Finding> findings;
  for (const UrdfLink& link : tree.links) {
    const std::string words = "link " + quoted(link.name) + ", ";
    const Eigen::Vector3d moments = symmetric_eigenvalues(link.inertia);   // ascending
    const double allowed = kRounding * moments.cwiseAbs().maxCoeff();
    if (link.mass < 0.0) findings.push_back({words + "mass: want >= 0, got " + text(link.mass), true});
    if (moments(0) < -allowed)
      findings.push_back({words + "inertia: no body has a negative principal moment, got " + text(moments)});
    else if (moments(0) + moments(1) < moments(2) - allowed)
      findings.push_back({words + "inertia: no body has principal moments " + text(moments) +
                          " (the largest exceeds the sum of the others)"});
    if (link.mass == 0.0 && moments(2) > 0.0) findings.push_back({words + "inertia: a massless link has inertia"});
    if (link.mass == 0.0 && link.child_joints.empty() && link.parent_joint >= 0 &&
        tree.joints[idx(link.parent_joint)].type != JointType::kFixed)
      findings.push_back({words + "mass: a moving leaf link has none, the mass matrix is singular"});
  }
  for (const UrdfJoint& joint : tree.joints) {
    const std::string words = "joint " + quoted(joint.name) + ", limit: ";
    if (!joint.limited) continue;
    if (joint.effort < 0.0) findings.push_back({words + "effort: want >= 0, got " + text(joint.effort), true});
    if (joint.effort == 0.0 && joint.mimics < 0) findings.push_back({words + "the effort limit is 0"});
    if (joint.velocity < 0.0) findings.push_back({words + "the velocity limit is negative: " + text(joint.velocity)});
    if (joint.lower == joint.upper) findings.push_back({words + "lower and upper are both " + text(joint.lower)});
  }
  return findings;
}

}  // namespace stiction::internal
