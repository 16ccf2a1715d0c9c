// Scenarios in, reports out: what `stiction check` and `stiction verify` do.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "types.hpp"

namespace stiction::python {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;
using Folders = std::vector<std::string>;

std::vector<ScenarioOverride> overrides_of(const Overrides& set)
{
  std::vector<ScenarioOverride> changes;
  for (const auto& [path, value] : set) changes.push_back({path, value});
  return changes;
}

/// As the program does: the report has the hash of the file, errors its name, line and column.
ScenarioReport check_file(const std::string& file, const Overrides& set, const Folders& package_paths)
{
  nb::gil_scoped_release released;
  std::ostringstream text;
  if (std::ifstream stream(file, std::ios::binary); !stream || !(text << stream.rdbuf()))
    read_scenario_file(file);  // says why
  return check_scenario_text(text.str(), std::filesystem::path(file).parent_path().string(), file, overrides_of(set),
                             package_paths);
}

ScenarioReport check_text(const std::string& text, const std::string& folder, const Overrides& set,
                          const Folders& package_paths)
{
  nb::gil_scoped_release released;
  return check_scenario_text(text, folder, "scenario", overrides_of(set), package_paths);
}

Verification verify(const std::string& json, const std::string& source, const std::string& scenario,
                    const Overrides& set, const Folders& package_paths, bool exact)
{
  nb::gil_scoped_release released;
  Verification result = scenario.empty() ? verify_report(json, source)
                                         : verify_report(json, source, scenario, overrides_of(set), package_paths);
  if (exact && result.valid) {
    const ExactJudgement judged = judge_exactly(json);
    result.valid = judged.valid;
    result.message = judged.valid ? result.message + "; exact: " + judged.message : "exact: " + judged.message;
  }
  return result;
}

nb::object parsed(const std::string& json) { return nb::module_::import_("json").attr("loads")(json); }

/// The answer of the question, typed, as part of the report that owns it.
nb::object answer_of(nb::handle self)
{
  return std::visit([&](const auto& answer) { return nb::cast(&answer, nb::rv_policy::reference_internal, self); },
                    nb::inst_ptr<ScenarioReport>(self)->answer);
}

void bind_scenario(nb::module_& module)
{
  nb::class_<Scenario>(module, "_Scenario")
      .def_static("read_file",
                  [](const std::string& file, const Overrides& set, const Folders& package_paths) {
                    Scenario scenario = read_scenario_file(file, overrides_of(set));
                    scenario.scene.package_paths = package_paths;
                    return scenario;
                  })
      .def_static(
          "read_text",
          [](const std::string& text, const std::string& folder, const Overrides& set, const Folders& package_paths) {
            Scenario scenario = read_scenario_text(text, folder, "scenario", overrides_of(set));
            scenario.scene.package_paths = package_paths;
            return scenario;
          })
      .def_static(
          "of_problem",
          [](const ContactProblem& problem, const std::string& question, const std::string& name, nb::handle v,
             nb::handle a) {
            Scenario scenario;
            scenario.name = name;
            scenario.question = question_named(question);
            scenario.bare = BareProblem{problem, vector_of(v, "v"), vector_of(a, "a")};
            scenario.contact_motions.resize(problem.contacts.size());
            return scenario;
          },
          nb::arg("problem"), nb::arg("question"), nb::arg("name"), nb::arg("v").none(), nb::arg("a").none())
      .def_ro("name", &Scenario::name)
      .def_prop_ro("question", [](const Scenario& s) { return name_of(s.question); })
      .def_prop_ro("models",
                   [](const Scenario& s) {
                     std::vector<std::string> names;
                     for (const ModelDescription& model : s.scene.models) names.push_back(model.name);
                     return names;
                   })
      .def_prop_ro("contacts",
                   [](const Scenario& s) {
                     std::vector<std::string> names;
                     if (s.bare)
                       for (const Contact& contact : s.bare->problem.contacts) names.push_back(contact.name);
                     else
                       for (const ContactDescription& contact : s.scene.contacts) names.push_back(contact.name);
                     return names;
                   })
      .def("check",
           [](const Scenario& scenario) {
             nb::gil_scoped_release released;
             return ScenarioChecker().check(scenario);
           })
      .def("_description", described_scenario)
      .def("problem",
           [](const Scenario& scenario) {
             nb::gil_scoped_release released;
             return as_bare_problem(scenario).bare->problem;
           })
      .def("problem_text", [](const Scenario& scenario) {
        nb::gil_scoped_release released;
        return problem_text(as_bare_problem(scenario));
      });
}

/// What contacts and margins say in a report.
void bind_reported(nb::module_& module)
{
  nb::class_<ReportedContact> contact(module, "ReportedContact", "What a contact does in an answer.");
  contact.def_ro("name", &ReportedContact::name)
      .def_prop_ro("state", [](const ReportedContact& c) { return c.found.state; })
      .def_prop_ro(
          "normal_force", [](const ReportedContact& c) { return c.found.force[0]; }, "N.")
      .def_prop_ro(
          "tangential_force", [](const ReportedContact& c) { return std::pair(c.found.force[1], c.found.force[2]); },
          "N, along t1 and t2.")
      .def_prop_ro(
          "torsion_moment", [](const ReportedContact& c) { return c.found.force[3]; }, "N m.")
      .def_prop_ro(
          "force_world",
          [](nb::pointer_and_handle<ReportedContact> self) -> nb::object {
            if (!self.p->force_W) return nb::none();
            return nb::cast(view(*self.p->force_W), nb::rv_policy::reference_internal, self.h);
          },
          "(3,) N on the contact's link, in the world; None where an answer has no forces.")
      .def_prop_ro(
          "utilisation", [](const ReportedContact& c) { return c.found.utilisation; }, "Share of the friction in use.")
      .def_prop_ro(
          "unique", [](const ReportedContact& c) { return c.found.unique; }, "The same in every admissible solution.")
      .def_prop_ro(
          "normal_interval",
          [](const ReportedContact& c) -> const Margin* {
            return c.found.normal_interval.enclosed() ? &c.found.normal_interval : nullptr;
          },
          nb::rv_policy::reference_internal, "Margin, N, over all admissible solutions; None: not computed.")
      .def("__repr__", [](const ReportedContact& c) { return "<ReportedContact '" + c.name + "'>"; });

  nb::class_<ReportedMargin>(module, "ReportedMargin", "How far a verdict is from changing.")
      .def_ro("name", &ReportedMargin::name)
      .def_ro("value", &ReportedMargin::value, "The end that may be relied on; nan: not found, or there is none.")
      .def_prop_ro("lower", [](const ReportedMargin& m) { return m.margin.lower; })
      .def_prop_ro("upper", [](const ReportedMargin& m) { return m.margin.upper; })
      .def_prop_ro("state", [](const ReportedMargin& m) { return m.margin.state; })
      .def_prop_ro("reason", [](const ReportedMargin& m) { return m.margin.reason; })
      .def_ro("proved", &ReportedMargin::interval, "[lower, upper] is proved to contain the value.")
      .def("__float__", [](const ReportedMargin& m) { return m.value; })
      .def("__repr__",
           [](const ReportedMargin& m) { return "<ReportedMargin '" + m.name + "' " + std::to_string(m.value) + ">"; });
}

void bind_verification(nb::module_& module)
{
  nb::class_<Verification>(module, "Verification", "What re-checking a report found.")
      .def_ro("valid", &Verification::valid)
      .def_ro("message", &Verification::message)
      .def_ro("recomputed", &Verification::recomputed,
              "Entries of a valid report that were written anew from its certificate and are the same.")
      .def_ro("unchecked", &Verification::unchecked, "Entries of a valid report that nothing re-checked.")
      .def("__bool__", [](const Verification& v) { return v.valid; })
      .def("__repr__", [](const Verification& v) {
        return std::string("<Verification: ") + (v.valid ? "" : "NOT ") + "valid, " + v.message + ">";
      });
}

using Report = nb::class_<ScenarioReport>;

/// The numbers of a report.
void bind_numbers(Report& report)
{
  report.def_ro("verdict", &ScenarioReport::verdict)
      .def_prop_ro("holds", [](const ScenarioReport& r) { return r.verdict == Verdict::kHolds; })
      .def_ro("summary", &ScenarioReport::summary, "One sentence a person can act on.")
      .def_prop_ro("name", [](const ScenarioReport& r) { return r.scenario.name; })
      .def_prop_ro("_scenario", [](const ScenarioReport& r) { return r.scenario; })
      .def_prop_ro("question", [](const ScenarioReport& r) { return name_of(r.scenario.question); })
      .def_ro("contacts", &ScenarioReport::contacts, "Empty where there are no forces to show.")
      .def_prop_ro(
          "efforts",
          [](const ScenarioReport& r) {
            nb::dict efforts;
            for (const ReportedEffort& effort : r.efforts) efforts[effort.name.c_str()] = effort.value;
            return efforts;
          },
          "By motor, N m or N: found by equilibrium and closure, given to the others.")
      .def_prop_ro(
          "margins",
          [](nb::pointer_and_handle<ScenarioReport> self) {
            nb::dict margins;
            for (const ReportedMargin& margin : self.p->margins)
              margins[margin.name.c_str()] = nb::cast(&margin, nb::rv_policy::reference_internal, self.h);
            return margins;
          },
          "ReportedMargin by name: friction_scale, effort, push, com, …")
      .def_ro("warnings", &ScenarioReport::warnings)
      .def_ro("problem", &ScenarioReport::problem, "The ContactProblem of the scene.")
      .def_prop_ro(
          "answer", [](nb::handle self) { return answer_of(self); },
          "All that the question found, typed; `answer.result` is what its checker returns.")
      .def_ro("solver", &ScenarioReport::solver)
      .def_ro("iterations", &ScenarioReport::iterations);
}

/// What is made of a report: texts, drawings, another judgement.
void bind_forms(Report& report)
{
  report
      .def_prop_ro(
          "certificate", [](const ScenarioReport& r) { return parsed(certificate_json(r)); },
          "The proof, as in the JSON report.")
      .def(
          "to_json", [](const ScenarioReport& r) { return to_json(r); }, "As `stiction check --json` writes it.")
      .def(
          "to_dict", [](const ScenarioReport& r) { return parsed(to_json(r)); }, "The JSON report as a dict.")
      .def_prop_ro(
          "text", [](const ScenarioReport& r) { return to_text(r); }, "For people, as `stiction check` prints it.")
      .def("__str__", [](const ScenarioReport& r) { return to_text(r); })
      .def("__repr__",
           [](const ScenarioReport& r) {
             return std::string("<Report: ") + to_string(r.verdict) + ", " + r.summary + ">";
           })
      .def(
          "to_svg",
          [](const ScenarioReport& r, const std::string& view) {
            nb::gil_scoped_release released;
            return to_svg(picture_of(r), view.empty() ? View{} : view_named(view));
          },
          nb::arg("view") = "",
          "A drawing, as `stiction check --svg` writes it. view: front, side, top, iso, or the direction one looks "
          "along\n"
          "as three numbers with commas.")
      .def(
          "show",
          [](nb::handle self, const nb::kwargs& arguments) {
            return nb::module_::import_("stiction.view").attr("show")(self, **arguments);
          },
          "In notebooks: the scene in 3-D, where the failing motion runs. Needs stiction[view]. See "
          "stiction.view.show.")
      .def("_repr_html_",
           [](nb::handle self) { return nb::module_::import_("stiction._html").attr("report_html")(self); })
      .def(
          "verify",
          [](const ScenarioReport& r, std::optional<std::string> scenario, const Folders& package_path, bool exact) {
            Overrides set{{"question", name_of(r.scenario.question)}};
            for (const ScenarioOverride& change : r.inputs.set) set.push_back({change.path, change.value});
            return verify(to_json(r), "report", scenario.value_or(""), set, package_path, exact);
          },
          nb::arg("scenario") = nb::none(), nb::arg("package_path") = Folders{}, nb::arg("exact") = false,
          "Re-checks the proof from its own numbers, without any solver. scenario: the file that the report must be\n"
          "about, with the changes that it was asked with. exact: also in rational arithmetic.");
}

}  // namespace

void bind_report(nb::module_& module)
{
  bind_scenario(module);
  bind_reported(module);
  bind_verification(module);
  Report report(module, "Report", nb::dynamic_attr(), "What `stiction check` says about a scenario, with its proof.");
  bind_numbers(report);
  bind_forms(report);
  module.def("_check_file", check_file);
  module.def("_check_text", check_text);
  module.def("_verify", verify);
}

}  // namespace stiction::python
