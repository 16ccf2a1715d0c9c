#include "scene/articulation.hpp"

#include <cmath>

#include "scene/urdf.hpp"

namespace stiction::internal {
namespace {

double size_of(const Eigen::Vector3d& x) { return x.lpNorm<1>(); }

/// [d]x[d]x, negated: |d|² - d d'.
Eigen::Matrix3d lever_square(const Eigen::Vector3d& d)
{
  Eigen::Matrix3d square;
  const double xx = d.x() * d.x(), yy = d.y() * d.y(), zz = d.z() * d.z();
  const double xy = -d.x() * d.y(), xz = -d.x() * d.z(), yz = -d.y() * d.z();
  square << yy + zz, xy, xz, xy, xx + zz, yz, xz, yz, xx + yy;
  return square;
}

/// Size of R x for each entry.
Eigen::Vector3d turned_size(const Eigen::Matrix3d& R, const Eigen::Vector3d& size)
{
  if ((R.array() != 0.0).all()) return Eigen::Vector3d::Constant(size.sum());
  return (R.array() != 0.0).cast<double>().matrix() * size;
}

/// Of a joint in its own frame; they are the same in every position for all joints of URDF.
Eigen::Matrix<double, 6, Eigen::Dynamic> motions(const Articulation::Joint& joint)
{
  Eigen::Matrix<double, 6, Eigen::Dynamic> S = Eigen::Matrix<double, 6, Eigen::Dynamic>::Zero(6, freedoms(joint.type));
  switch (joint.type) {
    case JointType::kPrismatic:
      S.col(0).head<3>() = joint.axis;
      break;
    case JointType::kPlanar:
      S(0, 0) = S(1, 1) = S(5, 2) = 1.0;
      break;
    case JointType::kFloating:
      S.setIdentity();
      break;
    default:
      S.col(0).tail<3>() = joint.axis;
  }
  return S;
}

}  // namespace

Sized turned(const Eigen::Matrix3d& R, const Sized& x, double rounding)
{
  Sized y(R * x.value, turned_size(R, x.size));
  for (int k = 0; k < 3; ++k) y.value[k] = without_noise(y.value[k], rounding * y.size[k]);
  return y;
}

SizedAxes turned(const Eigen::Matrix3d& R, const SizedAxes& axes, double rounding)
{
  SizedAxes result;
  result.value.noalias() = R * axes.value;
  if ((R.array() != 0.0).all())
    result.size.rowwise() = axes.size.colwise().sum();
  else
    result.size.noalias() = (R.array() != 0.0).cast<double>().matrix() * axes.size;
  result.value = (result.value.array().abs() > rounding * result.size.array()).select(result.value, 0.0);
  return result;
}

Sized shifted(const Sized& x, const Eigen::Vector3d& shift, const Eigen::Vector3d& size, double rounding)
{
  Sized y(x.value + shift, x.size + size);
  for (int k = 0; k < 3; ++k) y.value[k] = without_noise(y.value[k], rounding * y.size[k]);
  return y;
}

void RigidBody::add(const RigidBody& other)
{
  const double sum = mass + other.mass;
  inertia += other.inertia;
  if (sum > 0.0) {
    const double share = other.mass / sum;
    const Eigen::Vector3d d = other.com - com;
    inertia += (mass * share) * lever_square(d);
    com = mass > 0.0 ? Eigen::Vector3d(com + share * d) : other.com;
  }
  mass = sum;
}

RigidBody RigidBody::moved(const Eigen::Matrix3d& R, const Eigen::Vector3d& r) const
{
  RigidBody body;
  body.mass = mass;
  body.com.noalias() = R * com;
  body.com += r;
  Eigen::Matrix3d turned_inertia;
  turned_inertia.noalias() = R * inertia;
  body.inertia.noalias() = turned_inertia * R.transpose();
  return body;
}

void Articulation::add(Joint joint)
{
  const auto S = motions(joint);
  joint.v = static_cast<int>(S_.cols());
  joint.nv = static_cast<int>(S.cols());
  joint.slides = !S.topRows<3>().isZero(0.0);
  joint.turns = !S.bottomRows<3>().isZero(0.0);
  for (int k = 0; k < 3; ++k)
    if (joint.axis.cwiseAbs() == Eigen::Vector3d::Unit(k)) joint.aligned = k;
  joints_.push_back(joint);
  S_.conservativeResize(6, joint.v + joint.nv);
  S_.rightCols(joint.nv) = S;
  joint_of_.resize(idx(joint.v + joint.nv), size() - 1);
}

void Articulation::finish()
{
  std::vector<int> behind(joints_.size(), 1), before(joints_.size(), 0);
  for (std::size_t j = joints_.size(); j-- > 1;)
    if (joints_[j].parent > 0) behind[idx(joints_[j].parent)] += behind[j];
  for (std::size_t j = 1; j < joints_.size(); ++j) {
    before[j] = before[idx(joints_[j].parent)] + 1;
    joints_[j].rounding = kJointRounding * (before[j] - 1 + behind[j]);
  }
  joints_[0].rounding = kJointRounding;
  for (const Joint& joint : joints_) {
    rungs_.emplace_back();
    rungs_.back().parent = joint.parent;
    rungs_.back().v = joint.v;
    rungs_.back().nv = joint.nv;
    rungs_.back().slides = joint.slides;
    rungs_.back().turns = joint.turns;
  }
  frames_.resize(joints_.size());
  steps_.resize(joints_.size());
  whole_.resize(joints_.size());
  reach_.resize(joints_.size());
  behind_.resize(joints_.size());
  terms_.resize(joints_.size());
  linear_.resize(3, S_.cols());
  angular_.resize(3, S_.cols());
  momentum_.resize(3, S_.cols());
  moment_.resize(3, S_.cols());
}

void Articulation::place(const Eigen::VectorXd& q)
{
  for (std::size_t j = 1; j < joints_.size(); ++j)
    if (!joints_[j].base) place(joints_[j], q, frames_[idx(joints_[j].parent)], frames_[j], steps_[j]);
}

void Articulation::place(const Joint& joint, const Eigen::VectorXd& q, const Frame& parent, Frame& frame,
                         double& step) const
{
  Eigen::Vector3d r = joint.r;
  frame.R.noalias() = parent.R * joint.R;
  step = size_of(joint.r);
  const auto slide = [&](const Eigen::Vector3d& way) {
    r += joint.R * way;
    step += size_of(way);
  };
  const auto turn = [&](int axis, double c, double s) {
    const Eigen::Vector3d x = frame.R.col((axis + 1) % 3), y = frame.R.col((axis + 2) % 3);
    frame.R.col((axis + 1) % 3) = c * x + s * y;
    frame.R.col((axis + 2) % 3) = c * y - s * x;
  };
  switch (joint.type) {
    case JointType::kPrismatic:
      slide(joint.axis * q(joint.q));
      break;
    case JointType::kPlanar:
      slide({q(joint.q), q(joint.q + 1), 0.0});
      turn(2, q(joint.q + 2), q(joint.q + 3));
      break;
    case JointType::kFloating:
      slide(q.segment<3>(joint.q));
      frame.R *= Eigen::Quaterniond(Eigen::Vector4d(q.segment<4>(joint.q + 3))).normalized().toRotationMatrix();
      break;
    default: {
      const double angle = q(joint.q), c = std::cos(angle), s = std::sin(angle);
      if (joint.aligned >= 0) {
        turn(joint.aligned, c, joint.axis[joint.aligned] * s);
      } else {
        const Eigen::Vector3d& a = joint.axis;
        Eigen::Matrix3d Q = (1.0 - c) * a * a.transpose();
        Q.diagonal().array() += c;
        Q(1, 0) += s * a.z(), Q(0, 1) -= s * a.z();
        Q(0, 2) += s * a.y(), Q(2, 0) -= s * a.y();
        Q(2, 1) += s * a.x(), Q(1, 2) -= s * a.x();
        frame.R *= Q;
      }
    }
  }
  frame.r.noalias() = parent.R * r;
  frame.r += parent.r;
  frame.path = parent.path + step;
}

void Articulation::place(int j, const Eigen::Matrix3d& R, const Eigen::Vector3d& r)
{
  if (joints_[idx(j)].base) return;
  const Frame& parent = frames_[idx(joints_[idx(j)].parent)];
  Frame& frame = frames_[idx(j)];
  frame.R.noalias() = parent.R * R;
  frame.r.noalias() = parent.R * r;
  frame.r += parent.r;
  steps_[idx(j)] = size_of(r);
  frame.path = parent.path + steps_[idx(j)];
}

void Articulation::compose()
{
  for (std::size_t j = 1; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const Frame& frame = frames_[j];
    if (joint.slides)
      linear_.middleCols(joint.v, joint.nv).noalias() = frame.R * S_.block(0, joint.v, 3, joint.nv);
    else
      linear_.middleCols(joint.v, joint.nv).setZero();
    if (joint.turns)
      angular_.middleCols(joint.v, joint.nv).noalias() = frame.R * S_.block(3, joint.v, 3, joint.nv);
    else
      angular_.middleCols(joint.v, joint.nv).setZero();
    rungs_[j].from_parent = frame.r - frames_[idx(joint.parent)].r;
    whole_[j] = joint.base ? joint.body : joint.body.moved(frame.R, frame.r);
    reach_[j] = joint.body.mass * (frame.path + size_of(joint.body.com));
    behind_[j] = 0.0;
  }
  for (std::size_t j = joints_.size(); j-- > 1;) {
    const Joint& joint = joints_[j];
    const RigidBody& body = whole_[j];
    const Eigen::Vector3d lever = body.com - frames_[j].r;
    for (int i = joint.v; i < joint.v + joint.nv; ++i) {
      const Eigen::Vector3d turn = angular_.col(i);
      const Eigen::Vector3d p = body.mass * (linear_.col(i) + turn.cross(lever));
      momentum_.col(i) = p;
      moment_.col(i) = lever.cross(p);
      if (joint.turns) moment_.col(i) += body.inertia * turn;
    }
    if (joint.parent == 0) continue;
    whole_[idx(joint.parent)].add(body);
    reach_[idx(joint.parent)] += reach_[j];
    behind_[idx(joint.parent)] += reach_[j];
  }
}

Sized Articulation::point(int j, const Sized& p) const
{
  if (j == 0 || joint(j).base) return p;
  const Frame& f = frame(j);
  return shifted(Sized(f.R * p.value, turned_size(f.R, p.size)), f.r, Eigen::Vector3d::Constant(f.path),
                 joint(j).rounding);
}

SizedAxes Articulation::axes(int j, const SizedAxes& axes) const
{
  return j == 0 || joint(j).base ? axes : turned(frame(j).R, axes, joint(j).rounding);
}

void Articulation::fill_mass(Eigen::MatrixXd& M) const
{
  const Eigen::Index n = S_.cols();
  M.setZero(n, n);
  const auto dot = [](const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  double* const entries = M.data();
  for (std::size_t j = 1; j < rungs_.size(); ++j)
    for (int i = rungs_[j].v; i < rungs_[j].v + rungs_[j].nv; ++i) {
      const Eigen::Vector3d p = momentum_.col(i);
      Eigen::Vector3d moment = moment_.col(i);
      for (const Rung* rung = &rungs_[j];;) {
        const int end = std::min(i + 1, rung->v + rung->nv);  // of the joint itself the lower half
        for (int row = rung->v; row < end; ++row) {
          double entry = 0.0;
          if (rung->slides) entry += dot(linear_.data() + 3 * row, p.data());
          if (rung->turns) entry += dot(angular_.data() + 3 * row, moment.data());
          entries[row + n * i] = entries[i + n * row] = entry;
        }
        if (rung->parent == 0) break;
        moment += rung->from_parent.cross(p);
        rung = &rungs_[idx(rung->parent)];
      }
    }
  for (int i = 0; i < n; ++i) mend(i, joint_of_[idx(i)], M);
}

/// Bounds of the rounding of the momentum of what is behind joint j, per unit velocity of its turning, and of its
/// moment about a point `lever` away from the joint.
double Articulation::momentum_noise(int j) const
{
  return joint(j).rounding * (reach_[idx(j)] + whole_[idx(j)].mass * frame(j).path);
}

double Articulation::moment_noise(int j, double lever) const
{
  const RigidBody& body = whole_[idx(j)];
  const double spread = body.inertia.trace();
  if (body.mass > 0.0) lever += size_of(body.com - frame(j).r) + std::sqrt(spread / body.mass);
  return joint(j).rounding * spread + lever * momentum_noise(j);
}

/// A motion that truly moves no mass (a rod about its own line) has kinetic energy of rounding, of either sign. If
/// its whole row is rounding the row is zero; if not, the diagonal rises by its rounding, to at least the true one.
void Articulation::mend(int i, int j, Eigen::MatrixXd& M) const
{
  if (angular_.col(i).isZero(0.0)) return;  // a mass, exactly
  const double noise = moment_noise(j, 0.0);
  if (M(i, i) > 2.0 * noise) return;
  bool only_noise = true;
  for (int k = 0; k < M.cols() && only_noise; ++k) {
    if (k == i || M(i, k) == 0.0) continue;
    const int other = joint_of_[idx(k)], lower = std::max(j, other);  // the one behind the other: parents come first
    const double lever = size_of(frame(j).r - frame(other).r);
    const int upper_velocity = lower == j ? k : i;
    const double bound = angular_.col(upper_velocity).isZero(0.0) ? momentum_noise(lower) : moment_noise(lower, lever);
    only_noise = std::abs(M(i, k)) <= bound;
  }
  if (only_noise) {
    M.row(i).setZero();
    M.col(i).setZero();
  } else {
    M(i, i) = std::max(M(i, i), 0.0) + noise;
  }
}

void Articulation::add_gravity(const std::vector<Sized>& gravity, Eigen::VectorXd& force, Eigen::VectorXd& noise) const
{
  for (int j = 1; j < size(); ++j) {
    const Joint& joint = joints_[idx(j)];
    const RigidBody& body = whole_[idx(j)];
    const Sized& g = gravity[idx(joint.root)];
    for (int i = joint.v; i < joint.v + joint.nv; ++i) force(i) -= momentum_.col(i).dot(g.value);
    if (joint.base) {
      const Eigen::Vector3d arm =
          joint.body.mass * joint.body.com.cwiseAbs() + Eigen::Vector3d::Constant(behind_[idx(j)]);
      for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        noise(joint.v + k) += joint.rounding * body.mass * std::abs(g.value[k]);
        noise(joint.v + 3 + k) += joint.rounding * (arm[a] * g.size[b] + arm[b] * g.size[a]);
      }
      continue;
    }
    const double weight = g.value.lpNorm<1>();
    for (int i = joint.v; i < joint.v + joint.nv; ++i) {
      if (joint.slides) noise(i) += joint.rounding * body.mass * weight;
      if (joint.turns) noise(i) += momentum_noise(j) * weight;
    }
  }
}

/// The passes of Newton-Euler with the sizes of their terms in the place of the terms.
void Articulation::add_motion_noise(const Eigen::VectorXd& v, Eigen::VectorXd& noise)
{
  for (std::size_t j = 1; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const Terms& before = terms_[idx(joint.parent)];  // of the root: zeros
    const double step = joint.base ? 0.0 : steps_[j];
    double slide = 0.0, turn = 0.0;
    for (int i = joint.v; i < joint.v + joint.nv; ++i) {
      if (joint.slides) slide += S_.col(i).head<3>().lpNorm<1>() * std::abs(v(i));
      if (joint.turns) turn += S_.col(i).tail<3>().lpNorm<1>() * std::abs(v(i));
    }
    Terms& t = terms_[j];
    t.speed = before.speed + step * before.spin + slide;
    t.spin = before.spin + turn;
    t.acceleration = before.acceleration + step * before.spin_rate + t.spin * slide + t.speed * turn;
    t.spin_rate = before.spin_rate + t.spin * turn;
    const double m = joint.body.mass, c = size_of(joint.body.com);
    const double moment = joint.body.inertia.trace() + m * c * c;
    t.force = m * (t.acceleration + c * t.spin_rate + t.spin * (t.speed + c * t.spin));
    t.moment = moment * t.spin_rate + m * c * t.acceleration + t.spin * (moment * t.spin + m * c * t.speed) +
               t.speed * m * (t.speed + c * t.spin);
  }
  for (std::size_t j = joints_.size(); j-- > 1;) {
    const Joint& joint = joints_[j];
    const Terms& t = terms_[j];
    for (int i = joint.v; i < joint.v + joint.nv; ++i) {
      if (!S_.col(i).head<3>().isZero(0.0)) noise(i) += joint.rounding * t.force;
      if (!S_.col(i).tail<3>().isZero(0.0)) noise(i) += joint.rounding * t.moment;
    }
    if (joint.parent == 0) continue;
    terms_[idx(joint.parent)].force += t.force;
    terms_[idx(joint.parent)].moment += t.moment + steps_[j] * t.force;
  }
}

Articulation::MotionSize Articulation::motion_size(int j, double lever) const
{
  if (j == 0) return {};
  const Terms& t = terms_[idx(j)];
  const double speed = t.speed + t.spin * lever;
  return {speed, t.spin, t.acceleration + t.spin_rate * lever + t.spin * speed, t.spin_rate};
}

}  // namespace stiction::internal
