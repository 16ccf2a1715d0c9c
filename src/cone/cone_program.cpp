#include "stiction/cone_program.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "stiction/error.hpp"

namespace stiction {
namespace {

std::string size_error(Eigen::Index want, Eigen::Index got)
{
  return "want " + std::to_string(want) + " entries, got " + std::to_string(got);
}

}  // namespace

void ConeProgram::validate() const
{
  if (e.size() != rows()) throw InputError("e", size_error(rows(), e.size()));
  if (e_scale.size() != 0 && e_scale.size() != e.size())
    throw InputError("e_scale", size_error(e.size(), e_scale.size()));
  if (is_sparse() && (!sparse_E.isCompressed() || E.size() > 0))
    throw InputError("sparse_E", "want a compressed matrix instead of E, got another one");
  if (!E.allFinite() || !Eigen::Map<const Eigen::VectorXd>(sparse_E.valuePtr(), sparse_E.nonZeros()).allFinite())
    throw InputError("E", "want finite entries, got a non-finite one");
  if (!e.allFinite()) throw InputError("e", "want finite entries, got a non-finite one");
  if (e_scale.size() != 0 && !(e_scale.allFinite() && e_scale.minCoeff() >= 0.0))
    throw InputError("e_scale", "want finite entries >= 0, got another one");

  std::vector<std::string> owner(static_cast<std::size_t>(cols()));
  const auto claim = [&](const std::string& path, int col, int count) {
    if (col < 0 || col + count > cols())
      throw InputError(path, "want columns within 0 to " + std::to_string(cols() - 1) + ", got " + std::to_string(col) +
                                 " to " + std::to_string(col + count - 1));
    for (int c = col; c < col + count; ++c) {
      std::string& taken = owner[static_cast<std::size_t>(c)];
      if (!taken.empty())
        throw InputError(path, "want an unowned column, got column " + std::to_string(c) + " of " + taken);
      taken = path;
    }
  };
  for (std::size_t i = 0; i < cones.size(); ++i) {
    const std::string path = "cones[" + std::to_string(i) + "]";
    stiction::validate(cones[i].cone, path + ".cone");
    claim(path, cones[i].col, cones[i].cone.dim());
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const std::string path = "boxes[" + std::to_string(i) + "]";
    const double l = boxes[i].lower, u = boxes[i].upper;
    const bool one_finite = std::isfinite(l) || std::isfinite(u);
    // Also rejects NaN, a lower bound of +inf and an upper bound of -inf.
    if (!(l <= u && one_finite))
      throw InputError(
          path, "want lower <= upper with a finite side, got " + std::to_string(l) + " and " + std::to_string(u));
    claim(path, boxes[i].col, 1);
  }
  for (std::size_t i = 0; i < free.size(); ++i) claim("free[" + std::to_string(i) + "]", free[i], 1);
  for (std::size_t c = 0; c < owner.size(); ++c)
    if (owner[c].empty())
      throw InputError("E", "want every column in a cone, box or free, got column " + std::to_string(c) + " in none");
}

}  // namespace stiction
