// Curved surfaces that roll and slide on each other: gamma against differences of the true gap and of the true
// velocities at the point of contact, both from formulas of solids that know nothing of curvature.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>

#include "scene/helpers.hpp"

namespace stiction {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;
using testing::contact;
using testing::model_from_file;
using testing::model_from_text;
using testing::own_urdf;
using testing::Random;
using testing::scene_of;

constexpr const char* kLinkA = "a/spin_link";
constexpr const char* kLinkB = "b/plane_link";

/// Solids fixed to two links: their distance, and the point of solid A nearest to B, for frames of the links.
struct Solids {
  ContactDescription touch;
  std::function<double(const Isometry3d& a, const Isometry3d& b)> gap;
  std::function<Vector3d(const Isometry3d& a, const Isometry3d& b)> nearest;
  /// What touches along a line goes on doing so only while `line`, of A, stays perpendicular to `across`, of B.
  Vector3d line = Vector3d::Zero();
  std::vector<Vector3d> across = {};
};

/// Where the frames of two links are in a random state; solids are put there so that they touch.
struct Place {
  SceneDescription description = scene_of({model_from_text("a", testing::zoo_urdf(), Base::kFloating),
                                           model_from_text("b", testing::zoo_urdf(), Base::kFloating)});
  Scene bare{description};
  SceneState state;
  Isometry3d a, b;
  Vector3d point, normal, along, across;  ///< world; `along` is some tangent

  explicit Place(Random& random) : state(testing::random_state(bare, random))
  {
    a = bare.link_pose(state, kLinkA);
    b = bare.link_pose(state, kLinkB);
    point = a.translation() + 0.3 * random.vector3();
    normal = random.direction();
    along = normal.cross(random.direction()).normalized();
    across = normal.cross(along);
  }

  ContactDescription touch() const
  {
    ContactDescription c = contact("c", kLinkA, a.inverse() * point, a.linear().transpose() * normal);
    c.on = kLinkB;
    return c;
  }
  SurfaceRadii radii(double first, double second, const Vector3d& direction) const
  {
    return {first, second, a.linear().transpose() * direction};
  }
};

constexpr double kFlat = kInfinity;

Solids sphere_on_sphere(const Place& p, double ra, double rb)
{
  const Vector3d ca = p.a.inverse() * (p.point + ra * p.normal), cb = p.b.inverse() * (p.point - rb * p.normal);
  Solids s{p.touch(), {}, {}};
  s.touch.radius = SurfaceRadii{ra, ra};
  s.touch.on_radius = SurfaceRadii{rb, rb};
  const double sign = rb < 0.0 ? -1.0 : 1.0;  // a hollow sphere around A
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) { return sign * (a * ca - b * cb).norm() - ra - rb; };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    return Vector3d(a * ca - ra * sign * (a * ca - b * cb).normalized());
  };
  return s;
}

Solids sphere_on_plane(const Place& p, double ra)
{
  const Vector3d ca = p.a.inverse() * (p.point + ra * p.normal), n = p.b.linear().transpose() * p.normal,
                 foot = p.b.inverse() * p.point;
  Solids s{p.touch(), {}, {}};
  s.touch.radius = SurfaceRadii{ra, ra};
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) { return n.dot(b.inverse() * (a * ca) - foot) - ra; };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) { return Vector3d(a * ca - ra * (b.linear() * n)); };
  return s;
}

/// A flat face of A on a sphere of B.
Solids plane_on_sphere(const Place& p, double rb)
{
  const Vector3d cb = p.b.inverse() * (p.point - rb * p.normal), n = p.a.linear().transpose() * p.normal,
                 foot = p.a.inverse() * p.point;
  Solids s{p.touch(), {}, {}};
  s.touch.on_radius = SurfaceRadii{rb, rb};
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) { return n.dot(foot - a.inverse() * (b * cb)) - rb; };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d centre = b * cb, normal = a.linear() * n;
    return Vector3d(centre + normal * normal.dot(a * foot - centre));
  };
  return s;
}

