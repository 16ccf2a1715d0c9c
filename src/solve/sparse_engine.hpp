#pragma once

#include "solve/conic_form.hpp"
#include "stiction/engine.hpp"

namespace stiction::internal {

/// Decides cone programs of many bodies: a point strictly inside all cones, or a motion that no cone opposes, is what
/// an interior-point method comes to long before it converges. What has neither is looked at again without the rows
/// that stand still, and without the forces that are zero.
class SparseEngine final : public Engine {
 public:
  SparseEngine() : gauss_(make_native_engine()) {}
  std::string_view name() const override { return "sparse"; }
  std::unique_ptr<Engine> fresh() const override { return make_sparse_engine(); }
  void decide(const ConeProgram& program, ConeAnswer& answer) override;
  void gauss(const GaussProgram& program, GaussAnswer& answer) override { gauss_->gauss(program, answer); }
  void set_stop(StopCheck stop) override
  {
    gauss_->set_stop(stop);
    Engine::set_stop(std::move(stop));
  }

 private:
  bool trivial(const ConeProgram& program, ConeAnswer& answer);
  bool accept_point(const Eigen::VectorXd& x, const Eigen::VectorXd& w, const ConeProgram& program, ConeAnswer& answer);
  bool accept_motion(const Eigen::VectorXd& found, const ConeProgram& program, ConeAnswer& answer);
  bool without_still_rows(double still, const ConeProgram& program, ConeAnswer& answer);
  bool without_idle_atoms(double idle, const ConeProgram& program, ConeAnswer& answer);

  std::unique_ptr<Engine> gauss_;
  ConeProgram sparse_;  ///< a dense program as a sparse one
  ConeProgramForm form_;
  InteriorPoint method_, again_;
};

}  // namespace stiction::internal
