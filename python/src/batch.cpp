// Columns in, columns out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rows.hpp"
#include "scene_handle.hpp"

namespace stiction::python {
namespace {

template <int Dimensions>
using Column = nb::ndarray<const double, nb::ndim<Dimensions>, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<2>, nb::device::cpu>;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// One column of results; empty unless it is asked for.
struct NumberColumns {
  std::vector<double> lower, upper;

  void ask(std::size_t rows)
  {
    lower.assign(rows, kNothing);
    upper.assign(rows, kNothing);
  }
  /// A proved interval; nan where nothing is proved, or there is no such number.
  void set(std::size_t row, const Margin& margin)
  {
    if (!margin.enclosed() && margin.state != Margin::State::kUnbounded) return;
    lower[row] = margin.lower;
    upper[row] = margin.upper;
  }
  void set(std::size_t row, double from, double to)
  {
    lower[row] = from;
    upper[row] = to;
  }
  /// Names of the safe end and of the other one.
  void move_to(nb::dict& columns, const char* lower_name, const char* upper_name)
  {
    if (lower.empty()) return;
    columns[lower_name] = owned_array(std::move(lower));
    columns[upper_name] = owned_array(std::move(upper));
  }
};

/// An upper bound of Ferrari and Canny's epsilon (sum of normal forces <= 1): the support of the wrenches in some unit
/// directions, from the axes downhill. Rounding is a thousand times smaller than what is added for it.
double epsilon_bound(const Grasp& grasp)
{
  using Wrench = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  const Eigen::Index rows = grasp.G.rows();
  Eigen::VectorXd h, ray;
  Wrench furthest(rows);
  const auto reach = [&](const Wrench& u) {
    double best = -kInfinity;
    for (const GraspBlock& block : grasp.contacts) {
      const auto columns = grasp.G.middleCols(block.col, block.cone.dim());
      h = columns.transpose() * u;
      ray.resize(h.size());
      const double value = support(block.cone, h, ray);
      if (value <= best) continue;
      best = value;
      furthest = columns * ray;
    }
    return best;
  };
  double least = kInfinity;
  for (Eigen::Index axis = 0; axis < 2 * rows; ++axis) {
    Wrench u = Wrench::Zero(rows);
    u[axis / 2] = axis % 2 == 0 ? 1.0 : -1.0;
    double step = 0.5;
    for (int k = 0; k < 20; ++k, step *= 0.8) {
      least = std::min(least, reach(u));
      const Wrench down = furthest - furthest.dot(u) * u;  // along the sphere
      const double length = down.norm();
      if (!(length > 0.0)) break;
      u = (u - step / length * down).normalized();
    }
  }
  return least * (1.0 + 1e-12);
}

struct GraspRows {
  Column<2> points, normals;
  Column<1> mu, torsion;
  Offsets offsets;
  Column<2> center;
  Column<1> torque_length;
  std::optional<Column<2>> wrench;
  GraspPlane plane = GraspPlane::kNone;
  ConeShape shape;

  std::size_t rows() const { return offsets.size() - 1; }
  void read(std::size_t row, std::vector<GraspContact>& fingers, WrenchConvention& convention) const
  {
    const auto first = static_cast<std::size_t>(offsets.data()[row]),
               last = static_cast<std::size_t>(offsets.data()[row + 1]);
    fingers.resize(last - first);
    for (std::size_t i = first; i < last; ++i) {
      GraspContact& finger = fingers[i - first];
      for (std::size_t k = 0; k < 3; ++k) {
        finger.point[static_cast<Eigen::Index>(k)] = points(i, k);
        finger.normal[static_cast<Eigen::Index>(k)] = normals(i, k);
      }
      finger.mu = mu(i);
      finger.torsion = torsion(i);
      finger.kind = finger.torsion != 0.0 ? GraspContactKind::kSoftFinger : GraspContactKind::kHardFinger;
    }
    for (std::size_t k = 0; k < 3; ++k) convention.reference[static_cast<Eigen::Index>(k)] = center(row, k);
    convention.torque_length = torque_length(row);
    convention.plane = plane;
  }
};

struct GraspAsks {
  bool closed = false, forms = false, least_friction = false, epsilon = false, epsilon_linf = false, resists = false;
  double gap = 0.01;
  std::optional<double> cutoff;
};

struct GraspAnswers {
  std::vector<std::int8_t> status, closed, forms, resists;
  NumberColumns least_friction, epsilon, epsilon_linf;
  BadRows bad;

