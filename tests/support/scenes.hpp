#pragma once

// Random scenes for the questions, and the same scenes said differently: in another order, place or unit.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>

#include "scene/helpers.hpp"
#include "stiction/scenario.hpp"
#include "support/random_problems.hpp"

namespace stiction::testing {

/// Factors on the units of length, mass and time; powers of two change numbers exactly.
struct Units {
  double length = 1.0, mass = 1.0, time = 1.0;

  double speed() const { return length / time; }
  double force() const { return mass * length / (time * time); }
  double torque() const { return force() * length; }
};

inline std::string digits(double value)
{
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// The numbers of attribute `key` of one tag, each times `factor`.
inline std::string scaled_attribute(const std::string& tag, const std::string& key, double factor)
{
  const std::string opening = " " + key + "=";
  const std::size_t at = tag.find(opening);
  if (at == std::string::npos) return tag;
  const std::size_t first = at + opening.size() + 1, last = tag.find(tag[first - 1], first);
  std::istringstream numbers(tag.substr(first, last - first));
  std::string scaled;
  for (double x; numbers >> x;) scaled += (scaled.empty() ? "" : " ") + digits(factor * x);
  return tag.substr(0, first) + scaled + tag.substr(last);
}

/// A URDF with revolute joints in other units. Shapes are left alone: nothing depends on them.
inline std::string scaled_urdf(const std::string& text, const Units& units)
{
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('<', at), text.size());
    const std::size_t close = open < text.size() ? text.find('>', open) + 1 : text.size();
    std::string tag = text.substr(open, close - open);
    if (tag.starts_with("<origin")) tag = scaled_attribute(tag, "xyz", units.length);
    if (tag.starts_with("<mass")) tag = scaled_attribute(tag, "value", units.mass);
    if (tag.starts_with("<inertia "))
      for (const char* key : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"})
        tag = scaled_attribute(tag, key, units.mass * units.length * units.length);
    if (tag.starts_with("<limit")) tag = scaled_attribute(tag, "effort", units.torque());
    out += text.substr(at, open - at) + tag;
    at = close;
  }
  return out;
}

inline Eigen::Matrix3d rotation(const Eigen::Vector3d& rpy)
{
  return (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

inline Eigen::Vector3d angles(const Eigen::Matrix3d& R)
{
  return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
          std::atan2(R(1, 0), R(0, 0))};
}

inline Eigen::Vector3d direction(Rng& rng) { return gaussian(rng, 3).normalized(); }

/// A unit vector at `angle` from n.
inline Eigen::Vector3d tilted(Rng& rng, const Eigen::Vector3d& n, double angle)
{
  const Eigen::Vector3d across = n.cross(direction(rng)).normalized();
  return (std::cos(angle) * n + std::sin(angle) * across).normalized();
}

inline bool chance(Rng& rng, double probability) { return uniform(rng, 0.0, 1.0) < probability; }
inline double power_of_ten(Rng& rng, double lower, double upper) { return std::pow(10.0, uniform(rng, lower, upper)); }

// ---- The same scene, said differently. ----

inline Scenario with_contacts_in_another_order(const Scenario& scenario, Rng& rng)
{
  std::vector<std::size_t> order(scenario.scene.contacts.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), rng);
  if (std::is_sorted(order.begin(), order.end())) std::reverse(order.begin(), order.end());
  Scenario other = scenario;
  for (std::size_t i = 0; i < order.size(); ++i) {
    other.scene.contacts[i] = scenario.scene.contacts[order[i]];
    other.contact_motions[i] = scenario.contact_motions[order[i]];
    std::reverse(other.scene.contacts[i].points.begin(), other.scene.contacts[i].points.end());
  }
  return other;
}

inline Scenario with_bodies_in_another_order(const Scenario& scenario)
{
  Scenario other = scenario;
  std::reverse(other.scene.models.begin(), other.scene.models.end());
  return other;
}

inline Scenario rotated(const Scenario& scenario, const Eigen::Matrix3d& R)
{
  Scenario other = scenario;
  SceneDescription& scene = other.scene;
  scene.gravity = R * scene.gravity;
  for (ModelDescription& model : scene.models) {
    model.pose.xyz = R * model.pose.xyz;
    model.pose.rpy = angles(R * rotation(model.pose.rpy));
  }
  for (LoadDescription& load : scene.loads)
    if (load.frame == LoadDescription::Frame::kWorld) {
      load.force = R * load.force;
      load.torque = R * load.torque;
    }
  for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
    ContactDescription& contact = scene.contacts[i];
    if (contact.normal_frame != ContactFrame::kWorld) continue;
    contact.normal = R * contact.normal;
    if (auto& slides = other.contact_motions[i].slides) slides = R * *slides;
  }
  return other;
}

