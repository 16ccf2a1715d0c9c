#include "words/phrases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace stiction::internal {

std::string join(const Names& names)
{
  constexpr std::size_t kMostNames = 6;
  std::string text;
  const std::size_t shown = names.size() > kMostNames ? kMostNames - 1 : names.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string say(const Names& names, const char* singular, const char* plural)
{
  return join(names) + " " + (names.size() == 1 ? singular : plural);
}

std::string comma_list(const Names& parts)
{
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string number_text(double value)
{
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return std::string(buffer) == "-0" ? "0" : buffer;
}

Names moving_joints(const ContactProblem& problem, const Eigen::VectorXd& v)
{
  constexpr double kPart = 0.05;
  const Eigen::VectorXd energy = v.cwiseProduct(problem.M * v).cwiseAbs();
  const Eigen::VectorXd part = energy.isZero(0.0) ? Eigen::VectorXd(v.cwiseAbs()) : energy;
  const std::vector<std::string> labels = joint_labels(problem.dofs);
  Names names;
  for (Eigen::Index d = 0; d < v.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::string name = i < labels.size()              ? labels[i]
                             : i < problem.dof_names.size() ? problem.dof_names[i]
                                                            : "degree of freedom " + std::to_string(d);
    if (part[d] > kPart * part.maxCoeff() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string direction_text(const Eigen::Vector3d& direction)
{
  std::string text = "(";
  for (int i = 0; i < 3; ++i) {
    constexpr double kHundred = 100.0 + 1e-5;  // halves go away from zero, rounded or not
    const double rounded = std::round(direction[i] * kHundred) / 100.0;
    std::string number = rounded == 0.0 ? "0" : std::to_string(std::abs(rounded));
    while (number.find('.') != std::string::npos && (number.back() == '0' || number.back() == '.')) {
      const bool point = number.back() == '.';
      number.pop_back();
      if (point) break;
    }
    text += (i > 0 ? ", " : "") + std::string(rounded > 0.0 ? "+" : rounded < 0.0 ? "-" : "") + number;
  }
  return text + ")";
}

}  // namespace stiction::internal
