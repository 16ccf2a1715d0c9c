#pragma once

#include "ask/hold.hpp"

namespace stiction::internal {

/// A motion `away` (nv) that no force of the leaf's signs opposes, that does not see the columns `unseen` (nv x n) and
/// that separates every contact: by Farkas' lemma there is one unless contacts can press against each other, sum of
/// normal forces = 1 with J'lambda = unseen z.
bool separate_contacts(const MultiplierSet& set, const MotionLeaf& leaf, const Eigen::MatrixXd& unseen,
                       HoldWorkspace& workspace, Eigen::VectorXd& away);

/// Adds to the leaf's motion as little of `away` as makes every contact of these signs separate clearly. False: it does
/// not.
bool turn(const MultiplierSet& set, const Eigen::VectorXd& away, MotionLeaf& leaf);

/// Turns the leaves towards motions along which every contact clearly separates, at the cost of half of what drives
/// them, where there are such motions: the contacts then cannot supply even what rounding would leave to them. False:
/// there are none.
bool sharpen(const MultiplierSet& set, const Loads& loads, HoldWorkspace& workspace, std::vector<MotionLeaf>& leaves);

}  // namespace stiction::internal
