// Equilibrium and support regions beside the nearest peer, hpp-centroidal-dynamics (when it is installed): random
// stances on one to four flat feet, four corners each, on rough ground. Ours with exact cones and a proof of every
// answer, the peer's with four-edge pyramids and without.
//
//   equilibrium/<who>/<feet>   one check of a stance; contacts, normals and centre of mass all new
//   monitor/ours/<feet>        the same contacts, the centre of mass wanders
//   monitor_talos/<efforts>/<from>   a step of the monitor while Talos (nv 38, 8 contacts) sways and squats,
//                              from its state or from the contact problem (cf. pinocchio_calls/talos_at_rest)
//   sticking_monitor_talos/<from>    the same motion with velocities and given efforts: does every contact stick?
//   region/<who>/<feet>        support region to 1e-3 of its area, ours proved; the peer's from extreme points
//                              along lines, or a slice of its polytope of wrenches
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "stiction/equilibrium.hpp"
#include "stiction/region.hpp"
#include "stiction/sticking_monitor.hpp"
#include "stiction/trajectory.hpp"
#include "talos.hpp"

#ifdef STICTION_HAVE_CENTROIDAL_DYNAMICS
#include <hpp/centroidal-dynamics/centroidal_dynamics.hh>
namespace peer = centroidal_dynamics;
#endif