/// Axes that cross at an angle.
Solids cylinder_on_cylinder(const Place& p, double ra, double rb, double angle)
{
  const Vector3d axis_b = std::cos(angle) * p.along + std::sin(angle) * p.across;
  const Vector3d ca = p.a.inverse() * (p.point + ra * p.normal), cb = p.b.inverse() * (p.point - rb * p.normal),
                 da = p.a.linear().transpose() * p.along, db = p.b.linear().transpose() * axis_b;
  Solids s{p.touch(), {}, {}};
  s.touch.radius = p.radii(kFlat, ra, p.along);
  s.touch.on_radius = p.radii(kFlat, rb, axis_b);
  const auto common = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d n = (a.linear() * da).cross(b.linear() * db).normalized();
    return n.dot(a * ca - b * cb) > 0.0 ? n : Vector3d(-n);
  };
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) { return common(a, b).dot(a * ca - b * cb) - ra - rb; };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d n = common(a, b), u = a.linear() * da, v = b.linear() * db;
    const Vector3d side = v.cross(n);  // moves along A's axis until A's axis is above B's
    const double t = -side.dot(a * ca - b * cb) / side.dot(u);
    return Vector3d(a * ca + t * u - ra * n);
  };
  return s;
}

Solids sphere_on_cylinder(const Place& p, double ra, double rb)
{
  const Vector3d ca = p.a.inverse() * (p.point + ra * p.normal), cb = p.b.inverse() * (p.point - rb * p.normal),
                 db = p.b.linear().transpose() * p.along;
  Solids s{p.touch(), {}, {}};
  s.touch.radius = SurfaceRadii{ra, ra};
  s.touch.on_radius = p.radii(kFlat, rb, p.along);
  const auto beside = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d u = b.linear() * db, d = a * ca - b * cb;
    return Vector3d(d - u * u.dot(d));
  };
  const double sign = rb < 0.0 ? -1.0 : 1.0;  // a pipe around A
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) { return sign * beside(a, b).norm() - ra - rb; };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    return Vector3d(a * ca - ra * sign * beside(a, b).normalized());
  };
  return s;
}

/// The end of the third axis of an ellipsoid on a plane; the support function gives its height.
Solids ellipsoid_on_plane(const Place& p, const Vector3d& half)
{
  Eigen::Matrix3d axes;
  axes << p.along, p.across, p.normal;
  const Eigen::Matrix3d own = p.a.linear().transpose() * axes * half.asDiagonal();
  const Vector3d ca = p.a.inverse() * (p.point + half.z() * p.normal), n = p.b.linear().transpose() * p.normal,
                 foot = p.b.inverse() * p.point;
  Solids s{p.touch(), {}, {}};
  s.touch.radius = p.radii(half.x() * half.x() / half.z(), half.y() * half.y() / half.z(), p.along);
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d up = b.linear() * n;
    return up.dot(a * ca - b * foot) - (own.transpose() * (a.linear().transpose() * up)).norm();
  };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d h = own.transpose() * (a.linear().transpose() * (b.linear() * n));
    return Vector3d(a * ca - a.linear() * (own * h.normalized()));
  };
  return s;
}

/// The sharp rim of a disk that leans over, as a coin does: round along the rim, an edge across it.
Solids rim_on_plane(const Place& p, double radius, double lean)
{
  const Vector3d axis = std::cos(lean) * p.normal + std::sin(lean) * p.across,
                 up = std::sin(lean) * p.normal - std::cos(lean) * p.across;  // from the point to the centre
  const Vector3d ca = p.a.inverse() * (p.point + radius * up), d = p.a.linear().transpose() * axis,
                 n = p.b.linear().transpose() * p.normal, foot = p.b.inverse() * p.point;
  Solids s{p.touch(), {}, {}};
  s.touch.radius = p.radii(radius / std::sin(lean), 0.0, p.along);
  const auto in_disk = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d u = a.linear() * d, v = b.linear() * n;
    return Vector3d(v - u * u.dot(v));
  };
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) {
    return (b.linear() * n).dot(a * ca - b * foot) - radius * in_disk(a, b).norm();
  };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    return Vector3d(a * ca - radius * in_disk(a, b).normalized());
  };
  return s;
}

