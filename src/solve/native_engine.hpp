#pragma once

#include "solve/nearest_point.hpp"
#include "stiction/engine.hpp"

namespace stiction::internal {

class NativeEngine final : public Engine {
 public:
  std::string_view name() const override { return "native"; }
  std::unique_ptr<Engine> fresh() const override { return make_native_engine(); }
  std::unique_ptr<Engine> second_opinion() const override { return make_qpoases_engine(); }
  bool may_be_bypassed() const override { return true; }
  void decide(const ConeProgram& program, ConeAnswer& answer) override;
  void decide_next(const ConeProgram& program, ConeAnswer& answer) override;
  void forget() override { known_ = false; }
  void gauss(const GaussProgram& program, GaussAnswer& answer) override;

 private:
  void sort_variables(const ConeProgram& program);
  void decide_measured(const ConeProgram& program, ConeAnswer& answer, bool forces_measure);
  template <class Visit>
  void for_each_measure(const ConeProgram& program, Visit visit) const;
  void scale_rows(const ConeProgram& program);
  void load(const ConeProgram& program);
  void solve(const ConeProgram& program, ConeAnswer& answer);
  void answer_with(NearestPoint::Stop stop, const ConeProgram& program, ConeAnswer& answer);
  bool same_but_for_e(const ConeProgram& program);
  bool balanced(const ConeProgram& program, const Eigen::VectorXd& x);
  bool residual_is_rounding(const ConeProgram& program, const Eigen::VectorXd& x);
  void offer_interior_dual(const ConeProgram& program, bool everywhere);

  NearestPoint nearest_, dual_nearest_;
  // decide
  Eigen::MatrixXd scaled_;  ///< rows of E scaled by powers of two
  Eigen::VectorXd row_scale_, row_size_, row_sum_, target_, interior_;
  std::vector<BoxVariable> boxes_;  ///< without those that are free on both sides
  std::vector<int> free_;
  bool forces_measure_ = false;   ///< rows are measured by normals and tangents alone, else by all columns
  bool known_ = false;            ///< scaled_ and what follows are those of the last program, with its own row scales
  std::vector<ConeBlock> cones_;  ///< of the last program, and as it gave them:
  std::vector<BoxVariable> given_boxes_;
  std::vector<int> given_free_;
  Eigen::MatrixXd lifted_;  ///< one more row, for the interior dual
  Eigen::VectorXd lifted_target_;
  // gauss
  struct GaussWorkspace;
  std::shared_ptr<GaussWorkspace> gauss_;
};

}  // namespace stiction::internal
