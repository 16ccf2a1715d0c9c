#include "stiction_ros/markers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "cart.hpp"
#include "stiction_ros/monitor.hpp"

namespace {

using visualization_msgs::msg::Marker;
using visualization_msgs::msg::MarkerArray;

MarkerArray seen(double slide, double mu = 0.6, uint8_t side = stiction_msgs::msg::Contact::UNILATERAL)
{
  stiction_ros::Monitor monitor;
  monitor.set_robot(cart::kUrdf);
  auto contacts = cart::feet(1.0, mu);
  contacts.contacts[0].side = side;
  monitor.set_contacts(contacts);
  monitor.set_joints(cart::slider(slide, 1.0));
  monitor.set_base(cart::base(1.0));
  const auto observation = monitor.observe(cart::at(1.0));
  EXPECT_FALSE(observation.stability.stale) << observation.stability.reason;
  return observation.markers;
}

std::vector<Marker> of(const MarkerArray& array, const std::string& name, int32_t type)
{
  std::vector<Marker> found;
  for (const Marker& marker : array.markers)
    if (marker.ns == name && marker.type == type && marker.action == Marker::ADD) found.push_back(marker);
  return found;
}

Eigen::Vector3d vector(const geometry_msgs::msg::Point& p) { return {p.x, p.y, p.z}; }
Eigen::Vector3d arrow(const Marker& marker) { return vector(marker.points[1]) - vector(marker.points[0]); }

TEST(Markers, BeginByRemovingTheOldOnesAndAreNumbered)
{
  for (const double slide : {0.0, 0.5}) {
    const MarkerArray array = seen(slide);
    ASSERT_FALSE(array.markers.empty());
    EXPECT_EQ(array.markers[0].action, Marker::DELETEALL);
    std::set<std::pair<std::string, int>> names;
    for (std::size_t i = 1; i < array.markers.size(); ++i) {
      const Marker& marker = array.markers[i];
      EXPECT_EQ(marker.action, Marker::ADD);
      EXPECT_TRUE(names.insert({marker.ns, marker.id}).second) << marker.ns << marker.id;
      EXPECT_EQ(marker.header.frame_id, "world");
      EXPECT_EQ(marker.header.stamp, cart::at(1.0));
      EXPECT_EQ(marker.pose.orientation.w, 1.0);
      EXPECT_GT(marker.scale.x, 0.0);
      EXPECT_GT(marker.color.a, 0.0f);
      if (marker.type == Marker::TRIANGLE_LIST) {
        EXPECT_EQ(marker.points.size() % 3, 0u);
      }
    }
  }
  EXPECT_EQ(stiction_ros::no_markers(std_msgs::msg::Header()).markers.size(), 1u);
}

TEST(Markers, ConesOpenByTheAngleOfFriction)
{
  for (const uint8_t side : {stiction_msgs::msg::Contact::UNILATERAL, stiction_msgs::msg::Contact::BILATERAL}) {
    const auto cones = of(seen(0.0, 0.6, side), "cones", Marker::TRIANGLE_LIST);
    ASSERT_EQ(cones.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto corner = cart::feet(0.0).contacts[0].points[i];
      const Eigen::Vector3d apex(corner.x, corner.y, 0.0);
      Eigen::Vector3d area = Eigen::Vector3d::Zero();
      int down = 0;
      for (std::size_t k = 0; k < cones[i].points.size(); k += 3) {
        EXPECT_LT((vector(cones[i].points[k]) - apex).norm(), 1e-12);
        const Eigen::Vector3d a = vector(cones[i].points[k + 1]) - apex, b = vector(cones[i].points[k + 2]) - apex;
        for (const Eigen::Vector3d& edge : {a, b}) {
          EXPECT_NEAR(edge.norm(), 0.1, 1e-12);
          EXPECT_NEAR(edge.head<2>().norm(), 0.6 * std::abs(edge.z()), 1e-12);
        }
        EXPECT_GT(a.z() * b.z(), 0.0);
        area += a.cross(b);  // of a closed cone: along its axis only
        down += a.z() < 0.0;
      }
      EXPECT_LT(area.head<2>().norm(), 1e-12);
      EXPECT_EQ(down, side == stiction_msgs::msg::Contact::BILATERAL ? 24 : 0);
    }
  }
  EXPECT_TRUE(of(seen(0.0, 0.0), "cones", Marker::TRIANGLE_LIST).empty());  // no friction, no cone
}

TEST(Markers, ForcesTogetherAreAsLongAsTheWeight)
{
  const MarkerArray array = seen(0.2);
  const auto forces = of(array, "forces", Marker::ARROW);
  ASSERT_EQ(forces.size(), 4u);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();
  for (const Marker& force : forces) {
    sum += arrow(force);
    moment += vector(force.points[0]).cross(arrow(force));
  }
  EXPECT_LT((sum - Eigen::Vector3d(0, 0, 0.5)).norm(), 1e-9);  // weight_length
  EXPECT_NEAR(moment.y(), -0.05 * 0.5, 1e-9);                  // of the weight at x = 0.05
  EXPECT_TRUE(of(array, "motion", Marker::ARROW).empty());
}

TEST(Markers, RegionIsTheSquareBelowTheCube)
{
  const MarkerArray array = seen(0.2);
  const auto area = of(array, "region", Marker::TRIANGLE_LIST);
  ASSERT_EQ(area.size(), 1u);
  double covered = 0.0;
  for (std::size_t k = 0; k < area[0].points.size(); k += 3) {
    const Eigen::Vector3d a = vector(area[0].points[k]);
    covered += 0.5 * (vector(area[0].points[k + 1]) - a).cross(vector(area[0].points[k + 2]) - a).z();
    for (int j = 0; j < 3; ++j) {
      const Eigen::Vector3d corner = vector(area[0].points[k + j]);
      EXPECT_LE(corner.head<2>().cwiseAbs().maxCoeff(), 0.1 + 1e-9);
      EXPECT_NEAR(corner.z(), 0.0, 2e-3);
    }
  }
  EXPECT_NEAR(covered, 0.04, 0.04 * 1e-3);
  const auto outline = of(array, "region", Marker::LINE_STRIP);
  ASSERT_EQ(outline.size(), 1u);
  EXPECT_EQ(outline[0].points.front(), outline[0].points.back());
  const auto ball = of(array, "center_of_mass", Marker::SPHERE);
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_LT((vector(ball[0].pose.position) - Eigen::Vector3d(0.05, 0.0, 0.1)).norm(), 1e-12);
}

TEST(Markers, ACubeThatTipsLiftsItsFarCorners)
{
  const MarkerArray array = seen(0.5);  // centre of mass 0.025 m beyond the edge at x = 0.1
  EXPECT_TRUE(of(array, "forces", Marker::ARROW).empty());
  const auto arrows = of(array, "motion", Marker::ARROW);
  ASSERT_GE(arrows.size(), 3u);
  double longest = 0.0;
  int lifted = 0;
  for (const Marker& motion : arrows) {
    const Eigen::Vector3d from = vector(motion.points[0]);
    longest = std::max(longest, arrow(motion).norm());
    if (from.z() > 0.05) {  // the centre of mass sinks
      EXPECT_LT(arrow(motion).z(), 0.0);
    } else if (from.x() < 0.0) {
      EXPECT_GT(arrow(motion).z(), 0.0);
      ++lifted;
    } else {
      EXPECT_GE(arrow(motion).z(), -1e-6);  // no corner goes through the floor
    }
  }
  EXPECT_EQ(lifted, 2);
  EXPECT_NEAR(longest, 0.2, 1e-9);  // motion_length
}

}  // namespace
