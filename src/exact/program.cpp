#include "exact/program.hpp"

#include <algorithm>

namespace stiction::exact {
namespace {

/// Most that an unknown adds to y'E x.
Q supply(const Unknown& x, const Vector& y)
{
  const auto doubt = [&](std::size_t k) { return x.blur.empty() ? Q(0) : sizes(x.blur[k], y); };
  const Q push = times(x.columns[0], y);
  if (x.kind == Unknown::kFree) return x.most * (abs(push) + doubt(0));
  if (x.kind == Unknown::kPositive) return x.most * std::max<Q>(push + doubt(0), 0);
  Q square = 0, doubts = 0, flat = x.sign * push + doubt(0);
  for (std::size_t k = 1; k < x.columns.size(); ++k) {
    const Q h = times(x.columns[k], y);
    if (k <= x.tangents) {
      square += h * h;
      doubts += doubt(k);
    } else {
      flat += x.torsion * (abs(h) + doubt(k));
    }
  }
  // Up to the normal unknown whose friction reaches the bound, and beyond.
  const Q steep = flat + x.mu * (root_up(square) + doubts);
  const Q knee = x.mu * x.most > x.sideways ? Q(x.sideways / x.mu) : x.most;
  return steep > 0 ? Q(knee * steep + (x.most - knee) * std::max<Q>(flat, 0)) : Q(0);
}

}  // namespace

bool separates(const Program& program, const Vector& y)
{
  if (y.size() != program.e.size()) return false;
  Q gain = times(y, program.e) - sizes(y, program.room);
  for (const Unknown& x : program.unknowns) {
    if (!(gain > 0)) return false;
    gain -= supply(x, y);
  }
  return gain > 0;
}

}  // namespace stiction::exact
