#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "solve/proximal_qp.hpp"
#include "stiction/error.hpp"
#include "stiction/paper/facet_qp.hpp"

namespace stiction {

Eigen::MatrixXd facet_halfspaces(const ConeProgram& program)
{
  std::vector<Eigen::RowVectorXd> rows;
  const auto add = [&](const ConeBlock& block, int entry, double coefficient, double of_normal) {
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(program.E.cols());
    row[block.col] = block.cone.sign * of_normal;
    if (entry > 0) row[block.col + entry] += coefficient;
    rows.push_back(row);
  };
  for (const ConeBlock& block : program.cones) {
    const FrictionCone& cone = block.cone;
    if (cone.tangents == 2) {
      Eigen::MatrixX2d C;
      Eigen::VectorXd D;
      polygon_halfspaces(cone, C, D);
      for (Eigen::Index j = 0; j < D.size(); ++j) {
        add(block, 1, C(j, 0), D[j]);
        rows.back()[block.col + 2] = C(j, 1);
      }
    } else if (cone.tangents == 1) {
      for (const double side : {1.0, -1.0}) add(block, 1, side, cone.mu);
    }
    if (cone.torsional)
      for (const double side : {1.0, -1.0}) add(block, 1 + cone.tangents, side, cone.torsion);
    add(block, 0, 0.0, 1.0);  // the sides alone do not imply it when mu = 0
  }
  Eigen::MatrixXd H(static_cast<Eigen::Index>(rows.size()), program.E.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) H.row(static_cast<Eigen::Index>(i)) = rows[i];
  return H;
}

FacetQpAnswer solve_facet_qp(const ConeProgram& program, double tolerance)
{
  program.validate();
  if (!program.boxes.empty()) throw InputError("boxes", "want none in the QP of facets, got some");
  const Eigen::MatrixXd H = facet_halfspaces(program);
  FacetQpAnswer answer;
  answer.lambda = Eigen::VectorXd::Zero(program.E.cols());
  answer.multipliers = Eigen::VectorXd::Zero(H.rows());

  // Same QP with matrix entries and right-hand side of size one.
  const double matrix = program.E.size() > 0 ? program.E.cwiseAbs().maxCoeff() : 0.0, load = program.e.norm();
  const double force = matrix > 0.0 ? load / matrix : 0.0;
  bool solved = true;
  if (force > 0.0) {
    const Eigen::MatrixXd E = program.E / matrix;
    internal::ProximalQp qp;
    solved = qp.solve(E.transpose() * E, -E.transpose() * program.e / load, H, Eigen::VectorXd::Zero(H.rows()));
    answer.lambda = force * qp.w;
    answer.multipliers = matrix * load * qp.multipliers;
    answer.iterations = qp.iterations;
  }
  const Eigen::VectorXd miss = program.E * answer.lambda - program.e;
  answer.optimum = 0.5 * miss.squaredNorm();

  const Eigen::VectorXd stationarity = program.E.transpose() * miss - H.transpose() * answer.multipliers;
  if (force > 0.0) {
    answer.mlcp_residual = stationarity.cwiseAbs().maxCoeff() / (matrix * load);
    const Eigen::VectorXd room = H * answer.lambda / force, z = answer.multipliers / (matrix * load);
    if (H.rows() > 0) answer.mlcp_residual = std::max(answer.mlcp_residual, room.cwiseMin(z).cwiseAbs().maxCoeff());
  }
  answer.outcome = !solved ? Outcome::kIterationLimit
                           : (miss.norm() <= tolerance * load ? Outcome::kFeasible : Outcome::kInfeasible);
  return answer;
}

PolygonQpAnswer solve_polygon_qp(const Eigen::MatrixXd& A, const Eigen::VectorXd& f, const Eigen::MatrixXd& C,
                                 const Eigen::VectorXd& D)
{
  PolygonQpAnswer answer;
  answer.z = Eigen::VectorXd::Zero(A.cols());
  answer.multipliers = Eigen::VectorXd::Zero(C.rows());
  const double matrix = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  if (matrix == 0.0) {  // nothing to gain: any point of the polygons will do, the middle among them
    answer.solved = C.rows() == 0 || D.minCoeff() >= 0.0;
    return answer;
  }
  const double scale = matrix * std::max(matrix, f.lpNorm<Eigen::Infinity>());
  internal::ProximalQp qp;
  answer.solved = qp.solve(A.transpose() * A / scale, A.transpose() * f / scale, C, -D);
  answer.z = qp.w;
  answer.multipliers = scale * qp.multipliers;
  return answer;
}

std::optional<Eigen::VectorXd> project_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& h)
{
  const Eigen::Index n = h.size();
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(n);
  if (n == 0 || h.minCoeff() >= 0.0) return lambda;
  // Unit diagonal and load of size one.
  const Eigen::VectorXd unit = A.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd H = unit.asDiagonal() * A * unit.asDiagonal();
  Eigen::VectorXd g = unit.cwiseProduct(h);
  const double load = g.lpNorm<Eigen::Infinity>();
  internal::ProximalQp qp;
  if (!qp.solve(H, g / load, Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n))) return {};
  std::vector<int> pressing;
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::find(qp.active.begin(), qp.active.end(), static_cast<int>(i)) == qp.active.end())
      pressing.push_back(static_cast<int>(i));
  if (pressing.empty()) return lambda;
  const Eigen::VectorXd solved = internal::solve_definite(A(pressing, pressing), -h(pressing));
  for (std::size_t k = 0; k < pressing.size(); ++k)
    lambda[pressing[k]] = std::max(solved[static_cast<Eigen::Index>(k)], 0.0);
  return lambda;
}

}  // namespace stiction
