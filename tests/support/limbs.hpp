#pragma once

// Bodies with motors as bare matrices.
#include "stiction/cone_program.hpp"
#include "support/stances.hpp"

namespace stiction::testing {

/// A stance whose feet each stand on a vertical prismatic leg: the leg's effort is minus the normal force of its foot,
/// so a limit T on the motor is a limit T on the force.
inline Stance on_legs(Stance s, double limit)
{
  ContactProblem& p = s.problem;
  const Eigen::Index body = p.nv(), legs = static_cast<Eigen::Index>(p.contacts.size());
  p.M.conservativeResize(body + legs, body + legs);
  p.M.rightCols(legs).setZero();
  p.M.bottomRows(legs).setZero();
  p.M.bottomRightCorner(legs, legs).setIdentity();
  p.F.conservativeResize(body + legs);
  p.F.tail(legs).setZero();
  p.J.conservativeResize(p.rows(), body + legs);
  p.J.rightCols(legs).setZero();
  s.shift.conservativeResize(body + legs, 2);
  s.shift.bottomRows(legs).setZero();
  for (Eigen::Index i = 0; i < legs; ++i) {
    p.J(p.contacts[i].row, body + i) = 1.0;
    p.actuators.push_back({"leg_" + std::to_string(i), static_cast<int>(body + i), -limit, limit});
  }
  return s;
}

/// A free body with `joints` more degrees of freedom that move the contacts in random ways, some limited, some not, one
/// unactuated; a random prescribed acceleration that the contacts follow.
struct Limbed {
  ContactProblem problem;
  Eigen::VectorXd a;
};

inline Limbed random_limbed(Rng& rng, int contacts, int joints, bool holds)
{
  ContactProblem body = random_contacts(rng, contacts, 0.5);
  Limbed out;
  ContactProblem& p = out.problem;
  p = body;
  const int nv = 6 + joints;
  Eigen::MatrixXd A = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, nv * nv).data(), nv, nv);
  p.M = A * A.transpose() / nv + Eigen::MatrixXd::Identity(nv, nv);
  p.J.resize(body.rows(), nv);
  p.J.leftCols(6) = body.J;
  p.J.rightCols(joints) =
      0.5 * Eigen::Map<Eigen::MatrixXd>(gaussian(rng, body.rows() * joints).data(), body.rows(), joints);
  out.a = rng() % 3 == 0 ? Eigen::VectorXd(0.5 * gaussian(rng, nv)) : Eigen::VectorXd::Zero(nv);
  p.gamma = -p.J * out.a;
  Eigen::VectorXd lambda(p.rows()), tau = Eigen::VectorXd::Zero(nv);
  for (const Contact& c : p.contacts) {
    lambda[c.row] = uniform(rng, 0.2, 2.0);
    const double angle = uniform(rng, -M_PI, M_PI),
                 sideways = uniform(rng, 0.0, holds ? 0.9 : 2.0) * c.mu * lambda[c.row];
    lambda.segment<2>(c.row + 1) = sideways * Eigen::Vector2d(std::cos(angle), std::sin(angle));
  }
  for (int j = 1; j < joints; ++j) {  // joint 0 has no motor
    const double limit = uniform(rng, 0.1, 2.0);
    Actuator motor{"joint_" + std::to_string(j), 6 + j, -limit, uniform(rng, 0.5, 1.0) * limit};
    if (j % 5 == 4) motor.lower = -kInfinity, motor.upper = kInfinity;
    if (j % 7 == 3) motor.lower = -kInfinity;
    p.actuators.push_back(motor);
    tau[6 + j] = holds ? uniform(rng, -0.9, 0.45) * limit : uniform(rng, -2.0, 2.0) * limit;
  }
  p.F = p.J.transpose() * lambda + tau - p.M * out.a;
  return out;
}

/// (EQ) with every row: free or boxed efforts beside the forces. For judges that know nothing of our shortcuts.
inline ConeProgram whole_program(const ContactProblem& p, const Eigen::VectorXd& a)
{
  ConeProgram program;
  const auto nv = p.nv(), rows = p.rows(), motors = static_cast<Eigen::Index>(p.actuators.size());
  program.E.setZero(nv, rows + motors);
  program.E.leftCols(rows) = p.J.transpose();
  program.e = p.F + p.M * a;
  for (const Contact& c : p.contacts) {
    FrictionCone cone;
    cone.tangents = c.tangents;
    cone.mu = c.mu;
    program.cones.push_back({c.row, cone});
  }
  for (Eigen::Index k = 0; k < motors; ++k) {
    const Actuator& motor = p.actuators[k];
    program.E(motor.dof, rows + k) = 1.0;
    if (std::isinf(motor.lower) && std::isinf(motor.upper))
      program.free.push_back(static_cast<int>(rows + k));
    else
      program.boxes.push_back({static_cast<int>(rows + k), motor.lower, motor.upper});
  }
  return program;
}

}  // namespace stiction::testing