  GraspAnswers(const GraspAsks& asks, std::size_t rows) : status(rows, 0)
  {
    if (asks.closed) closed.assign(rows, -1);
    if (asks.forms) forms.assign(rows, -1);
    if (asks.resists) resists.assign(rows, -1);
    if (asks.least_friction) least_friction.ask(rows);
    if (asks.epsilon) epsilon.ask(rows);
    if (asks.epsilon_linf) epsilon_linf.ask(rows);
  }
};

/// Answers rows of grasps; one per thread.
class GraspWorker {
 public:
  GraspWorker(const GraspRows& rows, const GraspAsks& asks, GraspAnswers& answers)
      : rows_(rows), asks_(asks), answers_(answers)
  {
    options_ = {.form = false, .frictional = false, .force = false, .explain = false, .epsilon_gap = asks.gap};
  }

  void operator()(std::size_t row)
  try {
    WrenchConvention convention;
    rows_.read(row, fingers_, convention);
    set_grasp(fingers_, convention, rows_.shape, grasp_);
    Verdict closed = Verdict::kUndecided;
    if (asks_.closed || asks_.epsilon) closed = checker_.closed(grasp_);
    if (asks_.closed) answers_.closed[row] = code_of(closed);
    ask_numbers(row, closed);
    if (asks_.resists) {
      wrench_.resize(grasp_.G.rows());
      for (Eigen::Index k = 0; k < wrench_.size(); ++k) wrench_[k] = (*rows_.wrench)(row, static_cast<std::size_t>(k));
      checker_.resists(grasp_, wrench_, resisted_);
      answers_.resists[row] = code_of(resisted_.verdict);
    }
  } catch (const InputError& error) {
    answers_.status[row] = 1;
    answers_.bad.add(row, error.what());
  }

 private:
  void ask_numbers(std::size_t row, Verdict closed)
  {
    ClosureOptions options = options_;
    options.form = asks_.forms;
    options.minimal_friction = asks_.least_friction;
    options.epsilon_l1 = asks_.epsilon;
    options.epsilon_linf = asks_.epsilon_linf;
    if (asks_.epsilon && asks_.cutoff && closed == Verdict::kHolds) {
      const double bound = epsilon_bound(grasp_);
      if (bound < *asks_.cutoff) {
        answers_.epsilon.set(row, 0.0, bound);
        options.epsilon_l1 = false;
      }
    }
    if (!(options.form || options.minimal_friction || options.epsilon_l1 || options.epsilon_linf)) return;
    checker_.check(grasp_, options, result_);
    if (asks_.forms) answers_.forms[row] = code_of(result_.form_closure.verdict);
    if (asks_.least_friction) {
      if (result_.friction_factor.state == Margin::State::kNone)
        answers_.least_friction.set(row, kInfinity, kInfinity);
      else
        answers_.least_friction.set(row, result_.friction_factor);
    }
    if (options.epsilon_l1) answers_.epsilon.set(row, result_.epsilon_l1);
    if (options.epsilon_linf) answers_.epsilon_linf.set(row, result_.epsilon_linf);
  }

