#pragma once

// (EQ) M a + F = J'lambda + S'tau, and what it shares with (65).
#include "exact/sizes.hpp"

namespace stiction::exact {

/// Size of a contact's tangential force (a vector of forces in the rows of J) in the norm whose unit ball is the disk,
/// interval or polygon of friction 1, rounded up.
Q gauge(const Problem& p, const Contact& c, const Vector& lambda);
/// Largest h·f_t over that ball, rounded up; `radius` of a disk around it.
Q slip_support(const Problem& p, const Contact& c, const Vector& h, Q& radius);

/// Forces moved into their cones, sides and limits.
Vector admissible(const Problem& p, Vector lambda);

/// Whether a system that may move does, per part, and how fast its contacts are.
struct Motion {
  std::vector<bool> moves;
  Vector speed, squares;  // |a|^2 in the norm of M

  bool row_moves(const Sizes& s, std::size_t row) const { return !moves.empty() && moves[s.row_part[row]]; }
};

/// Forces within their bounds balance the loads (`residual`, terms of this size).
Refusal check_balance(const Problem& p, const Sizes& s, const Motion& motion, const Vector& lambda, Vector residual,
                      Vector size);

/// Most that contact i supplies against a leaf's motion beyond the price of its normal force, which is at most
/// `normal`, its tangential force at most `sideways`.
Q most_supply(const Problem& p, const Sizes& s, std::size_t i, const Leaf& leaf, const Q& normal, const Q& sideways);
/// The same for a row without a cone and a unit force.
Q row_supply(const Problem& p, std::size_t row, const Vector& y);

/// Entries that only rounding put there are left out: any motion may be a proof.
Leaf without_noise(const Problem& p, const Sizes& s, Leaf leaf);

/// All leaves of a certificate separate, and cover every sign.
Refusal every_leaf(const Problem& p, const Sizes& s, const Json& certificate,
                   const std::function<bool(const Leaf&)>& separates);

class Equilibrium {
 public:
  Equilibrium(const Problem& problem, const Vector& a);

  void set_load(const Vector& F);
  /// The contacts stick under the prescribed acceleration.
  bool sticks() const;
  Refusal holds(const Vector& lambda, const Vector& efforts) const;
  /// The same with the best efforts for these forces.
  Refusal holds(const Vector& lambda) const;
  /// What drives a leaf's motion beyond all that forces and efforts supply against it: no solution where it is > 0.
  bool fails(const Leaf& leaf) const;

  const Sizes& measured() const { return s_; }

 private:
  const Problem& p_;
  Vector a_, F_, load_, size_;  // M a + F and the sizes of its terms
  Sizes s_;
};

Refusal judge_equilibrium(const Problem& p, const Json& certificate);
Refusal judge_sticking(const Problem& p, const Json& certificate);
/// Every solution of Gauss' principle with the rows of p has row'a + drift < 0.
Refusal judge_penetration(const Problem& p, const Json& certificate, const Vector& row, const Q& drift);
/// Contacts that stick, or leave and are then free.
Refusal judge_free(const Problem& whole, const Json& certificate);

}  // namespace stiction::exact
