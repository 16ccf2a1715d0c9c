#include "proof/sign_cover.hpp"

#include <algorithm>

namespace stiction::internal {
namespace {

struct Cover {
  const std::vector<MotionLeaf>& leaves;
  std::vector<int> chosen;  // sign per contact at the current node, 0 = open
  int nodes_left;

  /// `near`: the leaves that agree with all chosen signs.
  bool complete(const std::vector<std::size_t>& near)
  {
    if (near.empty() || --nodes_left < 0) return false;
    std::vector<std::size_t> votes(chosen.size(), 0);  // leaves that fix an open contact
    for (const std::size_t leaf : near) {
      bool closes = true;
      for (std::size_t c = 0; c < chosen.size(); ++c) {
        if (chosen[c] != 0 || leaves[leaf].signs[c] == 0) continue;
        ++votes[c];
        closes = false;
      }
      if (closes) return true;
    }
    // In a tree the contact split here is fixed in every leaf below, so no leaf goes to both sides.
    const auto split = static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
    for (const int sign : {1, -1}) {
      std::vector<std::size_t> below;
      for (const std::size_t leaf : near)
        if (leaves[leaf].signs[split] != -sign) below.push_back(leaf);
      chosen[split] = sign;
      const bool done = complete(below);
      chosen[split] = 0;
      if (!done) return false;
    }
    return true;
  }
};

}  // namespace

bool covers_every_sign(const std::vector<MotionLeaf>& leaves, std::size_t contacts)
{
  for (const MotionLeaf& leaf : leaves)  // the usual case, without bilateral contacts: one leaf serves all
    if (std::all_of(leaf.signs.begin(), leaf.signs.end(), [](int sign) { return sign == 0; })) return true;
  constexpr int kNodeCap = 1 << 18;
  std::vector<std::size_t> all(leaves.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return Cover{leaves, std::vector<int>(contacts, 0), kNodeCap}.complete(all);
}

}  // namespace stiction::internal
