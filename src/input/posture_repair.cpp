#include "stiction/posture_repair.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/linear_algebra.hpp"
#include "base/numerics.hpp"
#include "base/text.hpp"
#include "stiction/error.hpp"

namespace stiction {
namespace {

constexpr int kMostPostureSteps = 40;      // along the gradient
constexpr int kMostShortcuts = 6;          // from what holds to something nearer that does
constexpr double kLongestStep = 0.3;       // rad, m: beyond it a gradient says little
constexpr double kBeyondTheMargin = 1.02;  // times the step to where the margin is expected to be zero
constexpr double kDifference = 1e-5;       // rad, m: of difference quotients of the margin
constexpr double kRowDifference = 1e-6;    // and of where contacts are, by central ones
constexpr double kNearTheBoundary = 1e-3;  // of the change: how near to the boundary it goes back
constexpr double kShortestShare = 1e-3;    // of a step, which is halved until it gains something
constexpr double kClosed = 1e-10;          // rad, m: contacts are in place
constexpr double kShown = 1e-9;            // rad, m: last digit of the posture that is told
constexpr double kDependentMoves = 1e-7;   // of difference quotients

/// Where a row of J is zero as long as bodies stay together there: contacts and closures, from their places in the
/// first posture.
class Together {
 public:
  Together(const SceneDescription& description, Scene& scene, const ContactProblem& problem, const SceneState& state,
           PostureMoves::Contacts contacts)
      : scene_(scene)
  {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const Contact& contact = problem.contacts[i];
      const ContactOrigin& origin = scene.contact_origins()[i];
      const ContactDescription& entry = description.contacts[static_cast<std::size_t>(origin.description)];
      const bool stays = contacts == PostureMoves::Contacts::kStay;
      add(entry.link, entry.on, origin.normal_body, contact.point_W,
          contact.axes_W.leftCols(stays ? 1 + contact.tangents : 1),
          stays && contact.torsional ? contact.axes_W.leftCols(1) : Eigen::MatrixXd(3, 0), state);
    }
    for (const LoopDescription& loop : description.loops) {
      const Eigen::Isometry3d link = scene.link_pose(state, loop.link);
      const bool guide = loop.kind == LoopDescription::Kind::kGuide, weld = loop.kind == LoopDescription::Kind::kWeld;
      const Eigen::MatrixXd axes =
          guide ? Eigen::MatrixXd(link.linear() * loop.normal) : Eigen::MatrixXd::Identity(3, 3);
      add(loop.link, loop.on, guide ? loop.link : "world", link * loop.at, axes,
          weld ? Eigen::MatrixXd::Identity(3, 3) : Eigen::MatrixXd(3, 0), state);
    }
  }

  /// What every place has come apart along its axes, m and rad.
  Eigen::VectorXd apart(const SceneState& state)
  {
    Eigen::VectorXd rows(rows_);
    Eigen::Index next = 0;
    for (const Place& place : places_) {
      const Eigen::Isometry3d a = pose(state, place.link) * place.link_back, b = pose(state, place.on) * place.on_back;
      const Eigen::Matrix3d turned = pose(state, place.axes_of).linear() * place.axes_back;
      const Eigen::Vector3d shift = a * place.point - b * place.point;
      for (Eigen::Index k = 0; k < place.axes.cols(); ++k) rows[next++] = (turned * place.axes.col(k)).dot(shift);
      if (place.spins.cols() == 0) continue;
      const Eigen::AngleAxisd spin(Eigen::Matrix3d(a.linear() * b.linear().transpose()));
      for (Eigen::Index k = 0; k < place.spins.cols(); ++k)
        rows[next++] = spin.angle() * spin.axis().dot(turned * place.spins.col(k));
    }
    return rows;
  }

 private:
  struct Place {
    std::string link, on, axes_of;
    Eigen::Isometry3d link_back, on_back;  ///< from the world into the bodies, in the first posture
    Eigen::Matrix3d axes_back;
    Eigen::Vector3d point;        ///< in the world, in the first posture; so are the others
    Eigen::MatrixXd axes, spins;  ///< directions that it stays together along, and about
  };

  Eigen::Isometry3d pose(const SceneState& state, const std::string& link)
  {
    return link == "world" ? Eigen::Isometry3d::Identity() : scene_.link_pose(state, link);
  }