  const GraspRows& rows_;
  const GraspAsks& asks_;
  GraspAnswers& answers_;
  ClosureOptions options_;
  ClosureChecker checker_;
  std::vector<GraspContact> fingers_;
  Grasp grasp_;
  ClosureResult result_;
  Eigen::VectorXd wrench_;
  ResistResult resisted_;
};

/// The columns are those of stiction/_batch.py, which has made their sizes agree.
nb::tuple grasp_batch(Column<2> points, Column<2> normals, Column<1> mu, Column<1> torsion, Offsets offsets,
                      Column<2> center, Column<1> torque_length, std::optional<Column<2>> wrench,
                      const std::string& plane, nb::handle cone, const std::vector<std::string>& ask, double gap,
                      std::optional<double> cutoff, int threads)
{
  constexpr std::array kPlanes{"", "xy", "yz", "zx"};
  constexpr std::array kAsks{"closed", "forms", "least_friction", "epsilon", "epsilon_linf"};
  const GraspRows rows{points,        normals, mu,
                       torsion,       offsets, center,
                       torque_length, wrench,  static_cast<GraspPlane>(position_of(plane, kPlanes, "plane")),
                       shape_of(cone)};
  GraspAsks asks;
  bool* const wanted[] = {&asks.closed, &asks.forms, &asks.least_friction, &asks.epsilon, &asks.epsilon_linf};
  for (const std::string& word : ask) *wanted[position_of(word, kAsks, "ask")] = true;
  asks.resists = wrench.has_value();
  asks.gap = gap;
  asks.cutoff = cutoff;
  if (!(gap > 0.0 && gap < 1.0)) throw InputError("gap", "want a number between 0 and 1");
  GraspAnswers answers(asks, rows.rows());
  for_rows(rows.rows(), threads, [&] { return GraspWorker(rows, asks, answers); });

  nb::dict columns;
  const auto put = [&](const char* name, std::vector<std::int8_t>& codes) {
    if (!codes.empty() || rows.rows() == 0) columns[name] = owned_array(std::move(codes));
  };
  put("status", answers.status);
  if (asks.closed) put("closed", answers.closed);
  if (asks.forms) put("forms", answers.forms);
  if (asks.resists) put("resists", answers.resists);
  answers.least_friction.move_to(columns, "least_friction_lower", "least_friction");
  answers.epsilon.move_to(columns, "epsilon", "epsilon_upper");
  answers.epsilon_linf.move_to(columns, "epsilon_linf", "epsilon_linf_upper");
  return nb::make_tuple(columns, answers.bad.to_python());
}

// ----------------------------------------------------------------------------------------------------------------
// robots

struct RobotRows {
  Column<2> q;
  std::optional<Column<2>> v, a, tau, mu;
  std::optional<Mask> active;
};

struct RobotAsks {
  bool equilibrium = true;
  bool friction_scale = false, effort = false, slack = false, culprit = false;
  ConeShape shape;
};

struct RobotAnswers {
  std::vector<std::int8_t> status, verdict, cause;
  std::vector<std::int32_t> culprit;
  std::vector<double> slack, utilisation;
  NumberColumns friction_scale, effort;
  BadRows bad;

  RobotAnswers(const RobotAsks& asks, std::size_t rows) : status(rows, 0), verdict(rows, -1)
  {
    if (asks.culprit) {
      culprit.assign(rows, -1);
      cause.assign(rows, -1);
      utilisation.assign(rows, kNothing);
    }
    if (asks.slack) slack.assign(rows, kNothing);
    if (asks.friction_scale) friction_scale.ask(rows);
    if (asks.effort) effort.ask(rows);
  }
};

/// Keeps the contacts whose entry is true; `kept` are their indices.
void keep_contacts(const std::vector<bool>& active, ContactProblem& problem, std::vector<int>& kept)
{
  std::vector<int> rows;
  std::vector<Contact> contacts;
  kept.clear();
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (!active[i]) continue;
    Contact contact = problem.contacts[i];
    kept.push_back(static_cast<int>(i));
    const int first = contact.row;
    contact.row = static_cast<int>(rows.size());
    for (int k = 0; k < contact.rows(); ++k) rows.push_back(first + k);
    contacts.push_back(std::move(contact));
  }
  for (LoopConstraint& loop : problem.loops) {
    const int first = loop.row;
    loop.row = static_cast<int>(rows.size());
    for (int k = 0; k < loop.rows; ++k) rows.push_back(first + k);
  }
  problem.contacts = std::move(contacts);
  problem.J = problem.J(rows, Eigen::all).eval();
  problem.gamma = problem.gamma(rows).eval();
}

/// Answers rows of robot states; one per thread.
class RobotWorker {
 public:
  RobotWorker(const Scene& scene, const RobotRows& rows, const RobotAsks& asks, RobotAnswers& answers)
      : scene_(scene), rows_(rows), asks_(asks), answers_(answers), state_(scene_.described_state())
  {
    equilibrium_.shape = sticking_.rules.shape = asks.shape;
    equilibrium_.largest_slack = sticking_.largest_slack = asks.slack || asks.culprit;
    equilibrium_.structure = false;
    equilibrium_.explain = sticking_.explain = asks.culprit;
    equilibrium_.friction_scale = sticking_.margins = asks.friction_scale;
    equilibrium_.effort = asks.effort;
    equilibrium_.idle_motors = sticking_.idle_motors = scene_.given_motors();
  }

