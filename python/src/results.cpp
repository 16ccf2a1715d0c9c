// What the checkers return: plain data, read-only.
#include "types.hpp"

namespace stiction::python {
namespace {

/// A copy of a matrix, or None.
template <class Matrix>
nb::object array_or_none(const std::optional<Matrix>& matrix)
{
  if (!matrix) return nb::none();
  return nb::cast(view(*matrix), nb::rv_policy::copy);
}

/// Corners as an (n, 2) array.
nb::object corners(const Polygon& polygon)
{
  std::vector<double> numbers;
  for (const Eigen::Vector2d& corner : polygon) numbers.insert(numbers.end(), {corner.x(), corner.y()});
  return owned_array(std::move(numbers), {polygon.size(), 2});
}

void bind_shared(nb::module_& module)
{
  nb::class_<Margin>(module, "Margin", "A number with a proof on both sides: the true value lies in [lower, upper].")
      .def_ro("state", &Margin::state,
              "known; none: there is no such value, proved; unbounded: no largest one; undecided: the gap stays open.")
      .def_ro("lower", &Margin::lower)
      .def_ro("upper", &Margin::upper)
      .def_ro("reason", &Margin::reason, "Why a gap stays open.")
      .def("__repr__", [](const Margin& m) {
        return "<Margin [" + std::to_string(m.lower) + ", " + std::to_string(m.upper) + "]>";
      });

  nb::class_<MotionLeaf> leaf(module, "MotionLeaf", "A motion that proves a failure for one choice of signs.");
  leaf.def_ro("signs", &MotionLeaf::signs, "Per contact: -1, 0 or +1.");
  def_array(leaf, "motion", &MotionLeaf::motion, "y (nv), then the price of every finite max_normal.");

  nb::class_<Certificate> certificate(module, "Certificate", "A proof that is judged without any solver.");
  certificate.def_ro("kind", &Certificate::kind).def_ro("leaves", &Certificate::leaves);
  def_array(certificate, "acceleration", &Certificate::a, "(nv,).");
  def_array(certificate, "forces", &Certificate::lambda, "(rows,), N.");
  def_array(certificate, "efforts", &Certificate::efforts, "One per actuator, N m or N.");

  nb::class_<Failure> failure(module, "Failure",
                              "Why a case fails: what alone would help, and the motion that is told.");
  failure.def_ro("cause", &Failure::cause);
  def_array(failure, "motion", &Failure::motion, "(nv,): the acceleration that is left; empty: not looked for.");

  nb::class_<ContactReport> contact(module, "ContactReport", "One contact in a result.");
  contact.def_ro("state", &ContactReport::state)
      .def_ro("utilisation", &ContactReport::utilisation, "Share of the friction in use.")
      .def_ro("unique", &ContactReport::unique)
      .def_ro("normal_interval", &ContactReport::normal_interval, "N, over all admissible solutions; when asked for.")
      .def_ro("normal_acceleration", &ContactReport::normal_acceleration, "m/s^2.");
  def_array(contact, "force", &ContactReport::force, "(4,): normal, t1, t2 (N), torsion (N m).");
}

void bind_sticking(nb::module_& module)
{
  nb::class_<Repair> repair(module, "Repair", "One way to make a failing case hold.");
  repair
      .def_prop_ro("change",
                   [](const Repair& r) {
                     constexpr std::array words{"common_friction", "friction", "force"};
                     return words[static_cast<std::size_t>(r.change)];
                   })
      .def_ro("contact", &Repair::contact, "Index of the contact whose mu alone is raised, or -1.")
      .def_ro("value", &Repair::value, "Factor on every mu, or the new mu.");
  def_array(repair, "force", &Repair::force, "(nv,): smallest change of F.");

  nb::class_<StickingResult> result(module, "StickingResult", "Whether every contact keeps sticking.");
  result.def_ro("verdict", &StickingResult::verdict)
      .def_ro("reason", &StickingResult::reason, "Why undecided.")
      .def_ro("certificate", &StickingResult::certificate)
      .def_ro("acceleration_unique", &StickingResult::acceleration_unique)
      .def_ro("contacts", &StickingResult::contacts)
      .def_ro("indeterminacy", &StickingResult::indeterminacy)
      .def_ro("strict", &StickingResult::strict, "Every loaded cone strictly inside.")
      .def_ro("slack", &StickingResult::slack, "N: every contact could lose as much normal force.")
      .def_ro("friction_scale", &StickingResult::friction_scale, "Smallest factor on every mu that holds.")
      .def_ro("repairs", &StickingResult::repairs)
      .def_ro("explanation", &StickingResult::explanation)
      .def_ro("failure", &StickingResult::failure)
      .def_ro("iterations", &StickingResult::iterations);
  def_array(result, "acceleration", &StickingResult::acceleration, "(nv,).");
  def_array(result, "forces", &StickingResult::lambda, "(rows,): lambda, admissible when it holds.");
}

void bind_equilibrium(nb::module_& module)
{
  nb::class_<EquilibriumResult> result(module, "EquilibriumResult", "Whether contacts and motors balance the load.");
  result.def_ro("verdict", &EquilibriumResult::verdict)
      .def_ro("reason", &EquilibriumResult::reason, "Why undecided.")
      .def_ro("certificate", &EquilibriumResult::certificate)
      .def_ro("contacts", &EquilibriumResult::contacts)
      .def_ro("indeterminacy", &EquilibriumResult::indeterminacy)
      .def_ro("slack", &EquilibriumResult::slack, "Largest common share that cones and limits are away from.")
      .def_ro("strict", &EquilibriumResult::strict)
      .def_ro("friction_scale", &EquilibriumResult::friction_scale)
      .def_ro("effort", &EquilibriumResult::effort)
      .def_ro("push", &EquilibriumResult::push, "N.")
      .def_ro("ball", &EquilibriumResult::ball, "N.")
      .def_ro("generators", &EquilibriumResult::generators, "N.")
      .def_ro("change", &EquilibriumResult::change)
      .def_ro("explanation", &EquilibriumResult::explanation)
      .def_ro("failure", &EquilibriumResult::failure)
      .def_ro("iterations", &EquilibriumResult::iterations);
  def_array(result, "forces", &EquilibriumResult::lambda, "(rows,): lambda, admissible when it holds.");
  def_array(result, "efforts", &EquilibriumResult::efforts, "One per actuator, N m or N.");
}

void bind_region(nb::module_& module)
{
  nb::class_<RegionPiece>(module, "RegionPiece", "A convex part of the region, between two polygons.")
      .def_ro("signs", &RegionPiece::signs)
      .def_prop_ro(
          "inner", [](const RegionPiece& p) { return corners(p.inner); }, "(n, 2) m: every corner is held.")
      .def_prop_ro("outer", [](const RegionPiece& p) { return corners(p.outer); }, "(n, 2) m: nothing beyond is held.");
  nb::class_<RegionResult> result(module, "RegionResult", "Where the centre of mass may be: inner ⊆ region ⊆ outer.");
  result.def_ro("kind", &RegionResult::kind)
      .def_ro("reason", &RegionResult::reason)
      .def_ro("pieces", &RegionResult::pieces)
      .def_ro("area", &RegionResult::area, "m^2.")
      .def_ro("verdict", &RegionResult::verdict, "Of the current position.")
      .def_ro("distance", &RegionResult::distance, "m, of the position from the boundary; positive inside.");
  def_array(result, "direction", &RegionResult::direction, "(2,): where an unbounded region goes on for ever.");
}

void bind_closure(nb::module_& module)
{
  nb::class_<ClosureVerdict>(module, "ClosureVerdict")
      .def_ro("verdict", &ClosureVerdict::verdict)
      .def_ro("asked", &ClosureVerdict::asked)
      .def_ro("reason", &ClosureVerdict::reason)
      .def_ro("explanation", &ClosureVerdict::explanation)
      .def_prop_ro(
          "forces", [](const ClosureVerdict& c) { return nb::cast(view(c.proof.forces), nb::rv_policy::copy); },
          "Internal forces that prove it, N.")
      .def_prop_ro(
          "twist", [](const ClosureVerdict& c) { return nb::cast(view(c.proof.twist), nb::rv_policy::copy); },
          "A motion of the object that no contact opposes.");
  nb::class_<NullSpaces>(module, "NullSpaces")
      .def_ro("indeterminate", &NullSpaces::indeterminate)
      .def_ro("graspable", &NullSpaces::graspable)
      .def_ro("redundant", &NullSpaces::redundant)
      .def_ro("defective", &NullSpaces::defective)
      .def_ro("hyperstatic", &NullSpaces::hyperstatic);
  nb::class_<ClosureResult>(module, "ClosureResult",
                            "Form, frictional form and force closure, and how good a grasp is.")
      .def_ro("form_closure", &ClosureResult::form_closure)
      .def_ro("frictional_form_closure", &ClosureResult::frictional_form_closure)
      .def_ro("force_closure", &ClosureResult::force_closure)
      .def_ro("form_d", &ClosureResult::form_d)
      .def_ro("d", &ClosureResult::d)
      .def_ro("epsilon_l1", &ClosureResult::epsilon_l1, "Ferrari and Canny, sum of normal forces <= 1.")
      .def_ro("epsilon_linf", &ClosureResult::epsilon_linf, "Ferrari and Canny, each normal force <= 1.")
      .def_ro("friction_factor", &ClosureResult::friction_factor,
              "Least factor on every mu for frictional form closure.")
      .def_ro("contact_friction", &ClosureResult::contact_friction, "Least mu of each contact alone.")
      .def_ro("null_spaces", &ClosureResult::null_spaces);
  nb::class_<ResistResult> resist(module, "ResistResult", "Whether the contacts balance a wrench on the object.");
  resist.def_ro("verdict", &ResistResult::verdict).def_ro("reason", &ResistResult::reason);
  def_array(resist, "forces", &ResistResult::forces, "N; zero unless it holds.");
  def_array(resist, "efforts", &ResistResult::efforts, "Of the hand, N m or N.");
  def_array(resist, "twist", &ResistResult::twist, "Fails: the motion that the wrench drives.");
  nb::class_<ClosureRate>(module, "ClosureRate", "Closed in this share of draws with uncertain contacts.")
      .def_ro("samples", &ClosureRate::samples)
      .def_ro("holds", &ClosureRate::holds)
      .def_ro("fails", &ClosureRate::fails)
      .def_ro("undecided", &ClosureRate::undecided)
      .def_ro("rate", &ClosureRate::rate)
      .def_ro("lower", &ClosureRate::lower, "Wilson interval, 95 %.")
      .def_ro("upper", &ClosureRate::upper);
}

void bind_sliding(nb::module_& module)
{
  nb::class_<SlidingSolution> solution(module, "SlidingSolution", "One motion that obeys the laws.");
  solution.def_ro("signs", &SlidingSolution::signs)
      .def_ro("contacts", &SlidingSolution::contacts)
      .def_ro("acceleration_unique", &SlidingSolution::acceleration_unique)
      .def_ro("forces_unique", &SlidingSolution::forces_unique);
  def_array(solution, "acceleration", &SlidingSolution::acceleration, "(nv,).");
  def_array(solution, "forces", &SlidingSolution::lambda, "(rows,).");
  nb::class_<WellPosedness>(module, "WellPosedness", "Whether every load has one solution, or at least one.")
      .def_ro("unique_for_all_loads", &WellPosedness::unique_for_all_loads)
      .def_ro("margin", &WellPosedness::margin)
      .def_ro("exists_for_all_loads", &WellPosedness::exists_for_all_loads)
      .def_prop_ro("unsolvable_load", [](const WellPosedness& w) { return array_or_none(w.unsolvable_load); })
      .def_ro("critical_scale", &WellPosedness::critical_scale)
      .def_ro("critical_mu", &WellPosedness::critical_mu);
  nb::class_<SlidingResult>(module, "SlidingResult", "How many motions a sliding state has.")
      .def_ro("verdict", &SlidingResult::verdict)
      .def_ro("count", &SlidingResult::count)
      .def_ro("complete", &SlidingResult::complete)
      .def_ro("reason", &SlidingResult::reason)
      .def_ro("solutions", &SlidingResult::solutions)
      .def_ro("well_posedness", &SlidingResult::well_posedness)
      .def_ro("explanation", &SlidingResult::explanation);
}

void bind_impact(nb::module_& module)
{
  nb::class_<ContactImpact> contact(module, "ContactImpact", "One contact through an impact, in its own axes.");
  contact.def_ro("state", &ContactImpact::state)
      .def_ro("work_normal", &ContactImpact::work_normal, "J.")
      .def_ro("work_tangential", &ContactImpact::work_tangential, "J.")
      .def_ro("utilisation", &ContactImpact::utilisation);
  def_array(contact, "impulse", &ContactImpact::impulse, "(4,): N s.");
  def_array(contact, "velocity_before", &ContactImpact::velocity_before, "(4,): m/s.");
  def_array(contact, "velocity_after", &ContactImpact::velocity_after, "(4,): m/s.");
  nb::class_<ImpactSolution> solution(module, "ImpactSolution",
                                      "A velocity after the impact that satisfies every law.");
  solution.def_ro("contacts", &ImpactSolution::contacts)
      .def_ro("energy_before", &ImpactSolution::energy_before, "J.")
      .def_ro("energy_change", &ImpactSolution::energy_change, "J.");
  def_array(solution, "velocity", &ImpactSolution::velocity, "(nv,).");
  def_array(solution, "impulse", &ImpactSolution::impulse, "(rows,): N s.");
  nb::class_<ImpactResult>(module, "ImpactResult", "What an impact may lead to.")
      .def_ro("solutions", &ImpactResult::solutions)
      .def_ro("exists", &ImpactResult::exists)
      .def_ro("unique", &ImpactResult::unique)
      .def_ro("complete", &ImpactResult::complete)
      .def_ro("dissipates", &ImpactResult::dissipates)
      .def_ro("why_dissipates", &ImpactResult::why_dissipates)
      .def_ro("reason", &ImpactResult::reason);
}

void bind_couplings(nb::module_& module)
{
  nb::class_<Couplings> result(module, "Couplings", "How contacts and held rows act on each other through the masses.");
  result.def_ro("unilateral", &Couplings::unilateral, "Rows of J.")
      .def_ro("bilateral", &Couplings::bilateral, "Rows of J.")
      .def_ro("definite_mass", &Couplings::definite_mass)
      .def_ro("redundancy", &Couplings::redundancy)
      .def_ro("unique_for_all_data", &Couplings::unique_for_all_data)
      .def_ro("singularity_margin", &Couplings::singularity_margin)
      .def_ro("decoupled", &Couplings::decoupled)
      .def_ro("solvable", &Couplings::solvable)
      .def_ro("reason", &Couplings::reason)
      .def_ro("acceleration_unique", &Couplings::acceleration_unique)
      .def_ro("forces_unique", &Couplings::forces_unique)
      .def_ro("intervals", &Couplings::intervals, "Per row of J: range of its multiplier.")
      .def_ro("balanced", &Couplings::balanced);
  def_array(result, "A", &Couplings::A, "Jh M^-1 Jh'.");
  def_array(result, "B", &Couplings::B, "Jg M^-1 Jg'.");
  def_array(result, "E", &Couplings::E, "Jh M^-1 Jg'.");
  def_array(result, "Ac", &Couplings::Ac, "A - E B^-1 E'.");
  def_array(result, "shock_gain", &Couplings::shock_gain, "(bilateral, unilateral).");
  def_array(result, "acceleration", &Couplings::acceleration, "(nv,).");
  def_array(result, "forces", &Couplings::forces, "(rows,).");
}

void bind_answers(nb::module_& module)
{
  nb::class_<AllStickingAnswer>(module, "AllStickingAnswer").def_ro("result", &AllStickingAnswer::result);
  nb::class_<EquilibriumAnswer> equilibrium(module, "EquilibriumAnswer");
  equilibrium.def_ro("result", &EquilibriumAnswer::result).def_ro("tolerance", &EquilibriumAnswer::tolerance);
  def_array(equilibrium, "a", &EquilibriumAnswer::a, "(nv,): prescribed acceleration.");
  nb::class_<ClosureAnswer>(module, "ClosureAnswer")
      .def_ro("object", &ClosureAnswer::object)
      .def_ro("grasp", &ClosureAnswer::grasp)
      .def_ro("result", &ClosureAnswer::result)
      .def_ro("resists", &ClosureAnswer::resists)
      .def_ro("rate", &ClosureAnswer::rate);
  nb::class_<RegionAnswer>(module, "RegionAnswer")
      .def_ro("model", &RegionAnswer::model)
      .def_ro("result", &RegionAnswer::result);
  nb::class_<SlidingAnswer>(module, "SlidingAnswer").def_ro("result", &SlidingAnswer::result);
  nb::class_<ImpactAnswer>(module, "ImpactAnswer").def_ro("result", &ImpactAnswer::result);
  nb::class_<CouplingsAnswer>(module, "CouplingsAnswer")
      .def_ro("row_names", &CouplingsAnswer::row_names)
      .def_ro("result", &CouplingsAnswer::result);
  // Of a question that has no class above: one that shows nothing, as reports have to show their answers.
#define STICTION_BOUND(Name, name) \
  if (!nb::type<Name##Answer>().is_valid()) nb::class_<Name##Answer>(module, #Name "Answer");
  STICTION_QUESTIONS(STICTION_BOUND)
#undef STICTION_BOUND
}

}  // namespace

void bind_results(nb::module_& module)
{
  bind_shared(module);
  bind_sticking(module);
  bind_equilibrium(module);
  bind_region(module);
  bind_closure(module);
  bind_sliding(module);
  bind_impact(module);
  bind_couplings(module);
  bind_answers(module);
}

}  // namespace stiction::python