  void add(const std::string& link, const std::string& on, const std::string& axes_of, const Eigen::Vector3d& point,
           const Eigen::MatrixXd& axes, const Eigen::MatrixXd& spins, const SceneState& state)
  {
    places_.push_back({link, on, axes_of, pose(state, link).inverse(), pose(state, on).inverse(),
                       pose(state, axes_of).linear().transpose(), point, axes, spins});
    rows_ += axes.cols() + spins.cols();
  }

  Scene& scene_;
  std::vector<Place> places_;
  Eigen::Index rows_ = 0;
};

/// The search, in the coordinates of what may move: q = integrate(first posture, u).
class PostureSearch {
 public:
  PostureSearch(const SceneDescription& description, Scene& scene, const ContactProblem& problem,
                const StickingRules& rules, PostureMoves::Contacts contacts, StickingChecker& checker)
      : description_(description),
        scene_(scene),
        given_(problem),
        start_(scene.state(description.models)),
        together_(description, scene, problem, start_, contacts),
        checker_(checker)
  {
    options_.rules = rules;
    options_.largest_slack = options_.explain = false;
    options_.nearest_load = true;
  }

  PostureRepair run(std::vector<int> dofs);

 private:
  struct Point {
    Eigen::VectorXd u;
    double margin = kInfinity;  ///< distance of the load from what the contacts carry; 0: it holds; infinity: not known
  };

  SceneState state_at(const Eigen::VectorXd& u) const
  {
    Eigen::VectorXd change = Eigen::VectorXd::Zero(given_.nv());
    for (std::size_t k = 0; k < dofs_.size(); ++k) change[dofs_[k]] = u[static_cast<Eigen::Index>(k)];
    SceneState state = start_;
    state.q = scene_.integrate(start_.q, change);
    return state;
  }

  double margin_of(const SceneState& state);
  Point at(const Eigen::VectorXd& u) { return {u, margin_of(state_at(u))}; }
  Eigen::VectorXd apart(const Eigen::VectorXd& u) { return together_.apart(state_at(u)); }
  Eigen::MatrixXd rows_at(const Eigen::VectorXd& u);
  bool put_together(Eigen::VectorXd& u);
  Eigen::VectorXd nearest_zero(const Point& point, double beyond);
  bool descend(Point& fails, Point& holds);
  void go_back(Point& fails, Point& holds);
  void shorten(Point& fails, Point& holds);
  bool tell(const Point& holds, PostureRepair& repair);
  int beyond_limits(const std::vector<ModelDescription>& models) const;
  double joint_position(int dof) const;

  const SceneDescription& description_;
  Scene& scene_;
  const ContactProblem& given_;
  SceneState start_;
  Together together_;
  StickingChecker& checker_;
  StickingOptions options_;
  StickingResult result_;
  ContactProblem problem_;
  std::vector<int> dofs_;
};

double PostureSearch::margin_of(const SceneState& state)
{
  scene_.compute(state, problem_);
  for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {  // rows of a batch have coefficients of their own
    problem_.contacts[i].mu = given_.contacts[i].mu;
    problem_.contacts[i].side = given_.contacts[i].side;
    problem_.contacts[i].torsion = given_.contacts[i].torsion;
    problem_.contacts[i].max_normal = given_.contacts[i].max_normal;
  }
  checker_.check(problem_, options_, result_);
  if (result_.verdict == Verdict::kHolds) return 0.0;
  return result_.nearest_load ? result_.nearest_load->norm() : kInfinity;
}

Eigen::MatrixXd PostureSearch::rows_at(const Eigen::VectorXd& u)
{
  Eigen::MatrixXd rows(apart(u).size(), u.size());
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    Eigen::VectorXd more = u, less = u;
    more[k] += kRowDifference;
    less[k] -= kRowDifference;
    rows.col(k) = (apart(more) - apart(less)) / (2.0 * kRowDifference);
  }
  return rows;
}

/// Newton's method with the shortest steps; false: contacts cannot be closed near by.
bool PostureSearch::put_together(Eigen::VectorXd& u)
{
  for (int pass = 0; pass < 12; ++pass) {
    const Eigen::VectorXd rest = apart(u);
    if (rest.size() == 0 || rest.lpNorm<Eigen::Infinity>() <= kClosed) return true;
    u -= internal::LeastNorm(rows_at(u), kDependentMoves).solve(rest);
  }
  return false;
}

