#include "oracle/exact_lp.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#ifdef STICTION_HAVE_CDDGMP
#include <gmp.h>
extern "C" {
#include <cddlib/setoper.h>  // before the others

#include <cddlib/cdd.h>
}
#endif

namespace stiction::test {

#ifndef STICTION_HAVE_CDDGMP

std::string exact_lp_missing() { return "cddlib with GMP (Debian: libcdd-dev, libgmp-dev) was not found"; }
bool exact_feasible(const ConeProgram&) { throw std::logic_error(exact_lp_missing()); }
bool exact_feasible(const ConeProgram&, const Eigen::VectorXd&) { throw std::logic_error(exact_lp_missing()); }

#else

namespace {

class Rational {
 public:
  Rational() { mpq_init(value_); }
  ~Rational() { mpq_clear(value_); }
  Rational(const Rational&) = delete;
  Rational& operator=(const Rational&) = delete;

  /// += a b, exactly.
  void add_product(double a, double b)
  {
    mpq_t x, y;
    mpq_init(x);
    mpq_init(y);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_mul(x, x, y);
    mpq_add(value_, value_, x);
    mpq_clear(x);
    mpq_clear(y);
  }
  const mpq_t& get() const { return value_; }

 private:
  mpq_t value_;
};

struct Generator {
  int col;
  Eigen::VectorXd ray;
  bool both_ways;  // free
};

std::vector<Generator> all_generators(const ConeProgram& program)
{
  std::vector<Generator> result;
  for (const ConeBlock& block : program.cones) {
    const Eigen::MatrixXd rays = generators(block.cone);
    for (Eigen::Index j = 0; j < rays.cols(); ++j) result.push_back({block.col, rays.col(j), false});
  }
  for (const int j : program.free) result.push_back({j, Eigen::VectorXd::Ones(1), true});
  for (const BoxVariable& box : program.boxes) {
    const bool up = box.lower == 0.0 && std::isinf(box.upper), down = box.upper == 0.0 && std::isinf(box.lower);
    if (!up && !down) throw std::invalid_argument("exact_feasible: want boxes [0, inf) or (-inf, 0]");
    result.push_back({box.col, Eigen::VectorXd::Constant(1, up ? 1.0 : -1.0), false});
  }
  return result;
}

}  // namespace

std::string exact_lp_missing() { return {}; }

bool exact_feasible(const ConeProgram& program)
{
  return exact_feasible(program, Eigen::VectorXd::Zero(program.e.size()));
}

/// By Farkas: infeasible iff some y has y'(E g) <= 0 for every generator (= 0 for free ones) and y'e > slack'|y|. With
/// s >= |y| the LP max { y'e - slack's : those, the objective <= 1 } is small, and its value is exactly 0 or 1.
bool exact_feasible(const ConeProgram& program, const Eigen::VectorXd& slack)
{
  static const bool initialised = (dd_set_global_constants(), true);
  (void)initialised;
  const std::vector<Generator> rays = all_generators(program);
  const Eigen::Index m = program.E.rows();
  if (m == 0) return true;

  // cddlib: rows (b, A) mean b + A (y, s) >= 0.
  const bool exact = slack.isZero(0.0);
  const Eigen::Index variables = exact ? m : 2 * m;
  const std::size_t count = rays.size() + static_cast<std::size_t>(exact ? 0 : 2 * m) + 1;
  dd_MatrixPtr matrix = dd_CreateMatrix(static_cast<dd_rowrange>(count), static_cast<dd_colrange>(variables + 1));
  matrix->representation = dd_Inequality;
  matrix->objective = dd_LPmax;
  for (std::size_t r = 0; r < rays.size(); ++r) {
    for (Eigen::Index i = 0; i < m; ++i) {
      Rational sum;
      for (Eigen::Index d = 0; d < rays[r].ray.size(); ++d)
        sum.add_product(-program.E(i, rays[r].col + d), rays[r].ray[d]);
      mpq_set(matrix->matrix[r][i + 1], sum.get());
    }
    if (rays[r].both_ways) set_addelem(matrix->linset, static_cast<long>(r + 1));
  }
  std::size_t row = rays.size();
  for (Eigen::Index i = 0; i < m && !exact; ++i) {
    for (const double sign : {1.0, -1.0}) {
      mpq_set_d(matrix->matrix[row][m + i + 1], 1.0);
      mpq_set_d(matrix->matrix[row++][i + 1], sign);
    }
  }
  mpq_set_d(matrix->matrix[row][0], 1.0);
  const auto objective = [&](Eigen::Index column, double value) {
    mpq_set_d(matrix->rowvec[column + 1], value);
    mpq_set_d(matrix->matrix[row][column + 1], -value);
  };
  for (Eigen::Index i = 0; i < m; ++i) {
    objective(i, program.e[i]);
    if (!exact) objective(m + i, -slack[i]);
  }

  dd_ErrorType error = dd_NoError;
  dd_LPPtr lp = dd_Matrix2LP(matrix, &error);
  if (error == dd_NoError) dd_LPSolve(lp, dd_DualSimplex, &error);
  const bool solved = error == dd_NoError && lp->LPS == dd_Optimal;
  const bool feasible = solved && mpq_sgn(lp->optvalue) == 0;
  dd_FreeLPData(lp);
  dd_FreeMatrix(matrix);
  if (!solved) throw std::runtime_error("exact_feasible: cddlib did not solve the LP");
  return feasible;
}

#endif

}  // namespace stiction::test
