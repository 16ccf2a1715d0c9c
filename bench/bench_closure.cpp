// Does a grasp with hard fingers have closure? Proved verdicts on exact cones beside the two usual ways on 8-edge
// cones: the facets of the wrenches' convex hull (Qhull), and a linear program for positive internal forces (GLPK).
//
//   closure/<solver>/<contacts>        fingers at random around a bumpy ball, a new grasp each time
//   closure_even/<solver>/<contacts>   half of them closed, half with the fingers mostly on one side
//
// Many contacts rarely miss closure, and then narrowly: the second family is the harder one.
// `wrong` counts answers that differ from the proved ones; a few are expected of inner 8-edge cones.
#include <benchmark/benchmark.h>
#include <Eigen/Geometry>
#include <Eigen/QR>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stiction/closure.hpp"

#ifdef STICTION_HAVE_GLPK
#include <glpk.h>
#endif
#ifdef STICTION_HAVE_QHULL
extern "C" {
#include <libqhull_r/libqhull_r.h>
}
#endif

namespace stiction {
namespace {

constexpr int kEdges = 8;
constexpr std::size_t kGrasps = 64;  // more than a branch predictor learns by heart

using Contacts = std::vector<GraspContact>;

Contacts random_grasp(std::mt19937& rng, int count, double spread)
{
  std::normal_distribution<double> gauss;
  const auto vector = [&] { return Eigen::Vector3d(gauss(rng), gauss(rng), gauss(rng)); };
  Contacts contacts(static_cast<std::size_t>(count));
  const Eigen::Vector3d side = vector().normalized();
  for (GraspContact& contact : contacts) {
    contact.point = (side + spread * vector()).normalized();
    contact.normal = (-contact.point + 0.2 * vector()).normalized();
    contact.point *= 0.05;
    contact.mu = 0.5;
  }
  return contacts;
}

/// Grasps with a verdict; with `even` as many closed as not.
struct Case {
  Contacts contacts;
  bool closed;
};
const std::vector<Case>& cases(int count, bool even)
{
  static std::map<std::pair<int, bool>, std::vector<Case>> drawn;
  std::vector<Case>& list = drawn[{count, even}];
  if (!list.empty()) return list;
  std::mt19937 rng(static_cast<unsigned>(count));
  ClosureChecker checker;
  WrenchConvention convention;
  convention.torque_length = 0.05;
  int closed = 0;
  while (list.size() < kGrasps) {
    const bool scattered = !even || rng() % 2;
    Contacts contacts = random_grasp(rng, count, scattered ? 3.0 : 1.0);
    const Verdict verdict = checker.closed(contacts, convention);
    if (verdict == Verdict::kUndecided) continue;
    const bool holds = verdict == Verdict::kHolds;
    const int not_closed = static_cast<int>(list.size()) - closed;
    if (even && (holds ? closed : not_closed) >= static_cast<int>(kGrasps) / 2) continue;
    closed += holds;
    list.push_back({std::move(contacts), holds});
  }
  return list;
}

/// Wrenches of the edges of all cones, as columns.
Eigen::MatrixXd edge_wrenches(const Contacts& contacts, const WrenchConvention& convention)
{
  Grasp grasp;
  set_grasp(contacts, convention, ConeShape::inner(kEdges), grasp);
  Eigen::MatrixXd wrenches(6, kEdges * static_cast<Eigen::Index>(contacts.size()));
  Eigen::Index used = 0;
  for (const GraspBlock& block : grasp.contacts) {
    wrenches.middleCols(used, kEdges).noalias() = grasp.G.middleCols(block.col, 3) * generators(block.cone);
    used += kEdges;
  }
  return wrenches;
}

using Solver = bool (*)(const Contacts&, const WrenchConvention&, ClosureChecker&);

bool by_proof(const Contacts& contacts, const WrenchConvention& convention, ClosureChecker& checker)
{
  return checker.closed(contacts, convention) == Verdict::kHolds;
}

#ifdef STICTION_HAVE_QHULL
/// Zero is strictly inside the hull of all edge wrenches: every facet has it on its inner side.
bool by_hull(const Contacts& contacts, const WrenchConvention& convention, ClosureChecker&)
{
  Eigen::MatrixXd wrenches = edge_wrenches(contacts, convention);
  qhT state;
  qhT* qh = &state;
  qh_zero(qh, nullptr);
  char command[] = "qhull Qt Pp";
  const int failed =
      qh_new_qhull(qh, 6, static_cast<int>(wrenches.cols()), wrenches.data(), False, command, nullptr, nullptr);
  bool inside = !failed;  // flat point sets fail: no closure either
  if (!failed) {
    facetT* facet;
    FORALLfacets { inside = inside && facet->offset < -1e-9; }
  }
  qh_freeqhull(qh, !qh_ALL);
  int current = 0, total = 0;
  qh_memfreeshort(qh, &current, &total);
  return inside;
}
#endif

#ifdef STICTION_HAVE_GLPK
/// Some internal force has every edge above 1, and the wrenches have rank 6.
bool by_lp(const Contacts& contacts, const WrenchConvention& convention, ClosureChecker&)
{
  const Eigen::MatrixXd wrenches = edge_wrenches(contacts, convention);
  if (Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(wrenches).rank() < 6) return false;
  glp_term_out(GLP_OFF);
  glp_prob* lp = glp_create_prob();
  glp_add_rows(lp, 6);
  const auto n = static_cast<int>(wrenches.cols());
  glp_add_cols(lp, n);
  for (int i = 0; i < 6; ++i) glp_set_row_bnds(lp, i + 1, GLP_FX, 0.0, 0.0);
  const int index[] = {0, 1, 2, 3, 4, 5, 6};
  double value[7] = {};
  for (int j = 0; j < n; ++j) {
    glp_set_col_bnds(lp, j + 1, GLP_LO, 1.0, 0.0);
    for (int i = 0; i < 6; ++i) value[i + 1] = wrenches(i, j);
    glp_set_mat_col(lp, j + 1, 6, index, value);
  }
  glp_smcp settings;
  glp_init_smcp(&settings);
  settings.msg_lev = GLP_MSG_OFF;
  const int failed = glp_simplex(lp, &settings), status = glp_get_status(lp);
  glp_delete_prob(lp);
  return !failed && (status == GLP_OPT || status == GLP_FEAS);
}
#endif

void run(benchmark::State& state, Solver solver, int contacts, bool even)
{
  WrenchConvention convention;
  convention.torque_length = 0.05;
  const std::vector<Case>& list = cases(contacts, even);
  ClosureChecker checker;
  int wrong = 0;
  for (const Case& c : list) wrong += solver(c.contacts, convention, checker) != c.closed;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(solver(list[i].contacts, convention, checker));
    i = (i + 1) % list.size();
  }
  state.counters["contacts"] = contacts;
  state.counters["closed"] =
      static_cast<double>(std::count_if(list.begin(), list.end(), [](const Case& c) { return c.closed; }));
  state.counters["wrong"] = wrong;
  state.SetItemsProcessed(state.iterations());
}

const bool kRegistered = [] {
  std::vector<std::pair<const char*, Solver>> solvers = {{"stiction", by_proof}};
#ifdef STICTION_HAVE_QHULL
  solvers.emplace_back("qhull8", by_hull);
#endif
#ifdef STICTION_HAVE_GLPK
  solvers.emplace_back("glpk8", by_lp);
#endif
  for (const bool even : {false, true})
    for (const int contacts : {3, 4, 5, 6, 8, 10, 12})
      for (const auto& [name, solver] : solvers) {
        const std::string title =
            (even ? "closure_even/" : "closure/") + std::string(name) + "/" + std::to_string(contacts);
        benchmark::RegisterBenchmark(title.c_str(), run, solver, contacts, even)
            ->Unit(benchmark::kMicrosecond)
            ->MinTime(0.05);
      }
  return true;
}();

}  // namespace
}  // namespace stiction