  void operator()(std::size_t row)
  try {
    read(rows_.q, row, state_.q);
    if (rows_.v) read(*rows_.v, row, state_.v);
    if (rows_.a) read(*rows_.a, row, state_.a);
    if (rows_.tau) read(*rows_.tau, row, state_.effort);
    scene_.compute(state_, problem_);
    change_contacts(row);
    require_rest(problem_, state_.v);
    if (asks_.equilibrium) {
      checker_.check(problem_, state_.a, equilibrium_, balanced_);
      write(row, balanced_);
      if (asks_.effort) answers_.effort.set(row, balanced_.effort);
      if (asks_.friction_scale) answers_.friction_scale.set(row, balanced_.friction_scale);
    } else {
      if (!problem_.actuators.empty())
        throw InputError("effort", "want given efforts (effort: none, or numbers) for all_sticking, got limits");
      sticks_.check(problem_, sticking_, stuck_);
      write(row, stuck_);
      if (asks_.friction_scale) answers_.friction_scale.set(row, stuck_.friction_scale);
    }
  } catch (const InputError& error) {
    answers_.status[row] = 1;
    answers_.bad.add(row, error.what());
  }

 private:
  static void read(const Column<2>& column, std::size_t row, Eigen::VectorXd& values)
  {
    values.resize(static_cast<Eigen::Index>(column.shape(1)));
    for (std::size_t k = 0; k < column.shape(1); ++k) values[static_cast<Eigen::Index>(k)] = column(row, k);
  }

  void change_contacts(std::size_t row)
  {
    if (rows_.mu)
      for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
        Contact& contact = problem_.contacts[i];
        contact.mu = (*rows_.mu)(row, i);
        validate(FrictionCone{.tangents = contact.tangents, .mu = contact.mu, .shape = {}},
                 "mu[" + std::to_string(i) + "]");
      }
    kept_.resize(problem_.contacts.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i] = static_cast<int>(i);
    if (!rows_.active) return;
    active_.resize(problem_.contacts.size());
    for (std::size_t i = 0; i < active_.size(); ++i) active_[i] = (*rows_.active)(row, i);
    keep_contacts(active_, problem_, kept_);
  }

  /// Holds: the contact with the largest share of its friction in use. Fails: the one that moves most in the motion
  /// that is told.
  template <class Result>
  void write(std::size_t row, const Result& result)
  {
    answers_.verdict[row] = code_of(result.verdict);
    if (asks_.slack && result.verdict == Verdict::kHolds) answers_.slack[row] = result.slack;
    if (!asks_.culprit) return;
    double most = -1.0;
    const auto accuse = [&](std::size_t i, double how_much) {
      if (how_much <= most) return;
      most = how_much;
      answers_.culprit[row] = kept_[i];
    };
    if (result.verdict == Verdict::kHolds) {
      for (std::size_t i = 0; i < result.contacts.size(); ++i) accuse(i, result.contacts[i].utilisation);
      if (most >= 0.0) answers_.utilisation[row] = most;
    } else if (result.verdict == Verdict::kFails) {
      answers_.cause[row] = static_cast<std::int8_t>(result.failure.cause);
      const Eigen::VectorXd& motion = result.failure.motion;
      if (motion.size() != problem_.nv()) return;
      for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
        const Contact& contact = problem_.contacts[i];
        const double speed = (problem_.J.middleRows(contact.row, 1 + contact.tangents) * motion).norm();
        if (speed > 0.0) accuse(i, speed);
      }
    }
  }

  Scene scene_;
  const RobotRows& rows_;
  const RobotAsks& asks_;
  RobotAnswers& answers_;
  SceneState state_;
  ContactProblem problem_;
  std::vector<bool> active_;
  std::vector<int> kept_;  ///< contacts of problem_, as the scene counts them
  EquilibriumOptions equilibrium_;
  StickingOptions sticking_;
  EquilibriumChecker checker_;
  StickingChecker sticks_;
  EquilibriumResult balanced_;
  StickingResult stuck_;
};