/// The same rim on a sphere: the distance of its centre from a circle.
Solids rim_on_sphere(const Place& p, double radius, double lean, double rb)
{
  Solids s = rim_on_plane(p, radius, lean);
  const Vector3d axis = std::cos(lean) * p.normal + std::sin(lean) * p.across,
                 up = std::sin(lean) * p.normal - std::cos(lean) * p.across;
  const Vector3d ca = p.a.inverse() * (p.point + radius * up), d = p.a.linear().transpose() * axis,
                 cb = p.b.inverse() * (p.point - rb * p.normal);
  s.touch.on_radius = SurfaceRadii{rb, rb};
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) {
    const Vector3d u = a.linear() * d, to = b * cb - a * ca;
    return Vector3d(a * ca + radius * (to - u * u.dot(to)).normalized());
  };
  s.gap = [=, nearest = s.nearest](const Isometry3d& a, const Isometry3d& b) {
    return (nearest(a, b) - b * cb).norm() - rb;
  };
  return s;
}

/// A wheel on the whole width of its tread: the circle in which a plane across its axis cuts it.
Solids cylinder_on_plane(const Place& p, double radius)
{
  Solids s = rim_on_plane(p, radius, std::numbers::pi / 2);
  s.touch.radius = p.radii(kFlat, radius, p.across);
  s.line = p.a.linear().transpose() * p.across;
  s.across = {p.b.linear().transpose() * p.normal};
  return s;
}

/// Axes along each other; rb < 0: inside of a pipe.
Solids parallel_cylinders(const Place& p, double ra, double rb)
{
  Solids s = sphere_on_cylinder(p, ra, rb);
  s.touch.radius = p.radii(kFlat, ra, p.along);
  s.line = p.a.linear().transpose() * p.along;
  s.across = {p.b.linear().transpose() * p.normal, p.b.linear().transpose() * p.across};
  return s;
}

/// A corner of A, or of B, on a sphere of the other.
Solids corner_on_sphere(const Place& p, double r, bool of_a)
{
  const Vector3d pa = p.a.inverse() * p.point, pb = p.b.inverse() * p.point,
                 ca = p.a.inverse() * (p.point + r * p.normal), cb = p.b.inverse() * (p.point - r * p.normal);
  Solids s{p.touch(), {}, {}};
  s.touch.radius = of_a ? SurfaceRadii{0.0, 0.0} : SurfaceRadii{r, r};
  s.touch.on_radius = of_a ? SurfaceRadii{r, r} : SurfaceRadii{0.0, 0.0};
  s.gap = [=](const Isometry3d& a, const Isometry3d& b) {
    return (of_a ? Vector3d(a * pa - b * cb) : Vector3d(a * ca - b * pb)).norm() - r;
  };
  s.nearest = [=](const Isometry3d& a, const Isometry3d& b) { return of_a ? Vector3d(a * pa) : Vector3d(b * pb); };
  return s;
}

std::vector<std::pair<const char*, Solids>> all_solids(const Place& p)
{
  return {{"sphere on sphere", sphere_on_sphere(p, 0.2, 0.5)},
          {"sphere in hollow", sphere_on_sphere(p, 0.2, -0.7)},
          {"sphere on plane", sphere_on_plane(p, 0.3)},
          {"plane on sphere", plane_on_sphere(p, 0.4)},
          {"crossing cylinders", cylinder_on_cylinder(p, 0.3, 0.2, 0.8)},
          {"sphere on cylinder", sphere_on_cylinder(p, 0.25, 0.4)},
          {"sphere in a pipe", sphere_on_cylinder(p, 0.25, -0.4)},
          {"ellipsoid on plane", ellipsoid_on_plane(p, {0.5, 0.3, 0.2})},
          {"leaning coin", rim_on_plane(p, 0.3, 0.6)},
          {"thin wheel on plane", rim_on_plane(p, 0.3, std::numbers::pi / 2)},
          {"leaning coin on sphere", rim_on_sphere(p, 0.3, 0.6, 0.4)},
          {"thin wheel on sphere", rim_on_sphere(p, 0.3, std::numbers::pi / 2, 0.4)},
          {"wheel on plane", cylinder_on_plane(p, 0.3)},
          {"parallel cylinders", parallel_cylinders(p, 0.3, 0.5)},
          {"cylinder in a pipe", parallel_cylinders(p, 0.3, -0.5)},
          {"corner on sphere", corner_on_sphere(p, 0.3, true)},
          {"sphere on corner", corner_on_sphere(p, 0.3, false)}};
}

