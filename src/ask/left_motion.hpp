#pragma once

#include <vector>

#include "stiction/failure.hpp"

namespace stiction::internal {

/// Fills Failure::motion, signs and pressed for the failing load M a + F, with the defied remedies.
/// @param detaching contacts that take no part
void find_left_motion(const ContactProblem& problem, const Eigen::VectorXd& a, const std::vector<char>& detaching,
                      Failure& failure);

}  // namespace stiction::internal