/// The shortest change at which, to first order, contacts are in place and the margin is zero, or beyond; `point`
/// itself where no move that keeps contacts in place changes it.
Eigen::VectorXd PostureSearch::nearest_zero(const Point& point, double beyond)
{
  const Eigen::Index n = point.u.size();
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::VectorXd other = point.u;
    other[k] += kDifference;
    if (const double margin = at(other).margin; std::isfinite(margin))
      gradient[k] = (margin - point.margin) / kDifference;
  }
  const Eigen::MatrixXd rows = rows_at(point.u);
  const Eigen::VectorXd rest = apart(point.u);
  const internal::LeastNorm keep(rows, kDependentMoves);
  const Eigen::VectorXd slope = gradient - keep.solve(rows * gradient);  // along moves that keep contacts in place
  if (slope.norm() <= kDependentMoves * gradient.norm() || gradient.isZero(0.0)) return point.u;
  const Eigen::VectorXd fixed = keep.solve(rows * point.u - rest);
  const double wanted = gradient.dot(point.u) - beyond * point.margin - gradient.dot(fixed);
  return fixed + slope * (wanted / slope.squaredNorm());
}

/// From what fails to something that holds.
bool PostureSearch::descend(Point& fails, Point& holds)
{
  for (int step = 0; step < kMostPostureSteps; ++step) {
    Eigen::VectorXd way = nearest_zero(fails, kBeyondTheMargin) - fails.u;
    if (way.norm() == 0.0) return false;
    if (way.norm() > kLongestStep) way *= kLongestStep / way.norm();
    Point next;
    for (double share = 1.0; share > kShortestShare; share *= 0.5) {
      Eigen::VectorXd u = fails.u + share * way;
      if (!put_together(u)) continue;
      next = at(u);
      if (next.margin < fails.margin) break;
    }
    if (!(next.margin < fails.margin)) return false;
    if (next.margin == 0.0) {
      holds = next;
      return true;
    }
    fails = next;
  }
  return false;
}

/// On the line between both.
void PostureSearch::go_back(Point& fails, Point& holds)
{
  for (int pass = 0; pass < 30 && (holds.u - fails.u).norm() > kNearTheBoundary * holds.u.norm(); ++pass) {
    Eigen::VectorXd u = 0.5 * (fails.u + holds.u);
    if (!put_together(u)) return;
    const Point middle = at(u);
    (middle.margin == 0.0 ? holds : fails) = middle;
  }
}

/// To the point of the boundary that is nearest to the first posture, as the gradient at the boundary has it.
void PostureSearch::shorten(Point& fails, Point& holds)
{
  go_back(fails, holds);
  for (int pass = 0; pass < kMostShortcuts; ++pass) {
    if (!std::isfinite(fails.margin) || fails.margin == 0.0) return;
    Eigen::VectorXd u = nearest_zero(fails, kBeyondTheMargin);
    u += 2.0 * kNearTheBoundary * (u - fails.u);
    if (!put_together(u) || u.norm() >= (1.0 - kNearTheBoundary) * holds.u.norm()) return;
    const Point other = at(u);
    if (other.margin > 0.0) {
      if (!std::isfinite(other.margin)) return;
      fails = other;
    } else {
      holds = other;
    }
    go_back(fails, holds);
  }
}

/// The first joint that may move and is outside of its limits there, but was inside; -1: none.
int PostureSearch::beyond_limits(const std::vector<ModelDescription>& models) const
{
  const std::vector<Warning> before = scene_.warnings(description_.models);
  for (const Warning& warning : scene_.warnings(models)) {
    if (warning.kind != Warning::Kind::kJointLimits) continue;
    if (std::ranges::any_of(before,
                            [&](const Warning& old) { return old.kind == warning.kind && old.path == warning.path; }))
      continue;
    for (const int dof : dofs_) {
      const Dof& own = given_.dofs[static_cast<std::size_t>(dof)];
      if (warning.path == "models." + own.model + ".joints." + own.joint) return dof;
    }
  }
  return -1;
}

double shown(double value) { return std::round(value / kShown) * kShown; }

/// Fixed-axis roll, pitch and yaw, as of a Pose.
Eigen::Vector3d roll_pitch_yaw(const Eigen::Matrix3d& R)
{
  return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
          std::atan2(R(1, 0), R(0, 0))};
}

