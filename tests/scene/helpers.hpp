#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "stiction/error.hpp"
#include "stiction/scene.hpp"

namespace stiction::testing {

inline std::string own_urdf(const std::string& name) { return std::string(STICTION_SOURCE_DIR) + "/urdf/" + name; }

/// Folder of example-robot-data's robots, or empty.
inline std::string robot_folder()
{
  if (const char* folder = std::getenv("STICTION_ROBOT_DATA")) return folder;
#ifdef STICTION_ROBOT_DATA
  return STICTION_ROBOT_DATA;
#else
  return {};
#endif
}
inline constexpr const char* kNoRobots =
    "SKIPPED: no real robots. Install the Python wheel example-robot-data and set STICTION_ROBOT_DATA (environment or "
    "CMake) to its share/example-robot-data/robots folder.";

inline ModelDescription model_from_file(const std::string& name, const std::string& file, Base base)
{
  ModelDescription model;
  model.name = name;
  model.urdf_file = file;
  model.base = base;
  return model;
}

inline ModelDescription model_from_text(const std::string& name, const std::string& text, Base base)
{
  ModelDescription model;
  model.name = name;
  model.urdf_text = text;
  model.base = base;
  return model;
}

inline SceneDescription scene_of(std::vector<ModelDescription> models)
{
  SceneDescription description;
  description.models = std::move(models);
  return description;
}

inline ContactDescription contact(const std::string& name, const std::string& link, const Eigen::Vector3d& point,
                                  const Eigen::Vector3d& normal, double mu = 0.5)
{
  ContactDescription c;
  c.name = name;
  c.link = link;
  c.points = {point};
  c.normal = normal;
  c.mu = mu;
  return c;
}

/// Fixed seeds: failures reproduce.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number() { return gauss_(engine_); }
  Eigen::VectorXd vector(Eigen::Index n)
  {
    return Eigen::VectorXd::NullaryExpr(n, [this](Eigen::Index) { return number(); });
  }
  Eigen::Vector3d vector3() { return vector(3); }
  Eigen::Vector3d direction() { return vector(3).normalized(); }
  std::size_t index(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> gauss_;
};

/// A random configuration (away from the described one in every coordinate) and velocity.
inline SceneState random_state(const Scene& scene, Random& random)
{
  return {scene.integrate(scene.described_state().q, random.vector(scene.nv())), random.vector(scene.nv())};
}

/// A link's inertial element: mass, box-like inertia, centre of mass off the origin.
inline std::string inertial(double mass, const std::string& xyz = "0 0 0", double moment = 0.1)
{
  std::ostringstream text;
  text << "<inertial><origin xyz='" << xyz << "'/><mass value='" << mass << "'/><inertia ixx='" << moment
       << "' ixy='0.01' ixz='0.005' iyy='" << 1.1 * moment << "' iyz='-0.01' izz='" << 0.9 * moment << "'/></inertial>";
  return text.str();
}

/// One moving link `tip` behind one joint of a given type, in a rotated and shifted joint frame.
inline std::string one_joint_urdf(const std::string& type, const std::string& axis)
{
  return "<robot name='one'><link name='root'>" + inertial(2.0, "0.1 0 0.2") + "</link><joint name='j' type='" + type +
         "'><parent link='root'/><child link='tip'/>"
         "<origin xyz='0.3 -0.2 0.5' rpy='0.3 -0.4 1.1'/><axis xyz='" +
         axis +
         "'/>"
         "<limit lower='-3' upper='3' effort='10' velocity='1'/></joint>"
         "<link name='tip'>" +
         inertial(1.5, "0.2 0.1 -0.1", 0.2) + "</link></robot>";
}

/// A tree with every joint type, mimic joints and a fixed one.
inline std::string zoo_urdf()
{
  const std::string limit = "<limit lower='-3' upper='3' effort='10' velocity='1'/>";
  const auto joint = [&](const std::string& name, const std::string& type, const std::string& parent,
                         const std::string& axis, const std::string& extra = "") {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + name +
           "_link'/>"
           "<origin xyz='0.2 0.1 -0.3' rpy='0.5 0.2 -0.7'/><axis xyz='" +
           axis + "'/>" + limit + extra + "</joint>" + "<link name='" + name + "_link'>" +
           inertial(1.0, "0.05 -0.1 0.2") + "</link>";
  };
  return "<robot name='zoo'><link name='root'>" + inertial(3.0, "0.1 0.2 0.3", 0.4) + "</link>" +
         joint("turn", "revolute", "root", "0 0 1") + joint("skew", "revolute", "turn_link", "1 2 -2") +
         joint("spin", "continuous", "skew_link", "0 -1 0") + joint("slide", "prismatic", "root", "0 1 0") +
         joint("slant", "prismatic", "slide_link", "1 1 0") + joint("plane", "planar", "slant_link", "0.6 0 0.8") +
         joint("free", "floating", "root", "1 0 0") + joint("bolt", "fixed", "spin_link", "1 0 0") +
         joint("follow", "revolute", "bolt_link", "1 0 0", "<mimic joint='turn' multiplier='-0.5' offset='0.3'/>") +
         joint("chain", "prismatic", "plane_link", "0 0 1", "<mimic joint='follow' multiplier='2' offset='0.1'/>") +
         "</robot>";
}

/// Examples 6 and 6b: two fingers press a mass on a guide.
inline SceneDescription pinch(const std::string& urdf, double mu1 = 0.0, double mu2 = 0.0)
{
  SceneDescription d = scene_of({model_from_file("p", own_urdf(urdf), Base::kFixed)});
  d.contacts = {contact("left", "p/mass", {-0.1, 0, 0}, Eigen::Vector3d::UnitX()),
                contact("right", "p/mass", {0.1, 0, 0}, -Eigen::Vector3d::UnitX())};
  d.contacts[0].on = "p/left_finger";
  d.contacts[1].on = "p/right_finger";
  d.contacts[0].mu = mu1;
  d.contacts[1].mu = mu2;
  LoopDescription guide;
  guide.name = "guide";
  guide.link = "p/mass";
  guide.kind = LoopDescription::Kind::kGuide;
  guide.normal = Eigen::Vector3d::UnitX();
  d.loops = {guide};
  return d;
}

}  // namespace stiction::testing
