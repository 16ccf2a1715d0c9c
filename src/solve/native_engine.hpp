#pragma once

#include <Eigen/Cholesky>

#include "solve/nearest_point.hpp"
#include "stiction/engine.hpp"

namespace stiction::internal {

class NativeEngine final : public Engine {
 public:
  std::string_view name() const override { return "native"; }
  void decide(const ConeProgram& program, ConeAnswer& answer) override;
  void gauss(const GaussProgram& program, GaussAnswer& answer) override;

 private:
  void load(const ConeProgram& program);
  void solve(const ConeProgram& program, ConeAnswer& answer);
  bool balanced(const ConeProgram& program, const Eigen::VectorXd& x);
  bool find_interior_dual(const ConeProgram& program, bool everywhere);

  NearestPoint nearest_, dual_nearest_;
  // decide
  Eigen::MatrixXd scaled_;                ///< rows of E scaled by powers of two
  Eigen::VectorXd row_scale_, row_size_, target_, interior_;
  std::vector<BoxVariable> boxes_;        ///< without those that are free on both sides
  std::vector<int> free_;
  Eigen::MatrixXd lifted_;                ///< one more row, for the interior dual
  Eigen::VectorXd lifted_target_;
  // gauss
  struct GaussWorkspace;
  std::shared_ptr<GaussWorkspace> gauss_;
};

}  // namespace stiction::internal
