#pragma once

#include <algorithm>

#include "ask/equilibrium_workspace.hpp"
#include "proof/region_case.hpp"
#include "proof/scales.hpp"
#include "stiction/region.hpp"

namespace stiction {

struct RegionChecker::Workspace {
  EquilibriumChecker::Workspace checker;  ///< of the position
  const RegionInput* input = nullptr;
  const ContactProblem* problem = nullptr;
  const RegionOptions* options = nullptr;
  RegionRules rules;
  Eigen::MatrixX2d shift;
  internal::Loads from, slope;
  internal::Scales scales;
  internal::LineCast line;
  internal::HoldAnswer found;  ///< with a piece's signs

  /// One piece while it grows. All points are displacements from the position: far from the origin they keep their
  /// precision.
  struct Sandwich {
    std::vector<int> signs;
    std::vector<Eigen::Vector2d> points;  ///< held
    std::vector<Eigen::VectorXd> forces;  ///< of each point
    Polygon inner;                        ///< hull of the points
    std::vector<int> inner_point;         ///< index of each corner
    Polygon outer;
    std::vector<int> outer_cut;  ///< per side; -1: the clipping square
    std::vector<RegionCut> cuts;
    double half_side = 0.0;         ///< of the square around the first point, or the position when clipping
    std::vector<MotionLeaf> walls;  ///< motions that keep the piece from going on along the four axes
    std::string reason;
    int directions = 0;

    bool in_square() const { return std::count(outer_cut.begin(), outer_cut.end(), -1) > 0; }
  };

  void find(RegionResult& result);
  void search_all(RegionResult& result);
  bool find_pieces(RegionResult& result);
  Verdict deepest_point(internal::MultiplierSet& anywhere, Sandwich& piece);
  bool find_recession(Sandwich& piece, RegionResult& result);
  void write_ray(const Sandwich& piece, const Eigen::Vector2d& along, const Eigen::VectorXd& rays, RegionRay& ray);
  void shoot(Sandwich& piece, const Eigen::Vector2d& target, double gap);
  void shoot_beside(Sandwich& piece, const Eigen::Vector2d& target);
  bool cast_from_the_middle(Sandwich& piece, internal::MultiplierSet& set, const Eigen::Vector2d& middle,
                            const Eigen::Vector2d& target, double gap);
  void add_point(Sandwich& piece, const Eigen::Vector2d& c, const Eigen::VectorXd& x);
  void add_cut(Sandwich& piece, const MotionLeaf& leaf);
  RegionCut cut_of(const Sandwich& piece, const MotionLeaf& proof);
  void start_outer(Sandwich& piece, double half_side);
  void grow(Sandwich& piece);
  void settle_distance(Sandwich& piece);
  internal::HoldProblem problem_of(internal::MultiplierSet& set, const internal::Loads& loads,
                                   const std::vector<int>& signs) const
  {
    return {set, loads, &signs, {}, checker.branch_limit};
  }

  // region_proof.cpp: first what is believed, judged as a whole; when that is refused, part by part.
  bool part_by_part = false;
  void write_proof(RegionResult& result);
  void keep_what_is_proved(RegionResult& result);
  void write_inner(internal::RegionCase& judge, const Sandwich& piece, RegionPieceProof& proof) const;
  bool turn_away(MotionLeaf& leaf);
  int sides_left_open(const MotionLeaf& leaf) const;
  void add_empty(const MotionLeaf& leaf, std::vector<MotionLeaf>& empty);
  bool move_out(internal::RegionCase& judge, const Polygon& outer, const std::vector<int>& owner, const Sandwich& piece,
                std::vector<double>& offsets) const;
  bool close(internal::RegionCase& judge, const Sandwich& piece, const std::optional<double>& clip, Polygon& outer,
             std::vector<MotionLeaf>& sides) const;
  void close_beyond_the_square(internal::RegionCase& judge, const Sandwich& piece, RegionPieceProof& proof);
  void write_claims(std::optional<RegionClaims> proved, RegionResult& result);

  std::vector<Sandwich> pieces;

  /// Motions that separate every contact, for leaves of some signs that leave some degrees of freedom to their motors.
  struct Separation {
    std::vector<int> signs;
    std::vector<char> locked;  ///< per degree of freedom
    Eigen::VectorXd away;      ///< empty: there is none
  };
  std::vector<Separation> separations;
  bool charged = false;  ///< some cut's motion leaves a contact or closure at rest, which the judge charges
};

}  // namespace stiction
