#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>
#include <string>
#include <vector>

namespace stiction::internal {

/// Finds room for text beside what it is about: inside a frame, never on other text, and off lines as far as that goes.
class LabelPlacer {
 public:
  explicit LabelPlacer(const Eigen::AlignedBox2d& frame) : frame_(frame) {}

  /// Something that text should not cover, but may.
  void avoid(const Eigen::Vector2d& from, const Eigen::Vector2d& to) { lines_.emplace_back(from, to); }
  /// A place that text must not cover.
  void block(const Eigen::AlignedBox2d& box) { taken_.push_back(box); }

  /// The box of a text about the point, away from `away` where it can; none: there is no room near it.
  std::optional<Eigen::AlignedBox2d> place(const Eigen::Vector2d& about, const Eigen::Vector2d& away, double width,
                                           double height);

 private:
  double cost_of(const Eigen::AlignedBox2d& box) const;

  Eigen::AlignedBox2d frame_;
  std::vector<std::pair<Eigen::Vector2d, Eigen::Vector2d>> lines_;
  std::vector<Eigen::AlignedBox2d> taken_;
};

}  // namespace stiction::internal
