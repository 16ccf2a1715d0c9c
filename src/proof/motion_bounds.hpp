#pragma once

#include <Eigen/Core>

#include "stiction/contact_problem.hpp"

namespace stiction::internal {

/// Sizes that the judges of impact and couplings measure with, computed from the problem alone: nothing that a
/// certificate brings can widen them. Degrees of freedom that neither entries of M nor rows of one contact connect have
/// sizes of their own.
///
/// `motion` is what a solution may be expected to have: w_j of the free motion carried over to the degrees of freedom
/// that share rows with it, by the speed of the rows and by the energy, whichever is less. Solutions are taken to stay
/// within kReach times these, which is part of what the verdicts mean (docs/proofs).
struct MotionBounds {
  Eigen::VectorXd motion;  ///< per degree of freedom: accelerations, or velocities
  Eigen::VectorXd load;    ///< per degree of freedom: forces, or momenta
  Eigen::VectorXd row;     ///< per row of J: (|J| motion)_r + |offset_r|
  Eigen::VectorXd force;   ///< per row of J: multipliers; 0 for a row of zeros, which carries nothing
};

/// A solution may exceed the expected sizes by this much.
inline constexpr double kReach = 0x1p12;

/// Share of |J|'|λ| that the balance of momentum or force may miss: what multipliers rounded to double leave.
inline constexpr double kLastBits = 0x1p-52;

/// Share of a friction budget by which impulses may leave it, or miss its rim where they slip: doubles cannot do
/// better.
inline constexpr double kBudgetRim = 0x1p-50;

/// Share of an entry of a program, and of the impulses in it, that the two and the rounding of the entry come to.
inline constexpr double kBlur = 0x1p-49;

/// Factor that covers the rounding of these bounds, and of charges and sums made of them.
inline constexpr double kBoundRounding = 1.0 + 0x1p-10;

/// @param free motion without contacts, |F_j|/M_jj or |u-_j| (massless degrees of freedom: 0 or |u-_j|)
/// @param applied forces, |F_j|, or zeros
/// @param offset of the rows, |γ_r|, or zeros
MotionBounds motion_bounds(const ContactProblem& problem, const Eigen::VectorXd& free, const Eigen::VectorXd& applied,
                           const Eigen::VectorXd& offset);

/// Of the motion M a + F = J'λ, with rows J a + γ.
MotionBounds acceleration_bounds(const ContactProblem& problem);

/// Of the impact M (u+ - u-) = J'Λ from u-.
MotionBounds impact_bounds(const ContactProblem& problem, const Eigen::VectorXd& before);

}  // namespace stiction::internal
