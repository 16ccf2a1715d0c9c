#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/equilibrium.hpp"
#include "stiction/proof/region.hpp"

namespace stiction {

struct RegionOptions {
  ConeShape shape;
  double relative_gap = 1e-3;  ///< stop when (outer area - inner area) <= relative_gap * outer area
  int max_directions = 400;    ///< boundary searches per piece; then the gap stays as it is
  int branch_limit = 64;       ///< convex pieces (sign patterns of bilateral contacts) before the rest is only bounded
  /// Clip to the square position ± clip (m), for unbounded regions. Not asked: an unbounded region has no polygons.
  std::optional<double> clip;
};

/// One half-plane normal·c <= offset that contains the region (a piece of it), with its proof.
struct RegionCut {
  Eigen::Vector2d normal = Eigen::Vector2d::Zero();  ///< unit
  double offset = 0.0;                               ///< m
  /// Leaf of judge_equilibrium that fails the positions beyond (signs those of the piece); its motion is empty for the
  /// sides of the clipping square, which need no proof.
  MotionLeaf proof;
};

/// The part of the region with one choice of signs of the bilateral contacts: convex. Without bilateral contacts (with
/// friction or a limit) there is one piece, the region.
struct RegionPiece {
  std::vector<int> signs;               ///< one per contact, as in MotionLeaf
  Polygon inner;                        ///< every corner is held, with forces as proof; empty: none is proved
  Polygon outer;                        ///< everything held is inside; empty: no such polygon is proved
  std::vector<Eigen::VectorXd> forces;  ///< lambda for each corner of `inner`
  std::vector<RegionCut> cuts;          ///< the half-planes whose intersection is `outer`, one per side
};

/// inner ⊆ region ⊆ outer, as unions over the pieces. Positions are horizontal centre-of-mass coordinates (m), rounded
/// as they are far from the origin; `proof` has the same corners as displacements, and everything here is what
/// proved_region makes of it.
struct RegionResult {
  RegionKind kind = RegionKind::kUndecided;
  std::string reason;                                   ///< why undecided, or why a gap stays open; empty otherwise
  Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< kUnbounded: the region goes on for ever this way (unit)
  std::vector<RegionPiece> pieces;                      ///< without the empty ones
  Margin area = {Margin::State::kNotAsked, 0.0, kInfinity, {}};  ///< m^2, of the union (clipped when asked)
  Verdict verdict = Verdict::kUndecided;                         ///< of the current position
  /// `com` margin, m: distance of the current position from the boundary of the region, positive inside and negative
  /// outside, in [lower, upper]. For several pieces inside: to the boundary of the piece that reaches furthest (lower)
  /// and of the union (upper). kNone: the region is empty. Clipping sides are no boundary: they only widen the
  /// interval.
  Margin distance;
  RegionCertificate proof;  ///< for judge_region
  int directions = 0;       ///< boundary searches made
  int iterations = 0;
};

/// The support region: all horizontal positions c of the centre of mass at which (EQ) holds, contacts and Jacobians
/// staying those of the given configuration,
///
///   { c : M a + F + shift (c - position) = J'λ + S'τ for some admissible λ, τ }.
///
/// One per thread.
class RegionChecker {
 public:
  explicit RegionChecker(std::unique_ptr<Engine> engine = make_native_engine());
  ~RegionChecker();
  RegionChecker(RegionChecker&&) noexcept;
  RegionChecker& operator=(RegionChecker&&) noexcept;

  /// @throws InputError as EquilibriumChecker::check, and for `shift`, `position` and options. The overloads that
  /// return the result also validate the problem.
  void check(const RegionInput& input, const RegionOptions& options, RegionResult& result);
  RegionResult check(const RegionInput& input, const RegionOptions& options = {});

  /// The same for bare matrices.
  /// @param a prescribed acceleration, nv; empty: zero.
  /// @param shift nv x 2: change of F per metre of horizontal displacement of the centre of mass (N, N m per m).
  /// @param position current horizontal position of the centre of mass, the one F belongs to.
  RegionResult check(const ContactProblem& problem, const Eigen::VectorXd& a, const Eigen::MatrixX2d& shift,
                     const Eigen::Vector2d& position, const RegionOptions& options = {});

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction
