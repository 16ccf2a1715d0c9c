// One class per question, as in C++. Each computes without the interpreter's lock, and one thread at a time.
#include "types.hpp"

namespace stiction::python {
namespace {

constexpr std::array kDetachments{"allowed", "forbidden"};
constexpr std::array kTangential{"held", "left_out"};

template <class Checker>
using Shared = Locked<Checker>;

template <class Checker>
void bind_constructor(nb::class_<Shared<Checker>>& bound)
{
  bound.def(
      "__init__",
      [](Shared<Checker>* self, const std::string& solver) { new (self) Shared<Checker>(make_engine(solver)); },
      nb::arg("solver") = "native", "solver: \"auto\", \"native\", \"sparse\" or \"qpoases\".");
}

void bind_sticking(nb::module_& module)
{
  nb::class_<Shared<StickingChecker>> bound(module, "StickingChecker",
                                            "Decides \"every contact keeps sticking\" for given forces.");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<StickingChecker>& checker, const ContactProblem& problem, nb::handle cone,
         const std::string& detachment, bool largest_slack, bool intervals, bool margins, bool repairs, bool explain,
         int branch_limit) {
        StickingOptions options;
        options.rules = {shape_of(cone), static_cast<Detachment>(position_of(detachment, kDetachments, "detachment"))};
        options.largest_slack = largest_slack;
        options.intervals = intervals;
        options.margins = margins;
        options.repairs = repairs;
        options.explain = explain;
        options.branch_limit = branch_limit;
        return checker.run([&](StickingChecker& c) { return c.check(problem, options); });
      },
      nb::arg("problem"), nb::kw_only(), nb::arg("cone") = nb::none(), nb::arg("detachment") = "allowed",
      nb::arg("largest_slack") = true, nb::arg("intervals") = false, nb::arg("margins") = false,
      nb::arg("repairs") = false, nb::arg("explain") = true, nb::arg("branch_limit") = 4096,
      "What is asked beyond the verdict costs extra decisions. detachment: \"allowed\" or \"forbidden\".");
}

void bind_equilibrium(nb::module_& module)
{
  nb::class_<Shared<EquilibriumChecker>> bound(
      module, "EquilibriumChecker",
      "Are there forces in their cones and efforts within their limits with M a + F = J' lambda + S' tau?");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<EquilibriumChecker>& checker, const ContactProblem& problem, nb::handle a, nb::handle cone,
         bool largest_slack, bool explain, double tolerance, bool friction_scale, bool effort, bool generators,
         nb::handle push, nb::handle ball, double relative_gap, double ball_gap) {
        EquilibriumOptions options;
        options.shape = shape_of(cone);
        options.largest_slack = largest_slack;
        options.explain = explain;
        options.tolerance = tolerance;
        options.friction_scale = friction_scale;
        options.effort = effort;
        options.generators = generators;
        options.push = vector_of(push, "push");
        options.ball = matrix_of(ball, "ball");
        options.relative_gap = relative_gap;
        options.ball_gap = ball_gap;
        const Eigen::VectorXd prescribed = vector_of(a, "a");
        return checker.run([&](EquilibriumChecker& c) { return c.check(problem, prescribed, options); });
      },
      nb::arg("problem"), nb::arg("a") = nb::none(), nb::kw_only(), nb::arg("cone") = nb::none(),
      nb::arg("largest_slack") = true, nb::arg("explain") = true, nb::arg("tolerance") = 0.0,
      nb::arg("friction_scale") = false, nb::arg("effort") = false, nb::arg("generators") = false,
      nb::arg("push") = nb::none(), nb::arg("ball") = nb::none(), nb::arg("relative_gap") = 1e-7,
      nb::arg("ball_gap") = 1e-2,
      "a: (nv,) prescribed acceleration, None is zero. push: (nv,) generalised force of a unit push.\n"
      "ball: (nv, 1 to 3), of orthogonal unit pushes. friction_scale, effort, generators: margins that are asked for.");

  nb::class_<Shared<EquilibriumMonitor>>(module, "EquilibriumMonitor",
                                         "Equilibrium for a control loop: the same contacts, new numbers every step.")
      .def(
          "__init__",
          [](Shared<EquilibriumMonitor>* self, nb::handle cone, const std::string& solver) {
            new (self) Shared<EquilibriumMonitor>(shape_of(cone), make_engine(solver));
          },
          nb::arg("cone") = nb::none(), nb::arg("solver") = "native")
      .def(
          "step",
          [](Shared<EquilibriumMonitor>& monitor, const ContactProblem& problem, nb::handle a) {
            const Eigen::VectorXd prescribed = vector_of(a, "a");
            return monitor.run([&](EquilibriumMonitor& m) { return m.step(problem, prescribed); });
          },
          nb::arg("problem"), nb::arg("a") = nb::none(), "The verdict of one step.")
      .def("reset", [](Shared<EquilibriumMonitor>& monitor) { monitor.run([](EquilibriumMonitor& m) { m.reset(); }); })
      .def_prop_ro("certificate",
                   [](Shared<EquilibriumMonitor>& monitor) {
                     return monitor.run([](EquilibriumMonitor& m) { return Certificate(m.certificate()); });
                   })
      .def_prop_ro(
          "forces",
          [](Shared<EquilibriumMonitor>& monitor) {
            const Eigen::VectorXd f = monitor.run([](EquilibriumMonitor& m) { return Eigen::VectorXd(m.lambda()); });
            return nb::cast(view(f), nb::rv_policy::copy);
          },
          "(rows,) N.")
      .def_prop_ro(
          "efforts",
          [](Shared<EquilibriumMonitor>& monitor) {
            const Eigen::VectorXd f = monitor.run([](EquilibriumMonitor& m) { return Eigen::VectorXd(m.efforts()); });
            return nb::cast(view(f), nb::rv_policy::copy);
          },
          "One per actuator, N m or N.")
      .def_prop_ro("reason",
                   [](Shared<EquilibriumMonitor>& monitor) {
                     return monitor.run([](EquilibriumMonitor& m) { return std::string(m.reason()); });
                   })
      .def_prop_ro(
          "reused",
          [](Shared<EquilibriumMonitor>& monitor) {
            return monitor.run([](EquilibriumMonitor& m) { return m.reused(); });
          },
          "The last verdict came from the proof of the step before.");
}

void bind_region(nb::module_& module)
{
  nb::class_<RegionInput> input(module, "RegionInput", "What a support region is asked about.");
  input.def(nb::new_([](const ContactProblem& problem, nb::handle shift, nb::handle position, nb::handle a) {
              RegionInput made;
              made.problem = problem;
              made.a = vector_of(a, "a");
              const Eigen::MatrixXd moved = matrix_of(shift, "shift");
              if (moved.cols() != 2) throw InputError("shift", "want 2 columns, got " + std::to_string(moved.cols()));
              made.shift = moved;
              const Eigen::VectorXd at = vector_of(position, "position");
              if (at.size() != 2) throw InputError("position", "want 2 numbers, got " + std::to_string(at.size()));
              made.position = at;
              return made;
            }),
            nb::arg("problem"), nb::arg("shift"), nb::arg("position"), nb::arg("a") = nb::none(),
            "shift: (nv, 2), change of F per metre along x and y. position: (2,) m, of the centre of mass now.");
  input.def_ro("problem", &RegionInput::problem);
  def_array(input, "shift", &RegionInput::shift, "(nv, 2).");
  def_array(input, "position", &RegionInput::position, "(2,) m.");

  nb::class_<Shared<RegionChecker>> bound(module, "RegionChecker",
                                          "Horizontal positions of the centre of mass at which equilibrium holds.");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<RegionChecker>& checker, const RegionInput& asked, nb::handle cone, double relative_gap,
         int max_directions, int branch_limit, std::optional<double> clip) {
        RegionOptions options;
        options.shape = shape_of(cone);
        options.relative_gap = relative_gap;
        options.max_directions = max_directions;
        options.branch_limit = branch_limit;
        options.clip = clip;
        return checker.run([&](RegionChecker& c) { return c.check(asked, options); });
      },
      nb::arg("input"), nb::kw_only(), nb::arg("cone") = nb::none(), nb::arg("relative_gap") = 1e-3,
      nb::arg("max_directions") = 400, nb::arg("branch_limit") = 64, nb::arg("clip") = nb::none());
}

void bind_closure(nb::module_& module)
{
  nb::class_<Shared<ClosureChecker>> bound(module, "ClosureChecker", "Decides closure of grasps.");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<ClosureChecker>& checker, const Grasp& grasp, bool form, bool frictional, bool force, bool d,
         bool epsilon_l1, bool epsilon_linf, bool minimal_friction, bool null_spaces, bool explain, double epsilon_gap,
         int epsilon_cells) {
        const ClosureOptions options{.form = form,
                                     .frictional = frictional,
                                     .force = force && grasp.has_hand(),
                                     .d = d,
                                     .epsilon_l1 = epsilon_l1,
                                     .epsilon_linf = epsilon_linf,
                                     .minimal_friction = minimal_friction,
                                     .null_spaces = null_spaces,
                                     .explain = explain,
                                     .epsilon_gap = epsilon_gap,
                                     .epsilon_cells = epsilon_cells};
        return checker.run([&](ClosureChecker& c) { return c.check(grasp, options); });
      },
      nb::arg("grasp"), nb::kw_only(), nb::arg("form") = true, nb::arg("frictional") = true, nb::arg("force") = true,
      nb::arg("d") = false, nb::arg("epsilon_l1") = false, nb::arg("epsilon_linf") = false,
      nb::arg("minimal_friction") = false, nb::arg("null_spaces") = false, nb::arg("explain") = true,
      nb::arg("epsilon_gap") = 0.01, nb::arg("epsilon_cells") = 200000,
      "What is asked; each costs decisions of its own. force needs a hand. epsilon_gap: wanted (upper - lower) / "
      "upper.");
  bound.def(
      "closed",
      [](Shared<ClosureChecker>& checker, const Grasp& grasp) {
        return checker.run([&](ClosureChecker& c) { return c.closed(grasp); });
      },
      nb::arg("grasp"), "Only whether the grasp has frictional form closure, proved.");
  bound.def(
      "resists",
      [](Shared<ClosureChecker>& checker, const Grasp& grasp, nb::handle wrench) {
        const Eigen::VectorXd w = vector_of(wrench, "wrench");
        return checker.run([&](ClosureChecker& c) { return c.resists(grasp, w); });
      },
      nb::arg("grasp"), nb::arg("wrench"),
      "wrench: rows of G, N and N m about the grasp's center: what acts on the object.");
}