class Motion {
 public:
  Motion(const Place& place, const Solids& solids)
      : scene_(with(place.description, solids.touch)), state_(place.state), solids_(solids)
  {
    if (!solids_.across.empty()) project_velocity(tilting());
  }
  ContactProblem problem()
  {
    ContactProblem p;
    scene_.compute(state_, p);
    return p;
  }
  /// The velocity nearest to the state's with which the bodies roll without slipping.
  void stop_slipping()
  {
    const Eigen::MatrixXd J = problem().J.topRows(3), tilts = tilting();
    Eigen::MatrixXd rows(J.rows() + tilts.rows(), J.cols());
    rows << J, tilts;
    project_velocity(rows);
  }
  void hurry(double factor) { state_.v *= factor; }
  /// Frames of both links a time later; the velocity in the scene's coordinates stays, so that joints do not
  /// accelerate.
  std::pair<Isometry3d, Isometry3d> frames(double time)
  {
    const SceneState then{scene_.integrate(state_.q, time * state_.v), state_.v};
    return {scene_.link_pose(then, kLinkA), scene_.link_pose(then, kLinkB)};
  }
  double gap(double time)
  {
    const auto [a, b] = frames(time);
    return solids_.gap(a, b);
  }
  double gap_acceleration()
  {
    constexpr double h = 2e-4;
    return (-gap(2 * h) + 16 * gap(h) - 30 * gap(0) + 16 * gap(-h) - gap(-2 * h)) / (12 * h * h);
  }
  /// Velocity of A's material relative to B's where they are nearest.
  Vector3d slip(double time)
  {
    constexpr double h = 1e-4;
    const auto [a, b] = frames(time);
    const Vector3d c = solids_.nearest(a, b);
    const auto [a1, b1] = frames(time + h);
    const auto [a0, b0] = frames(time - h);
    const Vector3d in_a = a.inverse() * c, in_b = b.inverse() * c;
    return ((a1 * in_a - a0 * in_a) - (b1 * in_b - b0 * in_b)) / (2 * h);
  }

 private:
  static SceneDescription with(SceneDescription d, const ContactDescription& touch)
  {
    d.contacts = {touch};
    return d;
  }
  void project_velocity(const Eigen::MatrixXd& rows)
  {
    state_.v -= rows.transpose() * (rows * rows.transpose()).ldlt().solve(rows * state_.v);
  }
  /// Rates at which the line of touch turns out of the other surface, by differences along every velocity.
  Eigen::MatrixXd tilting()
  {
    constexpr double h = 1e-3;
    const Eigen::Index nv = state_.v.size();
    Eigen::MatrixXd rates(static_cast<Eigen::Index>(solids_.across.size()), nv);
    const auto tilt = [&](Eigen::Index dof, double time, std::size_t k) {
      const SceneState then{scene_.integrate(state_.q, time * Eigen::VectorXd::Unit(nv, dof)), state_.v};
      return (scene_.link_pose(then, kLinkA).linear() * solids_.line)
          .dot(scene_.link_pose(then, kLinkB).linear() * solids_.across[k]);
    };
    for (Eigen::Index dof = 0; dof < nv; ++dof)
      for (std::size_t k = 0; k < solids_.across.size(); ++k)
        rates(static_cast<Eigen::Index>(k), dof) =
            (8 * (tilt(dof, h, k) - tilt(dof, -h, k)) - (tilt(dof, 2 * h, k) - tilt(dof, -2 * h, k))) / (12 * h);
    return rates;
  }

  Scene scene_;
  SceneState state_;
  Solids solids_;
};

TEST(Rolling, NormalDriftIsTheSecondDerivativeOfTheGap)
{
  Random random(61);
  for (int draw = 0; draw < 5; ++draw) {
    const Place place(random);
    for (const auto& [name, solids] : all_solids(place)) {
      Motion motion(place, solids);
      ASSERT_LT(std::abs(motion.gap(0.0)), 1e-12) << name;
      const double drift = motion.problem().gamma[0], wanted = motion.gap_acceleration();
      EXPECT_NEAR(drift, wanted, 1e-5 * (1.0 + std::abs(wanted))) << name;  // differences of 1e-16 over 4e-8
    }
  }
}

/// What differences show at a walking pace goes with the square of the speed.
TEST(Rolling, DriftGrowsWithTheSquareOfTheSpeed)
{
  Random random(65);
  const Place place(random);
  for (const auto& [name, solids] : all_solids(place)) {
    Motion motion(place, solids);
    const Eigen::VectorXd slow = motion.problem().gamma;
    motion.hurry(100.0);
    EXPECT_LT((motion.problem().gamma - 1e4 * slow).norm(), 1e-8 * slow.norm()) << name;
  }
}

