#include "solve/qpoases_decider.hpp"
#include "solve/qpoases_gauss.hpp"
#include "stiction/engine.hpp"

namespace stiction {
namespace {

class QpoasesEngine final : public Engine {
 public:
  std::string_view name() const override { return "qpoases"; }
  std::unique_ptr<Engine> fresh() const override { return make_qpoases_engine(); }
  void decide(const ConeProgram& program, ConeAnswer& answer) override
  {
    throw_if_stopped(stop_check());
    decider_.decide(program, answer);
  }
  void forget() override
  {
    decider_.forget();
    gauss_decider_.forget();
  }
  void gauss(const GaussProgram& program, GaussAnswer& answer) override
  {
    throw_if_stopped(stop_check());
    internal::solve_gauss(program, gauss_decider_, answer);
  }

 private:
  internal::QpoasesDecider decider_, gauss_decider_;  // apart: a Gauss problem in between shall not cost a hotstart
};

}  // namespace

std::unique_ptr<Engine> make_qpoases_engine() { return std::make_unique<QpoasesEngine>(); }

}  // namespace stiction
