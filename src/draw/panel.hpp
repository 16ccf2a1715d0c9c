// One view of a picture.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "draw/labels.hpp"
#include "draw/svg.hpp"
#include "stiction/picture.hpp"

namespace stiction::internal {

/// Directions of a view in the world: what is right, up and towards the eye on paper.
struct Eye {
  std::string caption;
  Eigen::Vector3d right, up, toward;
};
/// Looking along a direction; upwards is z, or y where that is the direction.
Eye eye_along(const Eigen::Vector3d& direction, const std::string& caption);

/// Lengths in the world that one unit of what arrows show has, and of marks without a size of their own.
struct Scales {
  double newton = 0.0, newton_second = 0.0, speed = 0.0;  ///< m per unit; 0: there is no such arrow
  double mark = 0.0;                                      ///< m

  explicit Scales(const Picture& picture);
  /// Metres per unit of a kind of arrow.
  double of(Picture::Kind kind) const;
};

/// How a kind of arrow is drawn and called.
struct ArrowStyle {
  const char *css, *colour, *dashes, *legend;
  double width;
};
const ArrowStyle& style_of(Picture::Kind kind);

/// The part of a style sheet that lets ghosts move. Who asks for less motion sees none.
std::string animation_css();

/// The head of an arrow, and a circle instead of an arrow that points out of the paper (a dot) or into it (a cross).
std::string arrow_head(const Eigen::Vector2d& from, const Eigen::Vector2d& tip, const ArrowStyle& style);

/// A centre of mass, as mechanics marks it.
std::string mass_mark(const Eigen::Vector2d& at);

class Panel {
 public:
  Panel(const Picture& picture, const Scales& scales, const Eye& eye, bool animated);

  /// Pixels per metre at which everything that matters fits into a frame of that size.
  double fitting_scale(const Eigen::Vector2d& size) const;
  /// Draws into a frame. Labels that found room are added to `told`; those about a place where another label is
  /// already are left out if `told` has them.
  std::string svg(const Eigen::AlignedBox2d& frame, double pixels, std::set<std::string>& told);

 private:
  Eigen::Vector2d flat(const Eigen::Vector3d& point) const;  ///< metres on paper, from the middle of the focus
  Eigen::Vector2d at(const Eigen::Vector3d& point) const;    ///< pixels
  Outline shadow(const std::vector<Picture::Ball>& hull) const;
  Outline cone_outline(const Picture::Cone& cone, double side) const;
  std::string polygon(const Outline& outline, const std::string& css) const;
  std::string line(const Eigen::Vector2d& from, const Eigen::Vector2d& to, const std::string& css,
                   const std::string& more = "") const;

  std::string surface(const Picture::Surface& surface) const;
  /// Bodies; or ghosts, a share of the way from their bodies to where they are.
  std::string solids(bool ghosts, double share = 1.0) const;
  std::string moving_ghosts() const;
  std::string cone(const Picture::Cone& cone) const;
  std::string arrow(const Picture::Arrow& arrow);
  std::string mass(const Picture::Mass& mass);
  std::string axes();

  struct Wanted {
    std::string text;
    Eigen::Vector2d about, away;
    double importance;
  };
  std::string labels(std::set<std::string>& told);

  const Picture& picture_;
  const Scales& scales_;
  Eye eye_;
  bool animated_;
  Eigen::AlignedBox2d reach_;  ///< metres on paper
  Eigen::AlignedBox2d frame_;
  double pixels_ = 1.0;
  std::vector<Wanted> wanted_;
  LabelPlacer placer_{Eigen::AlignedBox2d()};
};

}  // namespace stiction::internal