namespace stiction {
namespace {

constexpr double kFriction = 0.5;

struct Stance {
  ContactProblem problem;
  Eigen::MatrixX2d shift = Eigen::MatrixX2d::Zero(6, 2);
  double mass = 60.0;
  Eigen::Vector3d com;
};

Stance draw(std::mt19937& rng, int feet)
{
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Eigen::Vector3d gravity(0, 0, -9.81);
  Stance s;
  std::vector<std::pair<Eigen::Vector3d, Eigen::Matrix3d>> soles;
  s.com.setZero();
  for (int f = 0; f < feet; ++f) {
    const Eigen::Vector3d n = Eigen::Vector3d(0.2 * unit(rng), 0.2 * unit(rng), 1.0).normalized();
    const Eigen::Vector3d t1 = n.cross(Eigen::Vector3d::UnitY()).normalized();
    Eigen::Matrix3d axes;
    axes << n, t1, n.cross(t1);
    soles.emplace_back(Eigen::Vector3d(0.3 * unit(rng), 0.3 * unit(rng), 0.05 * unit(rng)), axes);
    s.com += soles.back().first / feet;
  }
  s.com += Eigen::Vector3d(0.15 * unit(rng), 0.15 * unit(rng), 0.8);
  ContactProblem& p = s.problem;
  const auto corners = 4 * feet;
  p.J.resize(3 * corners, 6);
  p.gamma.setZero(3 * corners);
  for (const auto& [centre, axes] : soles)
    for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
      Contact c;
      c.name = "c" + std::to_string(p.contacts.size());
      c.row = 3 * static_cast<int>(p.contacts.size());
      c.mu = kFriction;
      c.point_W = centre + 0.1 * x * axes.col(1) + 0.05 * y * axes.col(2);
      c.axes_W = axes;
      for (int k = 0; k < 3; ++k)
        p.J.row(c.row + k) << axes.col(k).transpose(), c.point_W.cross(axes.col(k)).transpose();
      p.contacts.push_back(c);
    }
  p.M = s.mass * Eigen::MatrixXd::Identity(6, 6);
  p.F.resize(6);
  p.F << -s.mass * gravity, -s.mass * s.com.cross(gravity);
  for (int k = 0; k < 2; ++k)
    s.shift.col(k).tail<3>() = -s.mass * Eigen::Vector3d(Eigen::Vector3d::Unit(k)).cross(gravity);
  return s;
}

const std::vector<Stance>& stances(int feet)
{
  static std::map<int, std::vector<Stance>> drawn;
  std::vector<Stance>& list = drawn[feet];
  std::mt19937 rng(static_cast<unsigned>(feet));
  while (list.size() < 64) list.push_back(draw(rng, feet));
  return list;
}

void equilibrium_ours(benchmark::State& state)
{
  const std::vector<Stance>& list = stances(static_cast<int>(state.range(0)));
  EquilibriumChecker checker;
  EquilibriumOptions options;
  options.largest_slack = options.structure = options.explain = false;
  EquilibriumResult result;
  const Eigen::VectorXd at_rest;
  size_t i = 0, holds = 0, undecided = 0, count = 0;
  for (auto _ : state) {
    checker.check(list[i++ % list.size()].problem, at_rest, options, result);
    holds += result.verdict == Verdict::kHolds;
    undecided += result.verdict == Verdict::kUndecided;
    ++count;
  }
  state.counters["holds"] = static_cast<double>(holds) / static_cast<double>(count);
  state.counters["undecided"] = static_cast<double>(undecided);
}

void monitor_ours(benchmark::State& state)
{
  Stance s = stances(static_cast<int>(state.range(0)))[0];
  EquilibriumMonitor monitor;
  const Eigen::VectorXd at_rest, rest = s.problem.F;
  size_t i = 0, reused = 0, count = 0;
  for (auto _ : state) {
    const double angle = 1e-2 * static_cast<double>(i++);
    s.problem.F = rest + s.shift * (0.05 * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
    benchmark::DoNotOptimize(monitor.step(s.problem, at_rest));
    reused += monitor.reused();
    ++count;
  }
  state.counters["reused"] = static_cast<double>(reused) / static_cast<double>(count);
}

/// One period of a smooth motion of all joints, as a control loop at 1 kHz sees it.
std::vector<SceneState> swaying(const Scene& scene)
{
  std::vector<SceneState> states(1024);
  const SceneState start = scene.described_state();
  for (size_t i = 0; i < states.size(); ++i) {
    const double phase = 2.0 * M_PI * static_cast<double>(i) / static_cast<double>(states.size());
    Eigen::VectorXd change = Eigen::VectorXd::Zero(scene.nv());
    for (Eigen::Index j = 6; j < scene.nv(); ++j) change[j] = 0.02 * (std::sin(phase + static_cast<double>(j)));
    states[i] = start;
    states[i].q = scene.integrate(start.q, change);
  }
  return states;
}

/// What the steps of a monitor said.
struct MonitorSteps {
  size_t count = 0, holds = 0, reused = 0, undecided = 0;

  void add(Verdict verdict, bool from_last)
  {
    ++count;
    holds += verdict == Verdict::kHolds;
    undecided += verdict == Verdict::kUndecided;
    reused += from_last;
  }
  void report(benchmark::State& state) const
  {
    state.counters["holds"] = static_cast<double>(holds) / static_cast<double>(count);
    state.counters["reused"] = static_cast<double>(reused) / static_cast<double>(count);
    state.counters["undecided"] = static_cast<double>(undecided);
  }
};

void monitor_talos(benchmark::State& state, Effort::Kind effort, bool from_state)
{
  if (talos_file().empty()) return state.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  Scene scene = talos_on_its_soles(effort);
  const std::vector<SceneState> states = swaying(scene);
  std::vector<ContactProblem> problems(from_state ? 0 : 64);  // consecutive ones, there and back
  for (size_t i = 0; i < problems.size(); ++i) scene.compute(states[i < 32 ? i : 63 - i], problems[i]);
  ContactProblem problem;
  EquilibriumMonitor monitor;
  const Eigen::VectorXd at_rest;
  MonitorSteps steps;
  for (auto _ : state) {
    if (from_state) scene.compute(states[steps.count % states.size()], problem);
    const Verdict verdict = monitor.step(from_state ? problem : problems[steps.count % problems.size()], at_rest);
    steps.add(verdict, monitor.reused());
  }
  steps.report(state);
}

/// The same motion with its velocities and the efforts that hold the robot: does every contact keep sticking?
void sticking_monitor_talos(benchmark::State& state, bool from_state)
{
  if (talos_file().empty()) return state.SkipWithError("no robots: set STICTION_ROBOT_DATA");
  Scene free = talos_on_its_soles(Effort::Kind::kUnlimited), scene = talos_on_its_soles(Effort::Kind::kNone);
  std::vector<SceneState> states = swaying(scene);
  std::vector<ContactProblem> problems(states.size());
  ContactProblem problem;
  EquilibriumChecker checker;
  EquilibriumOptions options;
  EquilibriumResult found;
  for (size_t i = 0; i < states.size(); ++i) {
    const SceneState& next = states[(i + 1) % states.size()];
    states[i].v = scene.difference(states[i].q, next.q) / 1e-3;
    states[i].a.setZero(scene.nv());
    stick(free, states[i], problem);
    states[i].a.setZero(scene.nv());
    SceneState still = states[i];
    still.v.setZero();
    free.compute(still, problem);
    checker.check(problem, {}, options, found);
    states[i].effort.setZero(scene.nv());
    for (size_t k = 0; k < problem.actuators.size(); ++k)
      states[i].effort[problem.actuators[k].dof] = found.efforts[static_cast<Eigen::Index>(k)];
    scene.compute(states[i], problems[i]);
  }
  StickingMonitor monitor;
  MonitorSteps steps;
  for (auto _ : state) {
    if (from_state) scene.compute(states[steps.count % states.size()], problem);
    const Verdict verdict = monitor.step(from_state ? problem : problems[steps.count % problems.size()]);
    steps.add(verdict, monitor.reused());
  }
  steps.report(state);
}

void region_ours(benchmark::State& state)
{
  const std::vector<Stance>& list = stances(static_cast<int>(state.range(0)));
  RegionChecker checker;
  RegionOptions options;
  RegionResult result;
  std::vector<RegionInput> inputs;
  for (const Stance& s : list) inputs.push_back({s.problem, {}, s.shift, s.com.head<2>()});
  size_t i = 0, directions = 0, count = 0;
  for (auto _ : state) {
    checker.check(inputs[i++ % inputs.size()], options, result);
    directions += static_cast<size_t>(result.directions);
    ++count;
  }
  state.counters["directions"] = static_cast<double>(directions) / static_cast<double>(count);
}

#ifdef STICTION_HAVE_CENTROIDAL_DYNAMICS
struct PeerStance {
  peer::MatrixX3ColMajor points, normals;
};

PeerStance for_peer(const Stance& s)
{
  PeerStance out;
  const auto n = static_cast<Eigen::Index>(s.problem.contacts.size());
  out.points.resize(n, 3);
  out.normals.resize(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    out.points.row(i) = s.problem.contacts[i].point_W.transpose();
    out.normals.row(i) = s.problem.contacts[i].axes_W.col(0).transpose();
  }
  return out;
}

/// Its fastest way to a yes or no: robustness by linear programming, algorithm LP, LP2 or DLP.
void equilibrium_peer(benchmark::State& state, peer::EquilibriumAlgorithm algorithm)
{
  const std::vector<Stance>& list = stances(static_cast<int>(state.range(0)));
  std::vector<PeerStance> given;
  for (const Stance& s : list) given.push_back(for_peer(s));
  peer::Equilibrium equilibrium("bench", list[0].mass, 4, peer::SOLVER_LP_QPOASES, false);
  size_t i = 0, failed = 0;
  for (auto _ : state) {
    const size_t k = i++ % list.size();
    equilibrium.setNewContacts(given[k].points, given[k].normals, kFriction, algorithm);
    double robustness = 0.0;
    failed += equilibrium.computeEquilibriumRobustness(list[k].com, robustness) != peer::LP_STATUS_OPTIMAL;
  }
  state.counters["failed"] = static_cast<double>(failed);
}

/// The same with the contacts set once per stance: only the linear program is timed.
void equilibrium_peer_lp_only(benchmark::State& state)
{
  const std::vector<Stance>& list = stances(static_cast<int>(state.range(0)));
  std::vector<std::unique_ptr<peer::Equilibrium>> ready;
  for (const Stance& s : list) {
    const PeerStance given = for_peer(s);
    ready.push_back(std::make_unique<peer::Equilibrium>("bench", s.mass, 4, peer::SOLVER_LP_QPOASES, false));
    ready.back()->setNewContacts(given.points, given.normals, kFriction, peer::EQUILIBRIUM_ALGORITHM_DLP);
  }
  size_t i = 0;
  for (auto _ : state) {
    const size_t k = i++ % list.size();
    double robustness = 0.0;
    benchmark::DoNotOptimize(ready[k]->computeEquilibriumRobustness(list[k].com, robustness));
  }
}

/// The extreme point along a ray, if there is one; it complains on standard error about lines that miss the region.
std::optional<Eigen::Vector2d> extreme_point(peer::Equilibrium& equilibrium, const Eigen::Vector3d& from, double angle)
{
  peer::Vector3 com;
  const peer::Vector3 along(std::cos(angle), std::sin(angle), 0.0);
  if (equilibrium.findExtremumOverLine(along, from, 0.0, com) != peer::LP_STATUS_OPTIMAL) return std::nullopt;
  return com.head<2>();
}

/// Area of the polygon with corners on so many rays.
double area(peer::Equilibrium& equilibrium, const Eigen::Vector3d& from, int rays)
{
  std::vector<Eigen::Vector2d> corners;
  for (int k = 0; k < rays; ++k)
    if (const auto corner = extreme_point(equilibrium, from, 2 * M_PI * k / rays))
      corners.push_back(*corner - from.head<2>());
  double twice = 0.0;
  for (size_t k = 0; k < corners.size(); ++k) {
    const Eigen::Vector2d &p = corners[k], &q = corners[(k + 1) % corners.size()];
    twice += p.x() * q.y() - p.y() * q.x();
  }
  return 0.5 * twice;
}

/// As accurate as ours, 1e-3 of the area: extreme points along 8, 16, 32… rays from inside (ours says where), as few as
/// do. Where there is no region, one line that misses it.
void region_peer(benchmark::State& state)
{
  const std::vector<Stance>& list = stances(static_cast<int>(state.range(0)));
  peer::Equilibrium equilibrium("bench", list[0].mass, 4, peer::SOLVER_LP_QPOASES, false);
  RegionChecker checker;
  RegionResult region;
  std::vector<PeerStance> given;
  std::vector<Eigen::Vector3d> inside;
  std::vector<int> rays;
  for (const Stance& s : list) {
    given.push_back(for_peer(s));
    inside.push_back(s.com);
    rays.push_back(1);
    region = checker.check(s.problem, {}, s.shift, s.com.head<2>());
    if (region.kind != RegionKind::kBounded) continue;
    inside.back().head<2>().setZero();
    const Polygon& corners = region.pieces[0].inner;
    for (const Eigen::Vector2d& corner : corners)
      inside.back().head<2>() += corner / static_cast<double>(corners.size());
    equilibrium.setNewContacts(given.back().points, given.back().normals, kFriction, peer::EQUILIBRIUM_ALGORITHM_DLP);
    const double all = area(equilibrium, inside.back(), 1024);
    for (rays.back() = 8; rays.back() < 1024 && area(equilibrium, inside.back(), rays.back()) < (1.0 - 1e-3) * all;)
      rays.back() *= 2;
  }
  size_t i = 0, count = 0, lines = 0;
  for (auto _ : state) {
    const size_t k = i++ % list.size();
    equilibrium.setNewContacts(given[k].points, given[k].normals, kFriction, peer::EQUILIBRIUM_ALGORITHM_DLP);
    for (int line = 0; line < rays[k]; ++line)
      benchmark::DoNotOptimize(extreme_point(equilibrium, inside[k], 2 * M_PI * line / rays[k]));
    lines += static_cast<size_t>(rays[k]);
    ++count;
  }
  state.counters["lines"] = static_cast<double>(lines) / static_cast<double>(count);
}

/// The cone of all its gravito-inertial wrenches by double description, of which the region is a slice.
void region_peer_polytope(benchmark::State& state)
{
  const std::vector<Stance>& list = stances(static_cast<int>(state.range(0)));
  std::vector<PeerStance> given;
  for (const Stance& s : list) given.push_back(for_peer(s));
  peer::Equilibrium equilibrium("bench", list[0].mass, 4, peer::SOLVER_LP_QPOASES, false);
  size_t i = 0, failed = 0;
  for (auto _ : state) {
    const size_t k = i++ % list.size();
    failed += !equilibrium.setNewContacts(given[k].points, given[k].normals, kFriction, peer::EQUILIBRIUM_ALGORITHM_PP);
  }
  state.counters["failed"] = static_cast<double>(failed);
}
#endif

void register_all()
{
  auto feet = [](benchmark::internal::Benchmark* b) { b->DenseRange(1, 4); };
  feet(benchmark::RegisterBenchmark("equilibrium/ours", equilibrium_ours));
  feet(benchmark::RegisterBenchmark("monitor/ours", monitor_ours));
  for (const bool from_state : {true, false}) {
    const std::string from = from_state ? "/state" : "/problem";
    benchmark::RegisterBenchmark(("monitor_talos/limits" + from).c_str(), monitor_talos, Effort::Kind::kLimits,
                                 from_state);
    benchmark::RegisterBenchmark(("monitor_talos/unlimited" + from).c_str(), monitor_talos, Effort::Kind::kUnlimited,
                                 from_state);
    benchmark::RegisterBenchmark(("sticking_monitor_talos" + from).c_str(), sticking_monitor_talos, from_state)
        ->Unit(benchmark::kMicrosecond);
  }
  feet(benchmark::RegisterBenchmark("region/ours", region_ours)->Unit(benchmark::kMicrosecond));
#ifdef STICTION_HAVE_CENTROIDAL_DYNAMICS
  feet(benchmark::RegisterBenchmark("equilibrium/peer_lp", equilibrium_peer, peer::EQUILIBRIUM_ALGORITHM_LP));
  feet(benchmark::RegisterBenchmark("equilibrium/peer_lp2", equilibrium_peer, peer::EQUILIBRIUM_ALGORITHM_LP2));
  feet(benchmark::RegisterBenchmark("equilibrium/peer_dlp", equilibrium_peer, peer::EQUILIBRIUM_ALGORITHM_DLP));
  feet(benchmark::RegisterBenchmark("equilibrium/peer_dlp_contacts_set", equilibrium_peer_lp_only));
  feet(benchmark::RegisterBenchmark("region/peer_lines", region_peer)->Unit(benchmark::kMicrosecond));
  feet(benchmark::RegisterBenchmark("region/peer_polytope", region_peer_polytope)->Unit(benchmark::kMicrosecond));
#endif
}

const int registered = (register_all(), 0);

}  // namespace
}  // namespace stiction
