#pragma once

#include <vector>

#include "stiction/impact.hpp"

namespace stiction {

/// What an impact is asked about.
struct ImpactInput {
  ContactProblem problem;
  Impact impact;
};

/// The impact of a system that moves with `velocity`: without forces and motors, which do nothing in an instant, and
/// without tangential and torsional rows that nothing can move: a planar mechanism has planar friction. No velocity
/// depends on impulses there, and modes in the plane can be told apart for good, unlike directions in space. Where
/// only one direction moves, it becomes the contact's t1.
/// @param laws one per contact of the problem, or empty: everything plastic.
/// @throws InputError for another number of laws.
ImpactInput impact_input(const ContactProblem& problem, const Eigen::VectorXd& velocity,
                         const std::vector<ImpactLaw>& laws = {});

}  // namespace stiction
