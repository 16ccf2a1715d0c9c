#pragma once

#include <memory>
#include <vector>

#include "stiction/engine.hpp"
#include "stiction/proof.hpp"

namespace stiction::internal {

/// Degrees of freedom that no contact, closure or inertia connects with the others, as a problem of its own. Engines
/// work with the precision of the largest forces: next to something heavy that has nothing to do with it, a light body
/// is best looked at alone.
struct Part {
  ContactProblem problem;
  std::vector<int> dofs, rows, contacts, actuators;  ///< of the whole, in the order of the part

  /// Entries of a vector over degrees of freedom or rows, from the whole and back.
  static Eigen::VectorXd gather(const Eigen::VectorXd& whole, const std::vector<int>& places);
  static void scatter(const Eigen::VectorXd& part, const std::vector<int>& places, Eigen::VectorXd& whole);

  /// The part's leaves as leaves of the whole: nothing else moves.
  void add_leaves(const ContactProblem& whole, const std::vector<MotionLeaf>& own,
                  std::vector<MotionLeaf>& leaves) const;
};

/// Lends an engine to another search.
class Lend {
 public:
  Lend(std::unique_ptr<Engine>& from, std::unique_ptr<Engine>& to) : from_(from), to_(to) { to_ = std::move(from_); }
  ~Lend() { from_ = std::move(to_); }
  Lend(const Lend&) = delete;
  Lend& operator=(const Lend&) = delete;

 private:
  std::unique_ptr<Engine>&from_, &to_;
};

/// The engine to ask when this one has no proof; empty for a problem that would take it long. Made anew for each check:
/// answers must not depend on those before.
std::unique_ptr<Engine> second_engine(const Engine& first, const ContactProblem& problem);

/// Empty when all is connected.
std::vector<Part> split_into_parts(const ContactProblem& problem);

}  // namespace stiction::internal
