#pragma once

#include "stiction/proof/sliding.hpp"

namespace stiction::internal {

/// @throws InputError for slips that do not fit the contacts of a valid problem.
void check_slips(const ContactProblem& problem, const SlipDirections& slips);

}  // namespace stiction::internal