inline Scenario shifted(const Scenario& scenario, double distance)
{
  Scenario other = scenario;
  for (ModelDescription& model : other.scene.models) model.pose.xyz += distance * Eigen::Vector3d(1.0, 0.7, -0.3);
  return other;
}

inline Scenario in_units(const Scenario& scenario, const Units& units)
{
  Scenario other = scenario;
  SceneDescription& scene = other.scene;
  scene.gravity *= units.length / (units.time * units.time);
  for (ModelDescription& model : scene.models) {
    model.urdf_text = scaled_urdf(model.urdf_text, units);
    model.pose.xyz *= units.length;
    model.linear_velocity *= units.speed();
    model.angular_velocity /= units.time;
    for (auto& [joint, rate] : model.rates) rate /= units.time;
    for (auto& [joint, effort] : model.effort.given) effort *= units.torque();
  }
  for (LoadDescription& load : scene.loads) {
    load.force *= units.force();
    load.torque *= units.torque();
    load.at *= units.length;
  }
  for (ContactDescription& contact : scene.contacts) {
    for (Eigen::Vector3d& point : contact.points) point *= units.length;
    contact.torsion *= units.length;
    contact.max_normal *= units.force();
  }
  return other;
}

/// One contact twice. Two contacts at one place do what one does: their forces, or impulses, add up to a vector of the
/// same cone, and restitution, slip and detachment of both are those of one. Not so bilateral ones: where one pushes
/// and the other pulls there is friction without a normal force.
inline Scenario with_one_contact_twice(const Scenario& scenario, Rng& rng)
{
  Scenario other = scenario;
  const std::size_t i = rng() % scenario.scene.contacts.size();
  ContactDescription again = scenario.scene.contacts[i];
  if (again.side == Side::kBilateral) return other;
  again.name += "_again";
  other.scene.contacts.push_back(again);
  other.contact_motions.push_back(scenario.contact_motions[i]);
  return other;
}

inline std::string box_urdf(double mass, const Eigen::Vector3d& half,
                            const Eigen::Vector3d& center = Eigen::Vector3d::Zero())
{
  const Eigen::Vector3d square = half.cwiseAbs2();
  const auto moment = [&](int j, int k) { return digits(mass / 3.0 * (square[j] + square[k])); };
  return "<robot name='box'><link name='box'><inertial><origin xyz='" + digits(center.x()) + " " + digits(center.y()) +
         " " + digits(center.z()) + "'/><mass value='" + digits(mass) + "'/><inertia ixx='" + moment(1, 2) +
         "' ixy='0' ixz='0' iyy='" + moment(0, 2) + "' iyz='0' izz='" + moment(0, 1) + "'/></inertial></link></robot>";
}

/// With 10¹² kg that rest on a floor of their own, far from everything else.
inline Scenario with_something_heavy(const Scenario& scenario)
{
  Scenario other = scenario;
  const Eigen::Vector3d gravity = scenario.scene.gravity;
  const Eigen::Vector3d up = gravity.isZero(0.0) ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(-gravity.normalized());
  ModelDescription heavy = model_from_text("heavy", box_urdf(1e12, {50, 50, 50}), Base::kFloating);
  heavy.pose.xyz = {3000, -2000, 500};
  heavy.pose.rpy = angles(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), up).toRotationMatrix());
  other.scene.models.push_back(heavy);
  // An impact has no weights: one point at rest will do, and makes no more modes than it must.
  const int points = scenario.question == Question::kImpact ? 1 : 4;
  const Eigen::Vector3d corners[] = {{50, 50, -50}, {-50, 50, -50}, {-50, -50, -50}, {50, -50, -50}};
  for (int i = 0; i < points; ++i) {
    other.scene.contacts.push_back(
        contact("floor" + std::to_string(i), "heavy/box", corners[i], Eigen::Vector3d::UnitZ(), 1.0));
    other.contact_motions.push_back({});
  }
  return other;
}

// ---- Scenes. ----

/// How far apart the closest contacts of one body are drawn, as powers of ten of a metre.
struct Separation {
  double lower, upper;
};

class SceneDraw {
 public:
  SceneDraw(Question question, unsigned seed, Separation separation);
  Scenario scenario;

