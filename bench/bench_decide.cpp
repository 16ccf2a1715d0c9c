// The same cone programs by every solver at hand: is the weight of a body held by contacts on rough ground?
//
//   decide/<solver>/<shape>/<contacts>     every program has its own contacts: nothing can be reused
//   sequence/<solver>/<shape>/<contacts>   the same contacts under a load that wanders: the last answer is a start
//
// Half of the programs hold, half fail. `wrong` counts answers that differ from the engines' proved one; GLPK, Clp and
// the bare QP only claim, the engines' answers are proofs. Ratios: bench/decide_table.py.
#include <benchmark/benchmark.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <qpOASES.hpp>
#include <random>
#include <string>
#include <vector>

#include "solve/quiet_qpoases.hpp"
#include "stiction/engine.hpp"
#include "stiction/proof.hpp"

#ifdef STICTION_HAVE_GLPK
#include <glpk.h>
#endif
#ifdef STICTION_HAVE_CLP
#include <coin/Clp_C_Interface.h>
#endif

namespace stiction {
namespace {

/// More than a branch predictor learns by heart, and fewer where one answer takes long.
int program_count(int contacts) { return contacts < 250 ? 64 : 8; }

constexpr double kGap = 1e-6;  // bare QP: residual relative to |e| that still counts as zero

using Programs = std::vector<ConeProgram>;

/// Contacts on rough ground: within a metre, a decimetre up and down, normals up to 0.3 rad off the vertical.
struct Stance {
  Eigen::MatrixXd E;
  std::vector<double> mu;
  std::vector<Eigen::Vector2d> feet;
};

Stance random_stance(int contacts, std::mt19937& rng)
{
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  Stance stance;
  stance.E.resize(6, 3 * contacts);
  for (int i = 0; i < contacts; ++i) {
    const Eigen::Vector3d point(unit(rng), unit(rng), 0.1 * unit(rng));
    const Eigen::Vector3d normal = Eigen::Vector3d(0.2 * unit(rng), 0.2 * unit(rng), 1.0).normalized();
    const Eigen::Vector3d t1 = normal.cross(Eigen::Vector3d::UnitY()).normalized(), t2 = normal.cross(t1);
    int column = 3 * i;
    for (const Eigen::Vector3d& axis : {normal, t1, t2}) {
      stance.E.col(column).head<3>() = axis;
      stance.E.col(column++).tail<3>() = point.cross(axis);
    }
    stance.mu.push_back(0.6 + 0.2 * unit(rng));
    stance.feet.emplace_back(point.head<2>());
  }
  return stance;
}

/// Weight of 50 kg above a point among the feet (holds) or well outside all of them (fails).
Eigen::VectorXd weight(const Stance& stance, bool holds, std::mt19937& rng)
{
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();
  if (holds) {
    double sum = 0.0;
    for (const auto& foot : stance.feet) {
      const double share = 0.2 + unit(rng);
      centre += share * foot;
      sum += share;
    }
    centre /= sum;
  } else {
    const double angle = 2 * M_PI * unit(rng);
    const Eigen::Vector2d way(std::cos(angle), std::sin(angle));
    double farthest = -1e9;
    for (const auto& foot : stance.feet) farthest = std::max(farthest, foot.dot(way));
    centre = (farthest + 0.1 + 0.3 * unit(rng)) * way;
  }
  const double force = 50.0 * 9.81;
  Eigen::VectorXd e(6);
  e << 0.0, 0.0, force, force * centre.y(), -force * centre.x(), 0.0;
  return e;
}

ConeProgram make_program(const Stance& stance, const Eigen::VectorXd& e, const ConeShape& shape)
{
  ConeProgram program;
  program.E = stance.E;
  program.e = e;
  program.e_scale = Eigen::VectorXd::Constant(6, e.norm());
  for (std::size_t i = 0; i < stance.mu.size(); ++i) {
    FrictionCone cone;
    cone.mu = stance.mu[i];
    cone.shape = shape;
    program.cones.push_back({3 * static_cast<int>(i), cone});
  }
  return program;
}

const Programs& programs(int contacts, const ConeShape& shape, bool same_contacts)
{
  static std::map<std::tuple<int, int, bool>, Programs> drawn;
  Programs& list = drawn[{contacts, shape.facets, same_contacts}];
  if (!list.empty()) return list;
  std::mt19937 rng(static_cast<unsigned>(contacts));
  Stance stance = random_stance(contacts, rng);
  for (int i = 0; i < program_count(contacts); ++i) {
    if (!same_contacts) stance = random_stance(contacts, rng);
    list.push_back(make_program(stance, weight(stance, i % 2 == 0, rng), shape));
  }
  return list;
}

const std::vector<char>& proved_verdicts(int contacts, const ConeShape& shape, bool same_contacts)
{
  static std::map<std::tuple<int, int, bool>, std::vector<char>> known;
  std::vector<char>& verdicts = known[{contacts, shape.facets, same_contacts}];
  if (!verdicts.empty()) return verdicts;
  const auto engine = make_native_engine();
  ConeAnswer answer;
  for (const ConeProgram& program : programs(contacts, shape, same_contacts)) {
    engine->decide(program, answer);
    verdicts.push_back(answer.outcome == Outcome::kFeasible && proves_feasible(program, answer.x)       ? 1
                       : answer.outcome == Outcome::kInfeasible && proves_infeasible(program, answer.y) ? 0
                                                                                                        : 2);
  }
  return verdicts;
}

/// A solver answers 1 (holds), 0 (fails) or 2 (gave up).
using Solver = int (*)(const ConeProgram&, Engine*);

int by_engine(const ConeProgram& program, Engine* engine)
{
  thread_local ConeAnswer answer;
  engine->decide(program, answer);
  return answer.outcome == Outcome::kFeasible ? 1 : answer.outcome == Outcome::kInfeasible ? 0 : 2;
}

/// The same for programs that differ in e only.
int by_engine_next(const ConeProgram& program, Engine* engine)
{
  thread_local ConeAnswer answer;
  engine->decide_next(program, answer);
  return answer.outcome == Outcome::kFeasible ? 1 : answer.outcome == Outcome::kInfeasible ? 0 : 2;
}

/// E G of all contacts: the columns an LP or QP solver is given.
Eigen::MatrixXd generator_columns(const ConeProgram& program)
{
  Eigen::MatrixXd columns;
  Eigen::Index used = 0;
  for (const ConeBlock& block : program.cones) {
    const Eigen::MatrixXd rays = generators(block.cone);
    if (used == 0) columns.resize(program.E.rows(), rays.cols() * static_cast<Eigen::Index>(program.cones.size()));
    columns.middleCols(used, rays.cols()).noalias() = program.E.middleCols(block.col, block.cone.dim()) * rays;
    used += rays.cols();
  }
  return columns;
}

/// QP (57) in generator form as a user would write it: min ½|E G c − e|², c >= 0, bounds only, settings for speed.
int by_bare_qpoases(const ConeProgram& program, Engine*)
{
  const Eigen::MatrixXd A = generator_columns(program);
  const auto n = static_cast<int>(A.cols());
  Eigen::MatrixXd H = A.transpose() * A;
  H.diagonal().array() += 1e-9 * H.diagonal().mean();  // it does not take singular Hessians at this speed
  const Eigen::VectorXd g = -A.transpose() * program.e, lower = Eigen::VectorXd::Zero(n),
                        upper = Eigen::VectorXd::Constant(n, qpOASES::INFTY);
  qpOASES::Options options;
  options.setToMPC();
  options.printLevel = qpOASES::PL_NONE;
  qpOASES::QProblemB qp(n, qpOASES::HST_POSDEF);
  qp.setOptions(options);
  qpOASES::int_t recalculations = 10 * n;
  Eigen::VectorXd c(n);
  if (qp.init(H.data(), g.data(), lower.data(), upper.data(), recalculations) != qpOASES::SUCCESSFUL_RETURN) return 2;
  qp.getPrimalSolution(c.data());
  return (A * c - program.e).norm() <= kGap * program.e.norm();
}

#ifdef STICTION_HAVE_GLPK
int by_glpk(const ConeProgram& program, Engine*)
{
  const Eigen::MatrixXd A = generator_columns(program);
  const auto m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
  glp_term_out(GLP_OFF);
  glp_prob* lp = glp_create_prob();
  glp_add_rows(lp, m);
  glp_add_cols(lp, n);
  for (int i = 0; i < m; ++i) glp_set_row_bnds(lp, i + 1, GLP_FX, program.e[i], program.e[i]);
  int index[16];
  double value[16];
  for (int j = 0; j < n; ++j) {
    glp_set_col_bnds(lp, j + 1, GLP_LO, 0.0, 0.0);
    for (int i = 0; i < m; ++i) {
      index[i + 1] = i + 1;
      value[i + 1] = A(i, j);
    }
    glp_set_mat_col(lp, j + 1, m, index, value);
  }
  glp_smcp settings;
  glp_init_smcp(&settings);
  settings.msg_lev = GLP_MSG_OFF;
  const int failed = glp_simplex(lp, &settings), status = glp_get_status(lp);
  glp_delete_prob(lp);
  if (failed) return 2;
  if (status == GLP_OPT || status == GLP_FEAS) return 1;
  return status == GLP_NOFEAS || status == GLP_INFEAS ? 0 : 2;
}
#endif

#ifdef STICTION_HAVE_CLP
int by_clp(const ConeProgram& program, Engine*)
{
  const Eigen::MatrixXd A = generator_columns(program);
  const auto m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
  std::vector<CoinBigIndex> start(static_cast<std::size_t>(n) + 1);
  std::vector<int> index(static_cast<std::size_t>(n * m));
  for (int j = 0; j <= n; ++j) start[static_cast<std::size_t>(j)] = j * m;
  for (int k = 0; k < n * m; ++k) index[static_cast<std::size_t>(k)] = k % m;
  const std::vector<double> zero(static_cast<std::size_t>(n), 0.0);
  Clp_Simplex* lp = Clp_newModel();
  Clp_setLogLevel(lp, 0);
  Clp_loadProblem(lp, n, m, start.data(), index.data(), A.data(), zero.data(), nullptr, zero.data(), program.e.data(),
                  program.e.data());
  Clp_primal(lp, 0);
  const int status = Clp_status(lp);
  Clp_deleteModel(lp);
  return status == 0 ? 1 : status == 1 ? 0 : 2;
}
#endif

void run(benchmark::State& state, Solver solver, const char* engine_name, int contacts, ConeShape shape,
         bool same_contacts)
{
  const Programs& list = programs(contacts, shape, same_contacts);
  const std::vector<char>& truth = proved_verdicts(contacts, shape, same_contacts);
  const std::unique_ptr<Engine> engine = *engine_name ? make_engine(engine_name) : nullptr;
  int wrong = 0;
  for (std::size_t i = 0; i < list.size(); ++i) wrong += solver(list[i], engine.get()) != truth[i];
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(solver(list[i], engine.get()));
    i = (i + 1) % list.size();
  }
  state.counters["contacts"] = contacts;
  state.counters["holds"] = static_cast<double>(std::count(truth.begin(), truth.end(), 1));
  state.counters["unproved"] = static_cast<double>(std::count(truth.begin(), truth.end(), 2));
  state.counters["wrong"] = wrong;
}

const bool kRegistered = [] {
  struct Entry {
    const char* name;
    Solver solver;
    const char* engine;
    int largest;  // contacts times facets beyond which one answer takes seconds
  };
  std::vector<Entry> entries = {{"native", by_engine, "native", 1 << 30},
                                {"qpoases", by_engine, "qpoases", 1 << 30},
                                {"qpoases_bare", by_bare_qpoases, "", 1024}};
#ifdef STICTION_HAVE_GLPK
  entries.push_back({"glpk", by_glpk, "", 1 << 30});
#endif
#ifdef STICTION_HAVE_CLP
  entries.push_back({"clp", by_clp, "", 1 << 30});
#endif
  const auto add = [](const char* kind, const Entry& entry, const ConeShape& shape, int contacts, bool same_contacts) {
    const std::string name = std::string(kind) + "/" + entry.name + "/" +
                             (shape.facets ? "inner" + std::to_string(shape.facets) : "exact") + "/" +
                             std::to_string(contacts);
    benchmark::RegisterBenchmark(name.c_str(), run, entry.solver, entry.engine, contacts, shape, same_contacts)
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.05);
  };
  for (const int contacts : {2, 4, 8, 16, 64, 250, 1000}) {
    for (const Entry& entry : entries) {
      if (*entry.engine) add("decide", entry, ConeShape::exact(), contacts, false);
      for (const int facets : {4, 8, 16})
        if (contacts * facets <= entry.largest) add("decide", entry, ConeShape::inner(facets), contacts, false);
    }
  }
  for (const int contacts : {4, 8, 64}) {
    for (Entry entry : entries) {
      if (!*entry.engine) continue;
      entry.solver = by_engine_next;
      add("sequence", entry, ConeShape::exact(), contacts, true);
      add("sequence", entry, ConeShape::inner(8), contacts, true);
    }
  }
  return true;
}();

}  // namespace
}  // namespace stiction