void bind_sliding(nb::module_& module)
{
  nb::class_<Shared<SlidingChecker>> bound(module, "SlidingChecker",
                                           "Finds the motions of a state in which contacts slide.");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<SlidingChecker>& checker, const ContactProblem& problem, const std::vector<nb::object>& slides,
         int node_limit, bool well_posedness) {
        SlipDirections directions;
        for (const nb::object& slide : slides) {
          directions.emplace_back();
          if (slide.is_none()) continue;
          const Eigen::VectorXd d = vector_of(slide, "slides");
          if (d.size() != 2) throw InputError("slides", "want None or 2 numbers, got " + std::to_string(d.size()));
          directions.back() = d;
        }
        const SlidingOptions options{node_limit, well_posedness};
        return checker.run([&](SlidingChecker& c) { return c.check(problem, directions, options); });
      },
      nb::arg("problem"), nb::arg("slides"), nb::kw_only(), nb::arg("node_limit") = 8192,
      nb::arg("well_posedness") = true,
      "slides: per contact None (it sticks) or the unit direction (2,) along t1, t2 of its velocity.");
}

void bind_impact(nb::module_& module)
{
  nb::class_<ImpactLaw>(module, "ImpactLaw", "How a contact bounces.")
      .def(
          "__init__",
          [](ImpactLaw* self, double normal, double tangential, double spin, bool one_way,
             std::optional<double> mu_second) { new (self) ImpactLaw{normal, tangential, spin, one_way, mu_second}; },
          nb::arg("normal") = 0.0, nb::arg("tangential") = 0.0, nb::arg("spin") = 0.0, nb::arg("one_way") = false,
          nb::arg("mu_second") = nb::none(), "normal, tangential, spin: coefficients of restitution.")
      .def_ro("normal", &ImpactLaw::normal)
      .def_ro("tangential", &ImpactLaw::tangential)
      .def_ro("spin", &ImpactLaw::spin)
      .def_ro("one_way", &ImpactLaw::one_way)
      .def_ro("mu_second", &ImpactLaw::mu_second);
  nb::class_<Shared<ImpactChecker>> bound(module, "ImpactChecker", "What an impact may lead to.");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<ImpactChecker>& checker, const ContactProblem& problem, nb::handle velocity,
         const std::vector<ImpactLaw>& laws, int leaf_limit, bool conditions) {
        const Impact impact{vector_of(velocity, "velocity"), laws};
        const ImpactOptions options{leaf_limit, conditions};
        return checker.run([&](ImpactChecker& c) { return c.check(problem, impact, options); });
      },
      nb::arg("problem"), nb::arg("velocity"), nb::arg("laws") = std::vector<ImpactLaw>{}, nb::kw_only(),
      nb::arg("leaf_limit") = 4096, nb::arg("conditions") = true,
      "velocity: (nv,) before. laws: one per contact, or none: everything plastic.");
}

void bind_couplings(nb::module_& module)
{
  nb::class_<Shared<CouplingChecker>> bound(module, "CouplingChecker",
                                            "How contacts and held rows act on each other through the masses.");
  bind_constructor(bound);
  bound.def(
      "check",
      [](Shared<CouplingChecker>& checker, const ContactProblem& problem, const std::string& tangential,
         bool intervals) {
        const CouplingOptions options{static_cast<TangentialRows>(position_of(tangential, kTangential, "tangential")),
                                      intervals};
        return checker.run([&](CouplingChecker& c) { return c.check(problem, options); });
      },
      nb::arg("problem"), nb::kw_only(), nb::arg("tangential") = "held", nb::arg("intervals") = true,
      "tangential: \"held\" or \"left_out\".");
}

}  // namespace

void bind_questions(nb::module_& module)
{
  bind_sticking(module);
  bind_equilibrium(module);
  bind_region(module);
  bind_closure(module);
  bind_sliding(module);
  bind_impact(module);
  bind_couplings(module);
}

}  // namespace stiction::python
