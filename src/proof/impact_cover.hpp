#pragma once

#include <vector>

#include "proof/impact_law.hpp"
#include "stiction/impact.hpp"

namespace stiction::internal {

/// The parts that a mode falls into, all of them together as wide as it: normal first, then friction, then torsion, then
/// ever smaller sectors of slip. Empty when there is nothing left to tell apart.
std::vector<ContactImpactMode> split_mode(const ImpactElement& element, const ContactImpactMode& mode);

}  // namespace stiction::internal