 private:
  void add_box(const Eigen::Matrix3d& R, const Eigen::Vector3d& at);
  ContactDescription& add_contact(int body, const Eigen::Vector3d& point, const Eigen::Vector3d& normal);
  Eigen::Vector3d inside(int body)
  {
    return half_[static_cast<std::size_t>(body)].cwiseProduct(Eigen::Vector3d(unit(), unit(), unit()));
  }
  double unit() { return uniform(rng_, -1.0, 1.0); }
  Eigen::Vector3d up(int body) const;  ///< against gravity, in the body's axes

  void scatter(int body, int count);
  void stand(int body, int on, int count, bool patch);
  void pinch(int body);
  void stack();
  void robot();
  void bring_close(Separation separation);
  void draw_loads();
  void draw_slides();
  void draw_impact();

  Rng rng_;
  std::vector<Eigen::Vector3d> half_;
};

inline SceneDraw::SceneDraw(Question question, unsigned seed, Separation separation) : rng_(seed)
{
  scenario.question = question;
  scenario.name = "draw " + std::to_string(seed);
  scenario.scene.gravity =
      chance(rng_, 0.5) ? Eigen::Vector3d(0, 0, -9.81) : Eigen::Vector3d(uniform(rng_, 1, 20) * direction(rng_));
  if (chance(rng_, 0.05)) scenario.scene.gravity.setZero();
  const bool impact = question == Question::kImpact, grasp = question == Question::kClosure;
  const int most = impact ? 3 : 6;
  const auto kind = rng_() % 10;
  if (kind == 9 && !grasp && !impact) {
    robot();
  } else if (kind >= 7 && !grasp) {
    stack();
  } else {
    add_box(rotation(uniform(rng_, 0, 1.5) * gaussian(rng_, 3)), 2.0 * gaussian(rng_, 3));
    const int count = 1 + static_cast<int>(rng_() % static_cast<unsigned>(most));
    if (kind <= 1 || (grasp && kind >= 5))
      scatter(0, grasp ? std::max(count, 2) : count);
    else if (kind <= 3)
      stand(0, -1, count, false);
    else if (kind == 4)
      stand(0, -1, std::min(3 + static_cast<int>(rng_() % 3), most), true);
    else
      pinch(0);
  }
  if (scenario.scene.contacts.size() > 0 && chance(rng_, 0.3)) bring_close(separation);
  scenario.contact_motions.resize(scenario.scene.contacts.size());
  if (!impact) draw_loads();
  if (question == Question::kSliding) draw_slides();
  if (impact) draw_impact();
  if (grasp) scenario.options.object = scenario.scene.models.front().name;
}

inline void SceneDraw::add_box(const Eigen::Matrix3d& R, const Eigen::Vector3d& at)
{
  const Eigen::Vector3d half(uniform(rng_, 0.05, 0.5), uniform(rng_, 0.05, 0.5), uniform(rng_, 0.05, 0.5));
  const Eigen::Vector3d center =
      chance(rng_, 0.5) ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : Eigen::Vector3d(0.3 * unit() * half);
  ModelDescription box = model_from_text("box" + std::to_string(half_.size()),
                                         box_urdf(power_of_ten(rng_, -1, 1.5), half, center), Base::kFloating);
  box.pose.xyz = at;
  box.pose.rpy = angles(R);
  scenario.scene.models.push_back(box);
  half_.push_back(half);
}

inline Eigen::Vector3d SceneDraw::up(int body) const
{
  const Eigen::Vector3d& g = scenario.scene.gravity;
  const Eigen::Vector3d up_W = g.isZero(0.0) ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(-g.normalized());
  return rotation(scenario.scene.models[static_cast<std::size_t>(body)].pose.rpy).transpose() * up_W;
}

inline ContactDescription& SceneDraw::add_contact(int body, const Eigen::Vector3d& point, const Eigen::Vector3d& normal)
{
  ContactDescription c = contact("c" + std::to_string(scenario.scene.contacts.size()),
                                 scenario.scene.models[static_cast<std::size_t>(body)].name + "/box", point, normal);
  c.mu = chance(rng_, 0.1) ? 0.0 : chance(rng_, 0.1) ? power_of_ten(rng_, -3, 1) : uniform(rng_, 0.1, 1.5);
  if (chance(rng_, 0.1)) c.torsion = uniform(rng_, 0.001, 0.05);
  if (chance(rng_, 0.05)) c.side = Side::kBilateral;
  scenario.scene.contacts.push_back(c);
  return scenario.scene.contacts.back();
}

