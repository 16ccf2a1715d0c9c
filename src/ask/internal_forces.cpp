#include "ask/internal_forces.hpp"

#include "base/numerics.hpp"

namespace stiction::internal {

int InternalForces::find(const MultiplierSet& set)
{
  const Eigen::Index rows = set.exact_rows(), columns = set.force_columns();
  rows_ = set.program().E.topLeftCorner(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const double size = rows_.col(j).norm();
    if (size > 0.0) rows_.col(j) /= size;
  }
  if (columns == 0 || rows == 0) {
    basis_.setIdentity(columns, columns);
    return static_cast<int>(columns);
  }
  qr_.compute(rows_, kRank);
  const auto rank = qr_.rank();
  basis_.resize(columns, columns - rank);
  for (Eigen::Index k = 0; k < basis_.cols(); ++k) qr_.cancel(rank, rank + k, basis_.col(k));
  return static_cast<int>(columns - rank);
}

bool InternalForces::spare(const MultiplierSet& set, std::size_t contact) const
{
  const int column = set.column(contact);
  if (column < 0 || basis_.cols() == 0) return true;
  return basis_.middleRows(column, set.problem().contacts[contact].rows()).lpNorm<Eigen::Infinity>() <= kNoShare;
}

}  // namespace stiction::internal
