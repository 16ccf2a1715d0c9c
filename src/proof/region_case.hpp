#pragma once

#include "proof/leaf_judge.hpp"
#include "stiction/proof/region.hpp"

namespace stiction::internal {

/// True when some side of an outer polygon is one of the clipping square.
bool touches_square(const std::vector<MotionLeaf>& sides);

/// The line of side i of the outer polygon, normal·c <= offset in the world, as it is shown: across the shift that its
/// motion sees.
void side_line(const RegionInput& input, const RegionPieceProof& piece, std::size_t i, Eigen::Vector2d& normal,
               double& offset);

bool encloses_all(const RegionPieceProof& piece, const std::optional<double>& clip);

/// The checks of judge_region one by one: what finds a region drops what they refuse. `why` receives the reason.
class RegionCase {
 public:
  RegionCase(const RegionInput& input, const RegionRules& rules, std::string* why);

  bool well_formed();
  Verdict position(const Certificate& certificate);
  bool piece(const RegionPieceProof& proof, bool& bounded);
  bool nowhere(const MotionLeaf& leaf);  ///< no displacement within kRegionReach is held with the signs of the leaf
  bool ray(const RegionRay& proof);

  /// The signs that the next two are about.
  bool take_signs(const std::vector<int>& signs);
  bool held(const Eigen::Vector2d& s, const Eigen::VectorXd& lambda);
  /// The motion that the next one is about: what it is left with at s, positive when it proves that s is not held, else
  /// minus infinity.
  bool take_leaf(const MotionLeaf& leaf);
  double failing_gain(const Eigen::Vector2d& s);
  /// Nothing outside the polygon is held: within the clipping square, if there is one, or at all.
  bool outer(const Polygon& polygon, const std::vector<MotionLeaf>& sides, const std::optional<double>& clip);

 private:
  bool placed();
  bool balances(const Eigen::VectorXd& lambda);
  bool goes_on(const Eigen::Vector2d& direction, const Eigen::VectorXd& lambda);
  bool far_corners(const Polygon& outer, double reach, Polygon& far);

  const RegionInput& input_;
  const RegionRules& rules_;
  std::string* why_;
  Judge judge_;
  LeafJudge leaf_judge_;
  Eigen::VectorXd a_, rest_;
  ContactProblem problem_;  ///< with the signs at hand
  std::vector<int> signs_;
  bool measured_ = false;  ///< by leaf_judge_
  bool convex_ = true;     ///< the forces of these signs are a convex set
  Certificate forces_, leaf_;
};

}  // namespace stiction::internal