/// Negative control: without radii the same bodies have other drifts.
TEST(Rolling, RadiiMatter)
{
  Random random(62);
  const Place place(random);
  for (auto [name, solids] : all_solids(place)) {
    Motion curved(place, solids);
    solids.touch.radius.reset();
    solids.touch.on_radius.reset();
    solids.touch.at_frame = ContactFrame::kLink;
    Motion plain(place, solids);
    EXPECT_GT(std::abs(curved.problem().gamma[0] - plain.problem().gamma[0]), 1e-2) << name;
  }
}

TEST(Rolling, TangentialDriftIsThatOfTheVelocityAtTheTravellingPoint)
{
  Random random(63);
  for (int draw = 0; draw < 3; ++draw) {
    const Place place(random);
    for (const auto& [name, solids] : all_solids(place)) {
      Motion motion(place, solids);
      motion.stop_slipping();
      ASSERT_LT(motion.slip(0.0).norm(), 1e-6) << name;
      const ContactProblem p = motion.problem();
      constexpr double h = 5e-4;
      const Vector3d rate =
          (8 * (motion.slip(h) - motion.slip(-h)) - (motion.slip(2 * h) - motion.slip(-2 * h))) / (12 * h);
      const Vector3d wanted = p.contacts[0].axes_W.transpose() * rate;
      EXPECT_LT((p.gamma.head(3) - wanted).norm(), 3e-5 * (1.0 + wanted.norm())) << name;
    }
  }
}

TEST(Rolling, IsTheSameFromBothSides)
{
  Random random(64);
  const Place place(random);
  for (const auto& [name, solids] : all_solids(place)) {
    Solids swapped = solids;
    ContactDescription& c = swapped.touch;
    std::swap(c.link, c.on);
    std::swap(c.radius, c.on_radius);
    c.at_frame = c.normal_frame = ContactFrame::kOn;
    c.normal = -c.normal;
    Motion one(place, solids), other(place, swapped);
    EXPECT_NEAR(one.problem().gamma[0], other.problem().gamma[0], 1e-11) << name;
  }
}

SceneDescription ball(const Vector3d& normal, double speed, std::optional<SurfaceRadii> on)
{
  SceneDescription d = scene_of({model_from_file("ball", own_urdf("sphere.urdf"), Base::kFloating)});
  d.models[0].linear_velocity = {speed, 0, 0};
  d.models[0].angular_velocity = {0, speed / 0.05, 0};
  ContactDescription c = contact("ground", "ball/sphere", -0.05 * normal, normal);
  c.radius = SurfaceRadii{0.05, 0.05};
  c.on_radius = on;
  d.contacts = {c};
  return d;
}

/// Of the gap while the ball's centre moves on at constant speed: its velocity, in axes that turn with it, does not
/// stay.
double steady_gap(const SceneDescription& d)
{
  Scene scene(d);
  const ContactProblem p = scene.compute();
  const Eigen::VectorXd& v = scene.described_state().v;
  Eigen::VectorXd a = Eigen::VectorXd::Zero(6);
  a.head<3>() = -v.tail<3>().cross(v.head<3>());
  EXPECT_LT((p.J * v).norm(), 1e-12);
  return p.J.row(0).dot(a) + p.gamma[0];
}

TEST(Rolling, ABallOnAHillAndInABowl)
{
  const double v = 1.5;
  const auto gap = [&](std::optional<SurfaceRadii> on) { return steady_gap(ball(Vector3d::UnitZ(), v, on)); };
  EXPECT_NEAR(gap({}), 0.0, 1e-12);
  EXPECT_NEAR(gap(SurfaceRadii{2.0, 2.0}), v * v / 2.05, 1e-12);
  EXPECT_NEAR(gap(SurfaceRadii{-2.0, -2.0}), -v * v / 1.95, 1e-12);
  // along the axis of a ridge, and across it
  EXPECT_NEAR(gap(SurfaceRadii{kFlat, 2.0}), 0.0, 1e-12);
  EXPECT_NEAR(gap(SurfaceRadii{2.0, kFlat}), v * v / 2.05, 1e-12);
  EXPECT_NEAR(gap(SurfaceRadii{kFlat, 2.0, Vector3d::UnitY()}), v * v / 2.05, 1e-12);
}

