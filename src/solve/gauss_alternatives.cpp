#include "solve/gauss_alternatives.hpp"

namespace stiction::internal {
namespace {

/// The first columns free, the others >= 0.
void set_half_free(Eigen::Index free, Eigen::Index positive, ConeProgram& program)
{
  program.boxes.clear();
  program.free.resize(static_cast<std::size_t>(free));
  for (Eigen::Index j = 0; j < free; ++j) program.free[static_cast<std::size_t>(j)] = static_cast<int>(j);
  program.cones.resize(static_cast<std::size_t>(positive));
  for (Eigen::Index j = 0; j < positive; ++j) {
    ConeBlock& block = program.cones[static_cast<std::size_t>(j)];
    block.col = static_cast<int>(free + j);
    block.cone = FrictionCone{};
    block.cone.tangents = 0;
  }
}

}  // namespace

void write_balance(const GaussProgram& p, ConeProgram& program)
{
  const Eigen::Index n = p.F.size(), pe = p.ge.size(), pu = p.gu.size();
  program.E.resize(n, n + pe + pu);
  program.E << p.M, p.Je.transpose(), p.Ju.transpose();
  program.e = p.F;
  set_half_free(n + pe, pu, program);
}

void write_consistency(const GaussProgram& p, ConeProgram& program)
{
  const Eigen::Index n = p.F.size(), pe = p.ge.size(), pu = p.gu.size();
  program.E.setZero(pe + pu, n + pu);
  program.E.topLeftCorner(pe, n) = p.Je;
  program.E.bottomLeftCorner(pu, n) = p.Ju;
  for (Eigen::Index j = 0; j < pu; ++j) program.E(pe + j, n + j) = -1.0;
  program.e.resize(pe + pu);
  program.e << -p.ge, -p.gu;
  set_half_free(n, pu, program);
}

bool is_unbalanced(const ConeAnswer& alternative, const GaussProgram& p, GaussAnswer& answer)
{
  if (alternative.outcome != Outcome::kInfeasible) return false;
  answer.a = -alternative.y;
  answer.lambda_e.setZero(p.ge.size());
  answer.lambda_u.setZero(p.gu.size());
  answer.outcome = GaussOutcome::kUnbalanced;
  return true;
}

bool is_contradictory(const ConeAnswer& alternative, const GaussProgram& p, GaussAnswer& answer)
{
  if (alternative.outcome != Outcome::kInfeasible) return false;
  answer.a.setZero(p.F.size());
  answer.lambda_e = alternative.y.head(p.ge.size());
  answer.lambda_u = alternative.y.tail(p.gu.size());
  answer.outcome = GaussOutcome::kContradiction;
  return true;
}

}  // namespace stiction::internal
