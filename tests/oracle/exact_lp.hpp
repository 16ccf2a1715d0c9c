#pragma once

#include <string>

#include "stiction/cone_program.hpp"

namespace stiction::test {

/// Empty when exact_feasible() can be used, otherwise what is missing.
std::string exact_lp_missing();

/// Decides a polyhedral program without two-sided boxes in rational arithmetic: is E G c = e solvable with c >= 0
/// (and free variables), where E, e and the generators G are taken as the exact values of their doubles?
bool exact_feasible(const ConeProgram& program);

/// The same when e may move by up to `slack` >= 0, entry by entry.
bool exact_feasible(const ConeProgram& program, const Eigen::VectorXd& slack);

}  // namespace stiction::test