/// Anywhere on the faces, more or less along their normals.
inline void SceneDraw::scatter(int body, int count)
{
  for (int i = 0; i < count; ++i) {
    Eigen::Vector3d point = inside(body), normal = Eigen::Vector3d::Zero();
    const auto face = static_cast<int>(rng_() % 3);
    const double side = chance(rng_, 0.5) ? 1.0 : -1.0;
    point[face] = side * half_[static_cast<std::size_t>(body)][face];
    normal[face] = -side;
    add_contact(body, point, chance(rng_, 0.5) ? normal : tilted(rng_, normal, uniform(rng_, 0, 0.6)));
  }
}

/// On a plane below the body, on the world (-1) or another one.
inline void SceneDraw::stand(int body, int on, int count, bool patch)
{
  const Eigen::Vector3d normal = chance(rng_, 0.3) ? up(body) : tilted(rng_, up(body), uniform(rng_, 0, 0.8));
  const double mu = uniform(rng_, 0.1, 1.2), depth = half_[static_cast<std::size_t>(body)].norm();
  ContactDescription* area = nullptr;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d q = 2.0 * inside(body), point = q - normal * (normal.dot(q) + depth);
    if (area) {
      area->points.push_back(point);
      continue;
    }
    ContactDescription& c = add_contact(body, point, normal);
    c.mu = mu;
    if (on >= 0) c.on = scenario.scene.models[static_cast<std::size_t>(on)].name + "/box";
    c.patch = patch;
    if (patch) area = &c;
  }
}

/// Two fingers that oppose each other exactly, nearly or roughly, and perhaps a third contact.
inline void SceneDraw::pinch(int body)
{
  const double reach = half_[static_cast<std::size_t>(body)].minCoeff();
  const Eigen::Vector3d axis = direction(rng_),
                        middle = chance(rng_, 0.5) ? Eigen::Vector3d(0.3 * inside(body)) : Eigen::Vector3d::Zero();
  const double off = chance(rng_, 0.2) ? 0.0 : power_of_ten(rng_, -12, -1);
  const double mu = uniform(rng_, 0.1, 2.0);
  add_contact(body, middle + reach * axis, -axis).mu = mu;
  add_contact(body, middle - reach * axis + off * reach * direction(rng_),
              tilted(rng_, axis, chance(rng_, 0.5) ? off : 0.0))
      .mu = mu;
  if (chance(rng_, 0.2)) scatter(body, 1);
}

inline void SceneDraw::stack()
{
  const Eigen::Matrix3d R = rotation(uniform(rng_, 0, 1.5) * gaussian(rng_, 3));
  const Eigen::Vector3d at = 2.0 * gaussian(rng_, 3);
  const bool impact = scenario.question == Question::kImpact;
  const int bodies = impact ? 2 : 2 + static_cast<int>(rng_() % 2);
  for (int b = 0; b < bodies; ++b) {
    add_box(rotation(0.2 * gaussian(rng_, 3)) * R, at);
    scenario.scene.models.back().pose.xyz +=
        static_cast<double>(b) * (rotation(scenario.scene.models.back().pose.rpy) * up(b));
  }
  for (int b = 0; b < bodies; ++b) stand(b, b - 1, impact ? 1 : 1 + static_cast<int>(rng_() % 3), false);
  if (!impact && chance(rng_, 0.3)) scatter(bodies - 1, 1);
}

