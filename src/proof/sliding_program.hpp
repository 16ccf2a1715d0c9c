#pragma once

#include "stiction/proof/sliding.hpp"

namespace stiction::internal {

/// Where a mode's program keeps the unknowns of each contact; -1: absent.
struct SlidingColumns {
  std::vector<int> push;        ///< λn >= 0, or the first column of the pushing cone, or a free λn
  std::vector<int> pull;        ///< -λn >= 0 of a bilateral contact that slides, or the start of its pulling cone
  std::vector<int> separation;  ///< un >= 0
  std::vector<int> closure;     ///< first column of each closure
};

/// True when the contact is held in the tangential directions: it does not slide and has rows to be held by.
inline bool sticks(const Contact& contact, const std::optional<Eigen::Vector2d>& slip)
{
  return !slip && (contact.tangents > 0 || contact.torsional);
}

/// True when the contact is in one of two modes: closed or open, pushing or pulling.
bool has_choice(const Contact& contact, const std::optional<Eigen::Vector2d>& slip);

/// Fills `program` and `columns` for the given signs; see sliding_program.
void write_sliding_program(const ContactProblem& problem, const SlipDirections& slips, const std::vector<int>& signs,
                           ConeProgram& program, SlidingColumns& columns);

/// Forces in the rows of J from a solution x of the program.
void sliding_forces(const ContactProblem& problem, const SlipDirections& slips, const SlidingColumns& columns,
                    const Eigen::VectorXd& x, Eigen::VectorXd& lambda);

/// What the equations alone (no signs, no cones) of a full mode leave open.
struct Determined {
  bool acceleration = false;  ///< every solution of E x = e has the same a
  bool everything = false;    ///< E x = e has one solution at most
};
Determined determined(const ConeProgram& program, Eigen::Index nv);

/// True when the contact may push in one solution and pull in another.
inline bool two_sided(const Contact& contact, const std::optional<Eigen::Vector2d>& slip)
{
  return contact.side == Side::kBilateral && has_choice(contact, slip);
}

struct SlidingBounds;

/// True when the accelerations of two solutions differ by more than kSameSolution of what the loads would cause, or
/// when a contact clearly pushes in one, pulls in the other, and what lies half-way between them is no solution.
bool differ(const ContactProblem& problem, const SlipDirections& slips, const SlidingBounds& bounds,
            const SlidingWitness& one, const SlidingWitness& other);

/// Not differ(): redundant contacts, which share their load in a continuum of ways, make one solution.
bool same_solution(const ContactProblem& problem, const SlipDirections& slips, const SlidingWitness& one,
                   const SlidingWitness& other);

/// proves_sliding_solution() with bounds that are known already.
bool proves_sliding_solution(const ContactProblem& problem, const SlipDirections& slips, const SlidingBounds& bounds,
                             const Eigen::VectorXd& a, const Eigen::VectorXd& lambda);

}  // namespace stiction::internal
