// Two readers of the same robots: our tree and the model that Pinocchio's own URDF parser builds. The only file that
// includes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <pinocchio/parsers/urdf.hpp>

#include "scene/helpers.hpp"
#include "scene/urdf.hpp"

namespace stiction::internal {
namespace {

using pinocchio::SE3;

/// One configuration, written down twice: a position for each joint with one freedom, the others at rest.
double position(int joint) { return 0.3 + 0.1 * (joint % 7); }

SE3 moved(const UrdfJoint& joint, int index)
{
  const SE3 origin(joint.origin.linear(), joint.origin.translation());
  if (freedoms(joint.type) != 1) return origin;
  if (joint.type == JointType::kPrismatic)
    return origin * SE3(Eigen::Matrix3d::Identity(), position(index) * joint.axis);
  return origin * SE3(Eigen::AngleAxisd(position(index), joint.axis).toRotationMatrix(), Eigen::Vector3d::Zero());
}

class Comparison {
 public:
  Comparison(const UrdfTree& tree, const std::string& text) : tree_(tree)
  {
    pinocchio::urdf::buildModelFromXML(text, pinocchio::JointModelFreeFlyer(),
                                       model_);  // fixed, it loses the root's inertia
    place_ours(tree.root, SE3::Identity(), 1);
    place_theirs();
  }

  void freedoms_and_limits() const
  {
    int nv = 6;
    for (const UrdfJoint& joint : tree_.joints) {
      SCOPED_TRACE(joint.name);
      nv += freedoms(joint.type);
      if (joint.type == JointType::kFixed) continue;
      ASSERT_TRUE(model_.existJointName(joint.name));
      const auto& theirs = model_.joints[model_.getJointId(joint.name)];
      EXPECT_EQ(theirs.nv(), freedoms(joint.type));
      if (freedoms(joint.type) != 1 || !joint.limited) continue;
      EXPECT_EQ(model_.upperEffortLimit[theirs.idx_v()], joint.effort);
      EXPECT_EQ(model_.upperVelocityLimit[theirs.idx_v()], joint.velocity);
      if (joint.type == JointType::kContinuous) continue;  // no end stops
      EXPECT_EQ(model_.lowerPositionLimit[theirs.idx_q()], joint.lower);
      EXPECT_EQ(model_.upperPositionLimit[theirs.idx_q()], joint.upper);
    }
    EXPECT_EQ(model_.nv, nv);
  }

  void placements() const
  {
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      SCOPED_TRACE(tree_.links[i].name);
      ASSERT_TRUE(model_.existFrame(tree_.links[i].name, pinocchio::BODY));
      const auto& frame = model_.frames[model_.getFrameId(tree_.links[i].name, pinocchio::BODY)];
      const SE3 theirs = joints_[frame.parentJoint] * frame.placement;
      EXPECT_LE((links_[i].toHomogeneousMatrix() - theirs.toHomogeneousMatrix()).cwiseAbs().maxCoeff(), 1e-12);
    }
  }

  /// Links that are fixed to each other are one body there.
  void masses() const
  {
    std::vector<pinocchio::Inertia> bodies(model_.joints.size(), pinocchio::Inertia::Zero());
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      const UrdfLink& link = tree_.links[i];
      const auto body = carriers_.at(static_cast<int>(i));
      bodies[body] += joints_[body].actInv(links_[i]).act(pinocchio::Inertia(link.mass, link.com, link.inertia));
    }
    for (std::size_t j = 1; j < bodies.size(); ++j) {
      SCOPED_TRACE(model_.names[j]);
      const Eigen::Matrix<double, 6, 6> theirs = model_.inertias[j].matrix();
      EXPECT_LE((bodies[j].matrix() - theirs).cwiseAbs().maxCoeff(),
                1e-12 * std::max(1.0, theirs.cwiseAbs().maxCoeff()));
    }
  }

 private:
  void place_ours(int link, const SE3& pose, pinocchio::JointIndex carrier)
  {
    links_.resize(tree_.links.size());
    links_[idx(link)] = pose;
    carriers_[link] = carrier;
    for (int j : tree_.links[idx(link)].child_joints) {
      const UrdfJoint& joint = tree_.joints[idx(j)];
      place_ours(joint.child, pose * moved(joint, j),
                 joint.type == JointType::kFixed ? carrier : model_.getJointId(joint.name));
    }
  }

  void place_theirs()
  {
    joints_.assign(model_.joints.size(), SE3::Identity());
    for (std::size_t j = 2; j < model_.joints.size(); ++j) {
      const auto& joint = model_.joints[j];
      const int ours = tree_.find_joint(model_.names[j]);
      joints_[j] = joints_[model_.parents[j]] * model_.jointPlacements[j];
      if (joint.nv() != 1) continue;
      Eigen::VectorXd q = Eigen::VectorXd::Zero(model_.nq);
      q[joint.idx_q()] = position(ours);
      if (joint.nq() == 2) q.segment<2>(joint.idx_q()) << std::cos(position(ours)), std::sin(position(ours));
      auto data = joint.createData();
      joint.calc(data, q);
      joints_[j] = joints_[j] * SE3(data.M());
    }
  }

  const UrdfTree& tree_;
  pinocchio::Model model_;
  std::vector<SE3> links_, joints_;  // in the root link
  std::map<int, pinocchio::JointIndex> carriers_;
};

std::vector<std::string> urdfs_below(const std::string& folder)
{
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".urdf") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

/// @return how many could be compared
int compare_all_below(const std::string& folder)
{
  int compared = 0;
  for (const std::string& file : urdfs_below(folder)) {
    SCOPED_TRACE(file);
    const std::string text = read_urdf_file(file, {}, "urdf");
    UrdfTree tree;
    try {
      tree = parse_urdf(text, "urdf");
    } catch (const InputError& error) {
      std::cout << "not compared: " << file << " is refused: " << error.what() << "\n";
      continue;
    }
    const bool planar = std::ranges::any_of(tree.joints, [](const UrdfJoint& joint) {
      return joint.type == JointType::kPlanar && joint.axis != Eigen::Vector3d::UnitZ();
    });
    if (planar) {
      std::cout << "not compared: " << file << ": Pinocchio ignores the axis of planar joints\n";
      continue;
    }
    const Comparison comparison(tree, text);
    comparison.freedoms_and_limits();
    comparison.placements();
    comparison.masses();
    ++compared;
  }
  return compared;
}

TEST(BuildModel, OfTheShippedRobotsIsOurTree) { EXPECT_GE(compare_all_below(testing::own_urdf("")), 5); }

TEST(BuildModel, OfRealRobotsIsOurTree)
{
  if (testing::robot_folder().empty()) GTEST_SKIP() << testing::kNoRobots;
  EXPECT_GE(compare_all_below(testing::robot_folder()), 60);
}

}  // namespace
}  // namespace stiction::internal
