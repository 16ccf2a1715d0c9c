#include "io/inspect_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/wrap.hpp"
#include "scene/urdf.hpp"

namespace stiction::internal {
namespace {

constexpr std::size_t kTableWidth = 80;

/// Builds a line of cells at fixed columns. A cell that would touch its left neighbour starts a new line instead, and
/// one too long for its column moves left: long names stay whole (people copy them) and columns stay aligned.
class Row {
 public:
  explicit Row(std::string& out) : out_(out), line_(out.size()) {}
  ~Row() { out_ += '\n'; }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  Row& left(std::size_t column, const std::string& text)
  {
    column = std::min(column, kTableWidth - std::min(kTableWidth, text.size()));
    if (out_.size() > line_ && out_.size() - line_ + 1 > column) new_line();
    out_.append(column - std::min(column, out_.size() - line_), ' ');
    out_ += text;
    return *this;
  }

  Row& right(std::size_t end, const std::string& text) { return left(end - std::min(end, text.size()), text); }

 private:
  void new_line()
  {
    out_ += '\n';
    line_ = out_.size();
  }

  std::string& out_;
  std::size_t line_;  // where the current line starts
};

std::string limit(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

std::string counted(std::size_t count, const std::string& noun)
{
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void append_links(std::string& out, const RobotInfo& robot)
{
  constexpr std::size_t kMassEnd = 34, kParent = 36, kJoint = 59;
  std::map<std::string, const JointInfo*> joint_above;
  for (const JointInfo& joint : robot.joints) joint_above[joint.child] = &joint;

  Row(out).left(0, "link").right(kMassEnd, "mass [kg]").left(kParent, "parent").left(kJoint, "joint");
  for (const LinkInfo& link : robot.links) {
    Row row(out);
    row.left(0, link.name).right(kMassEnd, fmt::format("{:.6g}", link.mass));
    const auto above = joint_above.find(link.name);
    if (above != joint_above.end()) row.left(kParent, above->second->parent).left(kJoint, above->second->name);
  }
}

void append_joints(std::string& out, const RobotInfo& robot)
{
  constexpr std::size_t kType = 30, kLowerEnd = 50, kUpperEnd = 60, kEffortEnd = 70, kVelocityEnd = 80;
  Row(out)
      .left(0, "joint")
      .left(kType, "type")
      .right(kLowerEnd, "lower")
      .right(kUpperEnd, "upper")
      .right(kEffortEnd, "effort")
      .right(kVelocityEnd, "velocity");
  for (const JointInfo& joint : robot.joints) {
    Row row(out);
    row.left(0, joint.name).left(kType, joint.type);
    if (joint.type != "fixed")
      row.right(kLowerEnd, limit(joint.lower))
          .right(kUpperEnd, limit(joint.upper))
          .right(kEffortEnd, limit(joint.effort))
          .right(kVelocityEnd, limit(joint.velocity));
    if (!joint.mimics.empty()) row.left(2, "follows " + joint.mimics);
  }
  out += "limits in rad, N m, rad/s (prismatic: m, N, m/s); - means none\n";
}

std::string shape_text(const Shape& shape)
{
  const Eigen::Vector3d& size = shape.size;
  switch (shape.kind) {
    case Shape::Kind::kBox:
      return fmt::format("box {:.4g} x {:.4g} x {:.4g}", size[0], size[1], size[2]);
    case Shape::Kind::kSphere:
      return fmt::format("sphere, radius {:.4g}", size[0]);
    case Shape::Kind::kCylinder:
      return fmt::format("cylinder, radius {:.4g}, length {:.4g}", size[0], size[1]);
    case Shape::Kind::kCapsule:
      return fmt::format("capsule, radius {:.4g}, length {:.4g}", size[0], size[1]);
    case Shape::Kind::kMesh:
      break;
  }
  return "mesh " + shape.mesh_file.substr(shape.mesh_file.rfind('/') + 1);
}

void append_names(std::string& out, const std::string& words, const std::vector<std::string>& names)
{
  append_item(out, words + (names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

std::string survey_text(const RobotSurvey& survey)
{
  constexpr std::size_t kShape = 36;
  std::string out = "\n";
  if (survey.links.empty()) out += "no collision shapes: contacts cannot be detected\n";
  if (!survey.links.empty()) Row(out).left(0, "link").left(kShape, "collision shapes [m]");
  for (const RobotSurvey::Link& link : survey.links)
    for (const Shape& shape : link.shapes)
      Row(out).left(0, &shape == link.shapes.data() ? link.name : "").left(kShape, shape_text(shape));
  constexpr double kNoLength = 1e-9;
  const Eigen::Vector3d center =
      survey.center_of_mass.unaryExpr([](double x) { return std::abs(x) < kNoLength ? 0.0 : x; });
  out += fmt::format("\nwith all joints at zero (or the nearest limit), in the root link:\n");
  if (survey.mass > 0.0)
    append_item(out, fmt::format("centre of mass: ({:.4g}, {:.4g}, {:.4g}) m", center.x(), center.y(), center.z()));
  if (!survey.links.empty()) {
    append_item(out, fmt::format("shapes from {:.4g} to {:.4g} m: {:.4g} m high", survey.lowest, survey.highest,
                                 survey.highest - survey.lowest));
    append_names(out, "could be feet: ", survey.feet);
  }
  if (!survey.unlimited.empty()) append_names(out, "joints without an effort limit: ", survey.unlimited);
  for (const std::string& unread : survey.unread) append_item(out, "not read: " + unread);
  return out;
}

std::string inspect_text(const RobotInfo& robot)
{
  std::string out;
  out += fmt::format("{}: {}, {}, {} of freedom (+6 with a floating base), {:.6g} kg\n", robot.name,
                     counted(robot.links.size(), "link"), counted(robot.joints.size(), "joint"),
                     counted(static_cast<std::size_t>(robot.nv_fixed), "degree"), robot.total_mass);
  out += fmt::format("root link: {}\n\n", robot.root);
  append_links(out, robot);
  if (!robot.joints.empty()) {
    out += '\n';
    append_joints(out, robot);
  }
  out += robot.warnings.empty() ? "\nnothing looks wrong\n" : "\nlooks wrong:\n";
  for (const std::string& warning : robot.warnings) append_item(out, warning);
  return out;
}

std::string inspect_robot(const std::string& file, const std::vector<std::string>& package_paths)
{
  ModelDescription robot;
  robot.name = "robot";
  robot.urdf_file = locate_urdf_file(file, package_paths, file);
  const std::string said =
      inspect_text(inspect_urdf_file(robot.urdf_file));  // first: it names the file in what it refuses
  return said + survey_text(survey_robot(robot, package_paths));
}

}  // namespace stiction::internal