/// Position of a 1-dof joint: the entry of q that a unit of its velocity moves.
double PostureSearch::joint_position(int dof) const
{
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(given_.nv());
  unit[dof] = 1.0;
  Eigen::Index place = 0;
  (scene_.integrate(start_.q, unit) - start_.q).cwiseAbs().maxCoeff(&place);
  return start_.q[place];
}

/// The posture as it is told, decided anew.
bool PostureSearch::tell(const Point& holds, PostureRepair& repair)
{
  const SceneState state = state_at(holds.u);
  repair.models = description_.models;
  repair.joints.clear();
  repair.bases.clear();
  repair.change = Eigen::VectorXd::Zero(given_.nv());
  for (std::size_t k = 0; k < dofs_.size(); ++k) {
    const Dof& dof = given_.dofs[static_cast<std::size_t>(dofs_[k])];
    const double moved = holds.u[static_cast<Eigen::Index>(k)];
    const int index = scene_.model_index(dof.model);
    ModelDescription& model = repair.models[static_cast<std::size_t>(index)];
    repair.change[dofs_[k]] = moved;
    if (!dof.of_base()) {
      model.joints[dof.joint] = shown(joint_position(dofs_[k]) + moved);
      repair.joints.push_back(dofs_[k]);
    } else if (std::ranges::find(repair.bases, index) == repair.bases.end()) {
      const Eigen::Isometry3d root = scene_.link_pose(state, scene_.root_link(dof.model));
      repair.bases.push_back(index);
      model.pose.xyz = root.translation().unaryExpr(&shown);
      model.pose.rpy = roll_pitch_yaw(root.linear()).unaryExpr(&shown);
    }
  }
  const SceneState told = scene_.state(repair.models);
  const Eigen::VectorXd rest = together_.apart(told);
  repair.gap = rest.size() > 0 ? rest.lpNorm<Eigen::Infinity>() : 0.0;
  return margin_of(told) == 0.0;
}

PostureRepair PostureSearch::run(std::vector<int> dofs)
{
  PostureRepair repair;
  bool limited = false;
  const auto not_found = [&](const std::string& reason) {
    repair = {};
    repair.reason = reason + (limited ? ", with joints held that would leave their limits" : "");
    return repair;
  };
  if (!start_.v.isZero(0.0)) return not_found("bodies move, and in another posture contacts would not be at rest");
  for (const ContactDescription& contact : description_.contacts)
    if (contact.radius || contact.on_radius)
      return not_found("where " + contact.name + " would touch is not known: it has radii and may roll");
  for (dofs_ = std::move(dofs); !dofs_.empty();) {
    Point fails = at(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dofs_.size()))), holds;
    if (!std::isfinite(fails.margin))
      return not_found("there is no load near by that the contacts carry with the same acceleration");
    if (fails.margin == 0.0) return not_found("it holds");
    if (!descend(fails, holds)) return not_found("no move that keeps contacts in place was found to help");
    shorten(fails, holds);
    bool told = tell(holds, repair);
    for (double more = kNearTheBoundary; !told && more < 0.1; more *= 4.0) {  // at the boundary rounding decides
      Eigen::VectorXd u = (1.0 + more) * holds.u;
      told = put_together(u) && tell({u, 0.0}, repair);
    }
    if (!told) return not_found("what was found holds, but not as rounded");
    const int beyond = beyond_limits(repair.models);
    repair.found = beyond < 0;
    if (repair.found) return repair;
    std::erase(dofs_, beyond);
    limited = true;
  }
  return not_found("nothing is left to move");
}

}  // namespace

PostureRepair repaired_posture(const SceneDescription& description, Scene& scene, const ContactProblem& problem,
                               const StickingRules& rules, const PostureMoves& moves, StickingChecker& checker)
{
  for (const int dof : moves.dofs) {
    if (dof < 0 || dof >= problem.nv())
      throw InputError("moves.dofs", "want degrees of freedom of the problem, got " + std::to_string(dof));
    const Dof& own = problem.dofs[static_cast<std::size_t>(dof)];
    if (!own.of_base() && own.size > 1)
      throw InputError("moves.dofs", "want joints of one degree of freedom and floating bases, got " +
                                         internal::quoted(own.model + "/" + own.joint));
  }
  return PostureSearch(description, scene, problem, rules, moves.contacts, checker).run(moves.dofs);
}

}  // namespace stiction