nb::tuple robot_batch(SceneHandle& handle, Column<2> q, std::optional<Column<2>> v, std::optional<Column<2>> a,
                      std::optional<Column<2>> tau, std::optional<Column<2>> mu, std::optional<Mask> active,
                      const std::string& question, nb::handle cone, const std::vector<std::string>& ask, int threads)
{
  constexpr std::array kQuestions{"equilibrium", "all_sticking"};
  constexpr std::array kAsks{"friction_scale", "effort", "slack", "culprit"};
  const RobotRows rows{q, v, a, tau, mu, active};
  RobotAsks asks;
  asks.equilibrium = position_of(question, kQuestions, "question") == 0;
  asks.shape = shape_of(cone);
  bool* const wanted[] = {&asks.friction_scale, &asks.effort, &asks.slack, &asks.culprit};
  for (const std::string& word : ask) *wanted[position_of(word, kAsks, "ask")] = true;
  if (asks.effort && !asks.equilibrium)
    throw InputError("ask", "want effort of equilibrium only: all_sticking has given efforts");
  RobotAnswers answers(asks, q.shape(0));
  const Scene scene = handle.scene.run([](Scene& s) { return Scene(s); });
  std::mutex copying;
  for_rows(q.shape(0), threads, [&] {
    const std::lock_guard lock(copying);
    return RobotWorker(scene, rows, asks, answers);
  });

  nb::dict columns;
  columns["status"] = owned_array(std::move(answers.status));
  columns["verdict"] = owned_array(std::move(answers.verdict));
  answers.friction_scale.move_to(columns, "friction_scale_lower", "friction_scale");
  answers.effort.move_to(columns, "effort_lower", "effort");
  if (asks.slack) columns["slack"] = owned_array(std::move(answers.slack));
  if (asks.culprit) {
    columns["culprit"] = owned_array(std::move(answers.culprit));
    columns["cause"] = owned_array(std::move(answers.cause));
    columns["utilisation"] = owned_array(std::move(answers.utilisation));
  }
  return nb::make_tuple(columns, answers.bad.to_python());
}

// -------------------------------------------------------------------------------------------------------------
// scenarios

/// Rows that replace entries of a scenario: the words of their answers.
nb::tuple scenario_batch(const std::string& text, const std::string& folder, const std::string& source,
                         const std::vector<std::string>& paths, const std::vector<std::vector<std::string>>& values,
                         const std::vector<std::string>& package_paths, int threads)
{
  const std::size_t rows = values.empty() ? 0 : values.front().size();
  std::vector<ScenarioNumbers> answers(rows);
  BadRows bad;
  for_rows(rows, threads, [&] {
    return [&, checker = ScenarioChecker()](std::size_t row) mutable {
      try {
        std::vector<ScenarioOverride> changes;
        for (std::size_t k = 0; k < paths.size(); ++k)
          if (!values[k][row].empty()) changes.push_back({paths[k], values[k][row]});
        Scenario scenario = read_scenario_text(text, folder, source, changes);
        scenario.scene.package_paths = package_paths;
        answers[row] = checker.check_numbers(scenario);
      } catch (const InputError& error) {
        bad.add(row, error.what());
      }
    };
  });
  std::vector<std::int8_t> verdicts;
  nb::list summaries, cells;
  for (const ScenarioNumbers& answer : answers) {
    verdicts.push_back(code_of(answer.verdict));
    summaries.append(answer.summary);
    nb::dict row;
    for (const ScenarioNumbers::Cell& cell : answer.cells)
      row[cell.name.c_str()] = cell.number         ? nb::cast(*cell.number)
                               : cell.word.empty() ? nb::object(nb::none())
                                                   : nb::cast(cell.word);
    cells.append(row);
  }
  return nb::make_tuple(owned_array(std::move(verdicts)), summaries, cells, bad.to_python());
}

}  // namespace

void bind_batch(nb::module_& module)
{
  module.def("_grasp_batch", grasp_batch, nb::arg("points"), nb::arg("normals"), nb::arg("mu"), nb::arg("torsion"),
             nb::arg("offsets"), nb::arg("center"), nb::arg("torque_length"), nb::arg("wrench").none(),
             nb::arg("plane"), nb::arg("cone").none(), nb::arg("ask"), nb::arg("gap"), nb::arg("cutoff").none(),
             nb::arg("threads"));
  module.def("_robot_batch", robot_batch, nb::arg("scene"), nb::arg("q"), nb::arg("v").none(), nb::arg("a").none(),
             nb::arg("tau").none(), nb::arg("mu").none(), nb::arg("active").none(), nb::arg("question"),
             nb::arg("cone").none(), nb::arg("ask"), nb::arg("threads"));
  module.def("_scenario_batch", scenario_batch);
}

}  // namespace stiction::python
