#pragma once

#include <vector>

#include "stiction/impact.hpp"

namespace stiction {

/// What an impact is asked about.
struct ImpactInput {
  ContactProblem problem;
  Impact impact;
};

/// The velocity after a blow from outside, v + M^-1 `impulse` (generalised, N s and N m s), with which bodies then hit:
/// a blow at the same instant as an impact comes first. For plastic contacts that is the same as both together, (2.10a)
/// of Loetstedt 1982; restitution counts the velocity after the blow.
/// @throws InputError "impulses" where something without inertia is hit.
Eigen::VectorXd struck(const ContactProblem& problem, const Eigen::VectorXd& velocity, const Eigen::VectorXd& impulse);

/// The impact of a system that moves with `velocity`: without forces and motors, which do nothing in an instant, and
/// without tangential and torsional rows that nothing can move: a planar mechanism has planar friction. No velocity
/// depends on impulses there, and modes in the plane can be told apart for good, unlike directions in space. Where
/// only one direction moves, it becomes the contact's t1.
/// @param laws one per contact of the problem, or empty: everything plastic.
/// @throws InputError for another number of laws.
ImpactInput impact_input(const ContactProblem& problem, const Eigen::VectorXd& velocity,
                         const std::vector<ImpactLaw>& laws = {});

}  // namespace stiction
