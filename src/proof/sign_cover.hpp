#pragma once

#include <vector>

#include "stiction/proof.hpp"

namespace stiction::internal {

/// True when every choice of a sign for each contact agrees with the nonzero signs of at least one leaf. Signs of all
/// leaves must have `contacts` entries. Trees are checked in time proportional to leaves times depth; covers that
/// are not trees may run into a cap on nodes, and then count as incomplete.
bool covers_every_sign(const std::vector<MotionLeaf>& leaves, std::size_t contacts);

}  // namespace stiction::internal
