#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/margin.hpp"
#include "stiction/proof.hpp"

namespace stiction {

/// Corners in counter-clockwise order; two for a segment, one for a point.
using Polygon = std::vector<Eigen::Vector2d>;

/// What a support region is asked about (made by region_input from a scene, or from bare matrices): all horizontal
/// displacements s = c - position of the centre of mass c at which
///
///   M a + F + shift s = J'λ + S'τ   for some admissible λ, τ.                                        (EQ at s)
struct RegionInput {
  ContactProblem problem;
  Eigen::VectorXd a;       ///< prescribed acceleration, nv; empty: zero
  Eigen::MatrixX2d shift;  ///< nv x 2: change of F per metre along x and y (N, N m per m)
  Eigen::Vector2d position =
      Eigen::Vector2d::Zero();  ///< of the centre of mass now: the one F belongs to, m in the world
  /// First of the six degrees of freedom of the floating base whose centre of mass moves, or -1 for bare matrices. With
  /// it the judge compares position and shift with M, J and the contact points.
  Eigen::Index base = -1;
};

/// Every number and name of the two is the same.
bool operator==(const RegionInput& a, const RegionInput& b);

struct RegionRules {
  ConeShape shape;
  std::optional<double> clip;  ///< only the square position ± clip is asked about, m
};

enum class RegionKind { kUndecided, kEmpty, kBounded, kUnbounded };

/// Proofs about the part of the region with one choice of signs of the bilateral contacts, which is convex. Corners are
/// displacements s: they have the precision of the region's size, however far from the world's origin it lies.
struct RegionPieceProof {
  std::vector<int> signs;               ///< one per contact, as in MotionLeaf
  Polygon inner;                        ///< strictly convex; every corner is held; empty: nothing is claimed to be
  std::vector<Eigen::VectorXd> forces;  ///< λ for each corner of `inner`
  Polygon outer;                        ///< strictly convex; nothing beyond is held; empty: not claimed
  /// For each side of `outer`, from corner i to i + 1, the leaf of judge_equilibrium that fails every position beyond
  /// it; its motion is empty for the sides of the clipping square, which need no proof.
  std::vector<MotionLeaf> sides;
  /// Where `outer` ends at the clipping square: a polygon around the whole piece, with proofs of all its sides, as
  /// proof that the region is bounded; empty: not claimed.
  Polygon bound;
  std::vector<MotionLeaf> bound_sides;
};

/// The region goes on for ever: `forces` hold at `point`, and `ray` carries shift * direction alone, without limited
/// normal forces and efforts.
struct RegionRay {
  std::vector<int> signs;
  Eigen::Vector2d point = Eigen::Vector2d::Zero();
  Eigen::VectorXd forces;
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();
  Eigen::VectorXd ray;
};

struct RegionCertificate {
  Certificate position;  ///< of (EQ) at s = 0, for judge_equilibrium; kNone: that stays undecided
  std::vector<RegionPieceProof> pieces;
  std::vector<MotionLeaf> empty;  ///< sign patterns with which no position at all is held
  std::optional<RegionRay> ray;
};

/// What is said about a region. Of the intervals the ends are claimed, not what they are called.
struct RegionClaims {
  Verdict verdict = Verdict::kUndecided;  ///< of the position
  RegionKind kind = RegionKind::kUndecided;
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< kUnbounded
  Margin area = {
      Margin::State::kNotAsked, 0.0, kInfinity, {}};  ///< m^2, of the union of the pieces (clipped when asked)
  /// Distance of the position from the boundary of the region, positive inside, negative outside, m. For several
  /// pieces: inside, to the boundary of the piece that reaches furthest (lower) and of the union (upper). Means nothing
  /// for kEmpty.
  Margin distance;
};

/// "Nothing is held" is proved for displacements up to this far, m; where a piece has a held corner it then follows for
/// all.
inline constexpr double kRegionReach = 1e6;

/// The strongest claims that a certificate proves, from the problem's own numbers and with no solver; empty, and why,
/// when some part of it proves nothing. What is absent is not claimed: a piece without `outer` leaves the area
/// unbounded above, sign patterns without piece or leaf leave everything but the inner polygons open.
/// docs/proofs/region.md has the theorem.
std::optional<RegionClaims> proved_region(const RegionInput& input, const RegionRules& rules,
                                          const RegionCertificate& certificate, std::string* why = nullptr);

/// True when the certificate proves the claims: the same verdict, kind and direction, and intervals no narrower than
/// what is proved. A kind or a verdict that is claimed to be undecided claims nothing.
bool judge_region(const RegionInput& input, const RegionRules& rules, const RegionCertificate& certificate,
                  const RegionClaims& claims, std::string* why = nullptr);

/// Area of a union of convex polygons (overlaps count once).
double union_area(const std::vector<Polygon>& polygons);

}  // namespace stiction

// Proved of a RegionResult: verdict, kind, direction, pieces, areas and distance. Not proved: only its reason.
