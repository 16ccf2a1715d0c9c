#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "stiction/proof.hpp"
#include "words/worth_telling.hpp"

namespace stiction::internal {

using Names = std::vector<std::string>;

/// "a", "a and b", "a, b and c"; long lists are cut.
std::string join(const Names& names);

/// "x lifts", "x and y lift".
std::string say(const Names& names, const char* singular, const char* plural);

/// " (if x pushes and y pulls; it fails in each of the 4 sign cases)": what a leaf among `count` is about.
template <typename Contacts>
std::string sign_case(const Contacts& contacts, const MotionLeaf& leaf, std::size_t count)
{
  Names pushing, pulling;
  for (std::size_t i = 0; i < leaf.signs.size() && i < contacts.size(); ++i) {
    if (leaf.signs[i] > 0) pushing.push_back(contacts[i].name);
    if (leaf.signs[i] < 0) pulling.push_back(contacts[i].name);
  }
  std::string text = " (if ";
  if (!pushing.empty()) text += say(pushing, "pushes", "push");
  if (!pushing.empty() && !pulling.empty()) text += " and ";
  if (!pulling.empty()) text += say(pulling, "pulls", "pull");
  return text + "; it fails in each of the " + std::to_string(count) + " sign cases)";
}

/// "a", "a, b", "a, b, c".
std::string comma_list(const Names& parts);

/// "(+1, 0, -0.71)". Ties of the rounding go away from zero, also when they are not quite ties.
std::string direction_text(const Eigen::Vector3d& direction);

/// " along (+1, 0, 0)", " down": where an acceleration takes the centre of mass of the model that it moves most; empty
/// when that is not known.
std::string course_of_mass(const ContactProblem& problem, const Eigen::VectorXd& a);

/// A number of at most four significant digits.
std::string number_text(double value);

/// "leg/knee", "leg/base": the joints that take a noticeable part in a motion v, in the order of the problem.
Names moving_joints(const ContactProblem& problem, const Eigen::VectorXd& v);

}  // namespace stiction::internal
