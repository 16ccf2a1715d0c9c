// Nobody can prove both verdicts of one problem: certificates of both engines, of nearby problems, with internal forces
// added, scaled, transplanted and made up, are put before the judge, and whatever it accepts must agree. Facets count
// too: who fails in a larger cone fails, who holds in a smaller one holds. STICTION_TRIALS multiplies the number of
// certificates.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/linear_algebra.hpp"
#include "stiction/cone.hpp"
#include "stiction/equilibrium.hpp"
#include "stiction/sticking.hpp"
#include "support/random_problems.hpp"
#include "support/trials.hpp"

namespace stiction {
namespace {

using testing::add_contact;
using testing::free_body;
using testing::gaussian;
using testing::Rng;
using testing::uniform;

double power_of_ten(Rng& rng, double lower, double upper) { return std::pow(10.0, uniform(rng, lower, upper)); }

/// Two contacts on one body: rank five, or nearly.
ContactProblem pinched(Rng& rng)
{
  ContactProblem p = free_body(rng);
  const Eigen::Vector3d a = 0.1 * gaussian(rng, 3), b = 0.1 * gaussian(rng, 3), along = (b - a).normalized();
  const double turn = rng() % 2 ? 0.2 : 1.0;
  add_contact(p, a, along + turn * Eigen::Vector3d(gaussian(rng, 3)), uniform(rng, 0.1, 1.2));
  add_contact(p, b, -along + turn * Eigen::Vector3d(gaussian(rng, 3)), uniform(rng, 0.1, 1.2));
  p.F.head<3>() = 9.81 * gaussian(rng, 3).normalized() * p.M(0, 0);
  return p;
}

/// Contacts with copies of themselves at a distance between 1e-16 and 1e-4 m, bilateral ones among them.
ContactProblem nearly_coincident(Rng& rng)
{
  ContactProblem p = testing::random_contacts(rng, 1 + static_cast<int>(rng() % 3), 0.4);
  const size_t count = p.contacts.size();
  for (size_t i = 0; i < count; ++i) {
    const Eigen::Vector3d moved = p.contacts[i].point_W + power_of_ten(rng, -16, -4) * gaussian(rng, 3);
    const Eigen::Vector3d normal = p.contacts[i].axes_W.col(0) + power_of_ten(rng, -16, -4) * gaussian(rng, 3);
    add_contact(p, moved, normal, p.contacts[i].mu, rng() % 4 ? Side::kUnilateral : Side::kBilateral);
  }
  p.F.head<3>() << 0, 0, 9.81 * p.M(0, 0);
  p.F += power_of_ten(rng, -15, 0) * gaussian(rng, 6);
  return p;
}

/// Two bodies, one on the other, with masses far apart.
ContactProblem stacked(Rng& rng)
{
  ContactProblem p = free_body(rng, 2);
  const double ratio = power_of_ten(rng, -15, 15);
  p.M.bottomRightCorner(6, 6) *= ratio;
  const double tilt = uniform(rng, 0, 0.8), mu = uniform(rng, 0.1, 1.0);
  for (int body : {0, 1})
    for (double x : {-0.1, 0.1})
      for (double y : {-0.1, 0.1}) {
        add_contact(p, {x, y, 0.1 * body}, Eigen::Vector3d::UnitZ(), mu, Side::kUnilateral, body);
        if (body == 1) p.J.bottomRows(3).leftCols(6) = -p.J.bottomRows(3).rightCols(6);  // it stands on the other
      }
  for (int body : {0, 1}) {
    p.F.segment<3>(6 * body) << 9.81 * std::sin(tilt), 0, 9.81 * std::cos(tilt);
    p.F.segment<3>(6 * body) *= p.M(6 * body, 6 * body);
  }
  return p;
}

/// The rows of a body seen from a point up to 1e7 m away: levers of that size, rounded.
void see_from_afar(Rng& rng, ContactProblem& p)
{
  if (p.nv() != 6) return;
  const Eigen::Vector3d far = power_of_ten(rng, 0, 7) * gaussian(rng, 3);
  for (const Contact& c : p.contacts)
    for (int k = 0; k < c.rows(); ++k)
      p.J.block<1, 3>(c.row + k, 3) = (c.point_W + far).cross(c.axes_W.col(k)).transpose();
  Eigen::Matrix<double, 6, 6> move =
      Eigen::Matrix<double, 6, 6>::Identity();  // twist about the new point from the old one
  Eigen::Matrix3d cross;
  cross << 0, -far.z(), far.y(), far.z(), 0, -far.x(), -far.y(), far.x(), 0;
  move.topRightCorner<3, 3>() = cross;  // v_old = v + omega x (-far)…: any consistent change of coordinates will do
  p.M = (move.transpose() * p.M * move).eval();
  p.M = 0.5 * (p.M + p.M.transpose()).eval();
  p.F = (move.transpose() * p.F).eval();
}

/// Two bodies in relative coordinates with a root that weighs down to 1e-10 of the other: M is ill-conditioned.
ContactProblem on_light_root(Rng& rng)
{
  ContactProblem p = free_body(rng, 2);
  p.M.topLeftCorner(6, 6) *= power_of_ten(rng, -10, 0);
  const int count = 1 + static_cast<int>(rng() % 4);
  for (int i = 0; i < count; ++i)
    add_contact(p, 0.3 * gaussian(rng, 3), gaussian(rng, 3), uniform(rng, 0.1, 1.2), Side::kUnilateral,
                static_cast<int>(rng() % 2));
  if (rng() % 2) {  // the bodies touch
    add_contact(p, 0.3 * gaussian(rng, 3), gaussian(rng, 3), uniform(rng, 0.1, 1.2), Side::kUnilateral, 1);
    p.J.bottomRows(3).leftCols(6) = -p.J.bottomRows(3).rightCols(6);
  }
  switch (rng() % 3) {
    case 0:
      for (int body : {0, 1}) p.F.segment<3>(6 * body) << 0, 0, 9.81 * p.M(6 * body, 6 * body);
      break;
    case 1:
      testing::make_holding(rng, p);
      break;
    default:
      p.F = gaussian(rng, 12);  // motors
  }
  Eigen::MatrixXd relative = Eigen::MatrixXd::Identity(12, 12);
  relative.bottomLeftCorner(6, 6).setIdentity();
  p.M = (relative.transpose() * p.M * relative).eval();
  p.M = 0.5 * (p.M + p.M.transpose()).eval();
  p.F = (relative.transpose() * p.F).eval();
  p.J = (p.J * relative).eval();
  return p;
}

/// Some contacts become soft fingers: a torsion row behind their tangents.
void soften(Rng& rng, ContactProblem& p)
{
  ContactProblem q = p;
  q.J.resize(0, p.nv());
  q.gamma.resize(0);
  for (Contact& c : q.contacts) {
    const Eigen::Index row = q.J.rows(), soft = rng() % 2;
    q.J.conservativeResize(row + 3 + soft, Eigen::NoChange);
    q.J.middleRows(row, 3) = p.J.middleRows(c.row, 3);
    for (Eigen::Index b = 0; soft && b < p.nv(); b += 6) {
      q.J.block<1, 3>(row + 3, b).setZero();
      q.J.block<1, 3>(row + 3, b + 3) = p.J.block<1, 3>(c.row, b);
    }
    c.row = static_cast<int>(row);
    c.torsional = soft;
    c.torsion = soft ? power_of_ten(rng, -6, 0) : 0.0;
  }
  q.gamma.setZero(q.J.rows());
  p = q;
}

/// A pin: rows of its own, or nearly rows of a contact.
void close_a_loop(Rng& rng, ContactProblem& p)
{
  const Eigen::Index row = p.J.rows(), rows = 1 + static_cast<Eigen::Index>(rng() % 2);
  Eigen::MatrixXd pin = Eigen::Map<Eigen::MatrixXd>(gaussian(rng, rows * p.nv()).data(), rows, p.nv());
  if (rng() % 2) pin = p.J.topRows(rows) + power_of_ten(rng, -15, -1) * pin;
  p.J.conservativeResize(row + rows, Eigen::NoChange);
  p.J.bottomRows(rows) = pin;
  p.gamma.conservativeResize(row + rows);
  p.gamma.tail(rows).setZero();
  p.loops.push_back({"pin", static_cast<int>(row), static_cast<int>(rows)});
}

/// Largest normal forces around what the loads ask for.
void limit_forces(Rng& rng, ContactProblem& p)
{
  for (Contact& c : p.contacts)
    if (rng() % 2) c.max_normal = power_of_ten(rng, -3, 1) * (1.0 + p.F.norm());
}

ContactProblem draw_system(Rng& rng)
{
  ContactProblem p;
  switch (rng() % 6) {
    case 0:
      p = pinched(rng);
      break;
    case 1:
      p = nearly_coincident(rng);
      break;
    case 2:
      p = stacked(rng);
      break;
    case 3:
      p = on_light_root(rng);
      break;
    case 4:
      p = testing::random_contacts(rng, 1 + static_cast<int>(rng() % 5), 0.5,
                                   rng() % 5 ? Side::kUnilateral : Side::kBilateral);
      testing::make_holding(rng, p);
      p.F += power_of_ten(rng, -15, 0) * gaussian(rng, 6);  // at and around the boundary
      break;
    default:
      p = testing::random_contacts(rng, 3 + static_cast<int>(rng() % 4), 1.0);
      if (!testing::make_failing(rng, p)) p = pinched(rng);
      for (Contact& c : p.contacts) c.mu *= 1 + power_of_ten(rng, -14, 0.3);
  }
  if (rng() % 4 == 0) see_from_afar(rng, p);
  if (rng() % 4 == 0)
    for (Contact& c : p.contacts) c.mu = power_of_ten(rng, 0, 3);
  if (rng() % 4 == 0) soften(rng, p);
  if (rng() % 6 == 0) close_a_loop(rng, p);
  if (rng() % 4 == 0) limit_forces(rng, p);
  if (rng() % 4 == 0) p.gamma = 3.0 * p.J * gaussian(rng, p.nv());  // velocities that the rows can keep
  return p;
}

/// Every number moved by up to `size` of itself.
ContactProblem nearby(Rng& rng, ContactProblem p, double size)
{
  const auto move = [&](double& x) { x *= 1 + size * uniform(rng, -1, 1); };
  for (double& x : p.J.reshaped()) move(x);
  for (double& x : p.F) move(x);
  for (double& x : p.gamma) move(x);
  for (Contact& c : p.contacts) move(c.mu);
  return p;
}

/// A certificate to which somebody did something.
Certificate tampered(Rng& rng, const ContactProblem& p, Certificate c)
{
  const double size = power_of_ten(rng, -16, 20);
  switch (rng() % 8) {
    case 0: {  // internal forces
      const Eigen::MatrixXd null = internal::column_span(p.J, 1e-12).complement();
      if (null.cols() > 0) c.lambda += size * null * gaussian(rng, null.cols());
      break;
    }
    case 1:
      c.a += size * gaussian(rng, p.nv());
      break;
    case 2: {  // along motions that keep all rows, nearly
      const Eigen::MatrixXd free = internal::column_span(p.J.transpose(), 1e-9).complement();
      if (free.cols() > 0) c.a += size * free * gaussian(rng, free.cols());
      break;
    }
    case 3:
      for (MotionLeaf& leaf : c.leaves) leaf.motion *= size;
      break;
    case 4:
      for (MotionLeaf& leaf : c.leaves) leaf.motion.head(p.nv()) += size * gaussian(rng, p.nv());
      break;
    case 5:
      c.lambda *= 1 + size;
      break;
    case 6:  // prices
      for (MotionLeaf& leaf : c.leaves)
        for (double& price : leaf.motion.tail(std::max<Eigen::Index>(leaf.motion.size() - p.nv(), 0)))
          price = rng() % 2 ? price * uniform(rng, 0, 2) : price + size * uniform(rng, -0.2, 1);
      break;
    default:
      c.lambda += size * gaussian(rng, c.lambda.size());
  }
  return c;
}

/// A certificate that nobody found: another kind, with what somebody else's has, or with a motion of one's own.
Certificate forged(Rng& rng, const ContactProblem& p, Certificate c)
{
  if (c.lambda.size() != p.rows()) c.lambda.setZero(p.rows());
  if (c.a.size() != p.nv()) c.a.setZero(p.nv());
  c.efforts.setZero(static_cast<Eigen::Index>(p.actuators.size()));
  if (rng() % 8 == 0) {
    c.kind = rng() % 2 ? CertificateKind::kContradiction : CertificateKind::kUnbalanced;
    return c;
  }
  if (rng() % 8 == 0) {
    c.kind = CertificateKind::kForces;
    return c;
  }
  c.kind = CertificateKind::kMotion;
  const bool limited = rng() % 2;
  Eigen::VectorXd y = gaussian(rng, p.nv());
  if (rng() % 3) {  // keeps some of the rows
    Eigen::MatrixXd kept(p.rows(), p.nv());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < p.rows(); ++i)
      if (rng() % 3 == 0) kept.row(count++) = p.J.row(i);
    kept.conservativeResize(count, Eigen::NoChange);
    const Eigen::MatrixXd null = internal::column_span(kept.transpose(), power_of_ten(rng, -14, -6)).complement();
    if (null.cols() > 0) y = null * gaussian(rng, null.cols());
  } else if (!c.leaves.empty() && c.leaves[0].motion.size() >= p.nv() && rng() % 2) {
    y = c.leaves[0].motion.head(p.nv()) + power_of_ten(rng, -15, -1) * y;
  }
  if (y.dot(p.M * c.a + p.F) < 0.0) y = -y;
  c.leaves.assign(1, {std::vector<int>(p.contacts.size(), 0), y});
  for (const Contact& contact : p.contacts) {
    if (!(contact.max_normal < kInfinity)) continue;
    Eigen::VectorXd& motion = c.leaves[0].motion;
    motion.conservativeResize(motion.size() + 1);
    const FrictionCone cone{contact.tangents, contact.torsional, contact.mu, contact.torsion, 1.0, ConeShape::exact()};
    const Eigen::VectorXd h = p.J.middleRows(contact.row, contact.rows()) * y;
    motion[motion.size() - 1] =
        limited ? std::max(support(cone, h), 0.0) : 0.0;  // what the contact could supply per newton
  }
  return c;
}

struct Bench {
  Rng rng{20260117};
  std::vector<Certificate> gathered;
  long judged = 0, holds = 0, fails = 0, both = 0;
};

/// Puts all gathered certificates, each also tampered with, before `judge`.
template <typename JudgeIt>
void compare(Bench& b, const ContactProblem& p, JudgeIt judge_it)
{
  bool holds = false, fails = false;
  const auto put = [&](const Certificate& c) {
    ++b.judged;
    ConeShape shape = ConeShape::exact();
    if (b.rng() % 4 == 0) shape = c.kind == CertificateKind::kForces ? ConeShape::inner(8) : ConeShape::outer(8);
    const Verdict verdict = judge_it(shape, c);
    holds = holds || verdict == Verdict::kHolds;
    fails = fails || verdict == Verdict::kFails;
  };
  const size_t found = b.gathered.size();
  for (size_t i = 0; i < found; ++i) {
    put(b.gathered[i]);
    for (int k = 0; k < 3; ++k) put(tampered(b.rng, p, b.gathered[i]));
    for (int k = 0; k < 2; ++k) put(forged(b.rng, p, b.gathered[i]));
  }
  if (holds && fails) ADD_FAILURE() << "both verdicts, after " << b.judged << " certificates";
  b.holds += holds;
  b.fails += fails;
  b.both += holds && fails;
}

TEST(BothVerdicts, AreNeverProvedOfOneStickingProblem)
{
  Bench b;
  StickingChecker checkers[] = {StickingChecker(make_native_engine()), StickingChecker(make_qpoases_engine())};
  while (b.judged < testing::trials(12000)) {
    const ContactProblem p = draw_system(b.rng);
    StickingOptions options;
    options.rules.detachment = b.rng() % 3 ? Detachment::kAllowed : Detachment::kForbidden;
    options.largest_slack = false;
    b.gathered.clear();
    for (const double size : {0.0, 1e-16, 1e-14, 1e-11, 1e-8})
      for (StickingChecker& checker : checkers) {
        const StickingResult r = checker.check(size > 0.0 ? nearby(b.rng, p, size) : p, options);
        if (r.certificate.kind != CertificateKind::kNone) b.gathered.push_back(r.certificate);
      }
    Judge judge;
    compare(b, p, [&](const ConeShape& shape, const Certificate& c) {
      return judge(p, {shape, options.rules.detachment}, c);
    });
  }
  EXPECT_EQ(b.both, 0);
  EXPECT_GE(b.holds, b.judged / 200);  // both verdicts occur, or the comparison says little
  EXPECT_GE(b.fails, b.judged / 200);
  if (std::getenv("STICTION_TRIALS"))
    std::cout << b.judged << " certificates, of problems that hold " << b.holds << ", that fail " << b.fails << "\n";
}

TEST(BothVerdicts, AreNeverProvedOfOneEquilibrium)
{
  Bench b;
  EquilibriumChecker checkers[] = {EquilibriumChecker(make_native_engine()), EquilibriumChecker(make_qpoases_engine())};
  while (b.judged < testing::trials(12000)) {
    ContactProblem p = draw_system(b.rng);
    p.gamma.setZero();
    for (int motor = static_cast<int>(b.rng() % 4) - 1; motor > 0; --motor)
      p.actuators.push_back({"motor " + std::to_string(motor),
                             static_cast<int>(b.rng() % static_cast<unsigned>(p.nv())), -uniform(b.rng, 0, 20),
                             uniform(b.rng, 0, 20)});
    b.gathered.clear();
    for (const double size : {0.0, 1e-16, 1e-14, 1e-11, 1e-8})
      for (EquilibriumChecker& checker : checkers) {
        const EquilibriumResult r = checker.check(size > 0.0 ? nearby(b.rng, p, size) : p, {}, {});
        if (r.certificate.kind != CertificateKind::kNone) b.gathered.push_back(r.certificate);
      }
    Judge judge;
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(p.nv());
    compare(b, p, [&](const ConeShape& shape, const Certificate& c) { return judge.equilibrium(p, rest, shape, c); });
  }
  EXPECT_EQ(b.both, 0);
  EXPECT_GE(b.holds, b.judged / 200);
  EXPECT_GE(b.fails, b.judged / 200);
  if (std::getenv("STICTION_TRIALS"))
    std::cout << b.judged << " certificates, of problems that hold " << b.holds << ", that fail " << b.fails << "\n";
}

}  // namespace
}  // namespace stiction
