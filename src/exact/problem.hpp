#pragma once

// The contact problem and the leaves of a certificate, as its JSON says them. Sizes and keys are those of a report that
// verify accepts.
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "exact/rational.hpp"

namespace stiction::exact {

using Json = nlohmann::ordered_json;
using Limit = std::optional<Q>;  // none: infinite

/// What is said of a certificate: empty, or why it proves nothing.
using Refusal = std::string;

inline const Q kRounding = power_of_two(-44);

struct Contact {
  std::string name;
  std::size_t row = 0, tangents = 0;
  bool torsional = false, bilateral = false;
  Q mu, torsion;
  Limit most;  // normal force

  std::size_t last() const { return row + 1 + tangents; }  // row of the torsion, where there is one
  std::size_t end() const { return last() + (torsional ? 1 : 0); }
};
struct Loop {
  std::size_t row = 0, rows = 0;
};
struct Motor {
  std::size_t dof = 0;
  Limit lower, upper;
};

/// Friction cones: round, or polygons with this many vertices at the angles (2j + 1) pi / facets.
struct Cone {
  enum Kind { kRound, kInner, kOuter } kind = kRound;
  int facets = 0;
};

struct Problem {
  std::size_t n = 0, m = 0;
  Matrix M, J;
  Vector F, gamma;
  std::vector<Contact> contacts;
  std::vector<Loop> loops;
  std::vector<Motor> motors;
  std::vector<std::pair<Json, Json>> joints;  // model and joint of every degree of freedom; empty: not known
  Cone cone;
  bool detachment = true;
  Q backward = kRounding;  ///< or the tolerance of the data of equilibrium, where that is larger

  bool may_open(const Contact& c) const { return detachment && !c.bilateral; }
  /// visit(row, may open)
  void every_row(const std::function<void(std::size_t, bool)>& visit) const;
  void every_loop_row(const std::function<void(std::size_t)>& visit) const;
};

Q number(const Json& value);
Limit limit(const Json& value);
Vector vector(const Json& value);
Matrix matrix(const Json& value);

Problem read_problem(const Json& certificate);

/// A motion, or any vector, that proves something for these signs of the contacts.
struct Leaf {
  std::vector<int> signs;
  Vector y, prices;  // prices: one per contact
};
/// Prices follow the first `size` entries of the motion.
/// One of -1, 0, 1 per contact. @throws std::invalid_argument otherwise
std::vector<int> read_signs(const Problem& p, const Json& from);
Leaf read_leaf(const Problem& p, const Json& from, std::size_t size);

/// Every choice of signs of the contacts that have one has a pattern.
bool covers_every_sign(const std::vector<std::vector<int>>& patterns, std::size_t contacts);

}  // namespace stiction::exact
