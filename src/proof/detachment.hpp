// Contacts that leave where detachment is free (docs/proofs/detachment.md): which sets of them there are.
#pragma once

#include <string>
#include <vector>

#include "stiction/proof.hpp"

namespace stiction::internal {

/// Ascending indices of unilateral contacts.
bool may_leave(const ContactProblem& problem, const std::vector<int>& leaving, std::string* why);

/// Every set of unilateral contacts leaves in one of the modes.
bool covers_every_mode(const ContactProblem& problem, const std::vector<Certificate>& modes, std::string* why);

/// a and lambda solve the problem without the contacts that leave, which carry nothing and do not penetrate.
bool leaves_with_forces(const ContactProblem& problem, const ConeShape& shape, const Certificate& certificate,
                        Judge& judge, std::string* why);

}  // namespace stiction::internal