/// The biped or the quadruped of urdf/ with some of its feet on the ground and motors that are off, given or limited.
inline void SceneDraw::robot()
{
  const bool biped = chance(rng_, 0.5);
  const auto read = [](const char* file) {
    std::ostringstream text;
    text << std::ifstream(own_urdf(file)).rdbuf();
    return text.str();
  };
  static const std::string kTexts[] = {read("quadruped.urdf"), read("biped.urdf")};
  const std::vector<std::string> joints =
      biped ? std::vector<std::string>{"left_hip", "left_knee", "left_ankle", "right_hip", "right_knee", "right_ankle"}
            : std::vector<std::string>{"lf_thigh", "lf_knee", "rf_thigh", "rf_knee",
                                       "lh_thigh", "lh_knee", "rh_thigh", "rh_knee"};
  ModelDescription model = model_from_text("robot", kTexts[biped], Base::kFloating);
  model.pose.xyz = 2.0 * gaussian(rng_, 3);
  model.pose.rpy = 0.3 * gaussian(rng_, 3);
  for (const std::string& joint : joints)
    model.joints[joint] = joint.ends_with("knee") ? uniform(rng_, 0.1, 1.0) : uniform(rng_, -0.6, 0.4);
  if (scenario.question == Question::kEquilibrium) {
    model.effort.kind = chance(rng_, 0.8) ? Effort::Kind::kLimits : Effort::Kind::kUnlimited;
  } else if (chance(rng_, 0.7)) {
    model.effort.kind = Effort::Kind::kGiven;
    for (const std::string& joint : joints) model.effort.given[joint] = 10.0 * unit();
  }
  scenario.scene.models.push_back(model);
  const Eigen::Vector3d g = scenario.scene.gravity;
  const Eigen::Vector3d above = g.isZero(0.0) ? Eigen::Vector3d::UnitZ() : Eigen::Vector3d(-g.normalized());
  const std::vector<std::string> feet = biped ? std::vector<std::string>{"left_sole", "right_sole"}
                                              : std::vector<std::string>{"lf_foot", "rf_foot", "lh_foot", "rh_foot"};
  const double mu = uniform(rng_, 0.2, 1.5);
  const Eigen::Vector3d normal = tilted(rng_, above, uniform(rng_, 0, 0.5));
  for (const std::string& foot : feet) {
    if (chance(rng_, 0.25)) continue;
    ContactDescription c = contact(foot, "robot/" + foot, Eigen::Vector3d::Zero(), normal, mu);
    c.normal_frame = ContactFrame::kWorld;
    if (biped) c.points = {{0.1, 0.05, 0}, {0.1, -0.05, 0}, {-0.1, 0, 0}};
    c.patch = biped;
    scenario.scene.contacts.push_back(c);
  }
  if (scenario.scene.contacts.empty())
    scenario.scene.contacts.push_back(contact(feet[0], "robot/" + feet[0], Eigen::Vector3d::Zero(), {0, 0, 1}, mu));
}

/// One more contact beside one that is there.
inline void SceneDraw::bring_close(Separation separation)
{
  auto& contacts = scenario.scene.contacts;
  ContactDescription beside = contacts[rng_() % contacts.size()];
  const Eigen::Vector3d point = beside.points[rng_() % beside.points.size()] +
                                power_of_ten(rng_, separation.lower, separation.upper) * direction(rng_);
  beside.name = "beside";
  beside.points = {point};
  beside.patch = false;
  if (chance(rng_, 0.3)) beside.normal = tilted(rng_, beside.normal, power_of_ten(rng_, -3, -0.5));
  if (chance(rng_, 0.3)) beside.mu = uniform(rng_, 0.1, 1.5);
  contacts.push_back(beside);
}

inline void SceneDraw::draw_loads()
{
  for (const ModelDescription& model : scenario.scene.models) {
    if (chance(rng_, 0.5)) continue;
    LoadDescription load;
    const bool biped = model.urdf_text.find("torso") != std::string::npos;
    load.link = model.name + (model.name != "robot" ? "/box" : biped ? "/torso" : "/body");
    load.force = power_of_ten(rng_, -1, 2) * direction(rng_);
    if (chance(rng_, 0.3)) load.torque = power_of_ten(rng_, -2, 1) * direction(rng_);
    load.at = 0.2 * gaussian(rng_, 3);
    if (chance(rng_, 0.3)) load.frame = LoadDescription::Frame::kLink;
    scenario.scene.loads.push_back(load);
  }
}

/// Some contacts slide from rest.
inline void SceneDraw::draw_slides()
{
  auto& contacts = scenario.scene.contacts;
  const std::size_t always = rng_() % contacts.size();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (i != always && chance(rng_, 0.5)) continue;
    contacts[i].torsion = 0.0;
    scenario.contact_motions[i].slides = contacts[i].normal.cross(direction(rng_)).normalized();
  }
}

inline void SceneDraw::draw_impact()
{
  for (ModelDescription& model : scenario.scene.models) {
    model.linear_velocity = power_of_ten(rng_, -1, 1) * direction(rng_);
    if (chance(rng_, 0.7)) model.angular_velocity = 3.0 * gaussian(rng_, 3);
  }
  const double common = uniform(rng_, 0.0, 1.0);
  const bool equal = chance(rng_, 0.6);
  for (std::size_t i = 0; i < scenario.contact_motions.size(); ++i) {
    ContactMotion& motion = scenario.contact_motions[i];
    motion.restitution_normal = equal ? common : uniform(rng_, 0.0, 1.0);
    motion.restitution_tangential = equal ? common : 0.0;
    motion.restitution_spin = motion.restitution_tangential;
  }
}

}  // namespace stiction::testing