/// Not nearly zero: rounding of r omega^2 would contradict other contacts.
TEST(Rolling, AWheelOfACartDoesNotDrift)
{
  const std::string urdf =
      "<robot name='cart'><link name='rail'/><joint name='x' type='prismatic'><parent link='rail'/><child link='cart'/>"
      "<axis xyz='1 0 0'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint><link name='cart'>" +
      testing::inertial(3.0) +
      "</link><joint name='turn' type='continuous'><parent link='cart'/><child link='wheel'/><origin xyz='0.37 0 0.1'/>"
      "<axis xyz='0 1 0'/></joint><link name='wheel'>" +
      testing::inertial(1.0) + "</link></robot>";
  for (const double rate : {0.1, 3.0, 7.77e3}) {
    SceneDescription d = scene_of({model_from_text("m", urdf, Base::kFixed)});
    d.models[0].joints = {{"turn", 0.7}};
    d.models[0].rates = {{"turn", rate}, {"x", 0.1 * rate}};
    d.contacts = {contact("ground", "m/wheel", {0.37, 0, 0}, Vector3d::UnitZ())};
    d.contacts[0].at_frame = d.contacts[0].normal_frame = ContactFrame::kWorld;
    EXPECT_NEAR(Scene(d).compute().gamma[0], 0.1 * rate * rate, 1e-12 * rate * rate);  // a corner of the wheel
    d.contacts[0].radius = SurfaceRadii{0.1, kFlat};
    EXPECT_EQ(Scene(d).compute().gamma, Eigen::VectorXd::Zero(3)) << rate;
  }
}

TEST(Rolling, WhatLiesInAGrooveOfItsOwnSizeStaysWithItsBody)
{
  SceneDescription fits = ball(Vector3d::UnitZ(), 1.0, SurfaceRadii{-0.05, -0.05}), plain = fits;
  plain.contacts[0].radius.reset();
  plain.contacts[0].on_radius.reset();
  EXPECT_NEAR(Scene(fits).compute().gamma[0], Scene(plain).compute().gamma[0], 1e-12);
}

TEST(Rolling, SaysWhatIsWrong)
{
  const auto message = [](SceneDescription d) -> std::string {
    try {
      Scene scene(d);
      return "accepted";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  SceneDescription d = ball(Vector3d::UnitZ(), 0.0, SurfaceRadii{-0.04, -0.04});
  EXPECT_NE(message(d).find("contacts[0].on_radius: want surfaces that do not cut into each other"), std::string::npos)
      << message(d);
  d.contacts[0].on_radius = SurfaceRadii{0.0, 0.0};
  d.contacts[0].radius = SurfaceRadii{0.0, 1.0};
  EXPECT_NE(message(d).find("got it on both"), std::string::npos);
  d = ball(Vector3d::UnitZ(), 0.0, {});
  d.contacts[0].radius = SurfaceRadii{std::nan(""), 1.0};
  EXPECT_NE(message(d).find("contacts[0].radius: want radii"), std::string::npos) << message(d);
  d.contacts[0].radius = SurfaceRadii{1.0, 1.0, Vector3d::UnitZ()};
  EXPECT_NE(message(d).find("contacts[0].radius.along"), std::string::npos) << message(d);
}

TEST(Rolling, WarnsOfTurningContactsWithoutRadii)
{
  SceneDescription d = ball(Vector3d::UnitZ(), 1.0, {});
  const auto told = [](const SceneDescription& description) {
    Scene scene(description);
    return scene.turning_contacts(scene.described_state());
  };
  EXPECT_TRUE(told(d).empty());
  d.contacts[0].radius = SurfaceRadii{0.0, 0.0};
  EXPECT_TRUE(told(d).empty());
  d.contacts[0].radius.reset();
  const std::vector<Warning> warnings = told(d);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].kind, Warning::Kind::kTurningContact);
  EXPECT_EQ(warnings[0].path, "contacts[0]");
  EXPECT_NE(warnings[0].text.find("20 rad/s"), std::string::npos) << warnings[0].text;
  // spinning about the normal is no rolling
  d.models[0].linear_velocity.setZero();
  d.models[0].angular_velocity = {0, 0, 20};
  EXPECT_TRUE(told(d).empty());
}

}  // namespace
}  // namespace stiction
