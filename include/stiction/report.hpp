#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/geometry.hpp"
#include "stiction/scenario.hpp"
#include "stiction/stop.hpp"

namespace stiction {

/// What a contact does in an answer.
struct ReportedContact {
  std::string name;
  ContactReport found;  ///< `force` in the contact's axes: normal, t1, t2, torsion
  /// On the contact's `link`, N in the world. None where an answer has no forces: an impact has impulses.
  std::optional<Eigen::Vector3d> force_W;
};

/// The effort of a motor: found by equilibrium and closure, given to the others.
struct ReportedEffort {
  std::string name;    ///< "robot/left_knee"
  double value = 0.0;  ///< N m or N
};

/// How far a verdict is from changing.
struct ReportedMargin {
  std::string name;  ///< friction_scale, effort, push, com, …
  Margin margin;
  /// kKnown: the end of the interval that may be relied on; kUnbounded: infinite; else NaN.
  double value = std::numeric_limits<double>::quiet_NaN();
  bool interval = false;  ///< [margin.lower, margin.upper] is proved; false: only `value` was computed
};

/// What `stiction check` says about a scenario: plain data. to_json and to_text write it down.
struct ScenarioReport {
  Scenario scenario;       ///< as it was asked: its name, question, options; with the contacts that were detected
  ContactProblem problem;  ///< of its scene
  Verdict verdict = Verdict::kUndecided;
  std::string summary;                    ///< one sentence a person can act on
  std::vector<ReportedContact> contacts;  ///< empty where there are no forces to show
  std::vector<ReportedEffort> efforts;
  std::vector<ReportedMargin> margins;
  std::vector<std::string> warnings;
  std::vector<DetectedContact> detected;  ///< contacts that come from collision shapes
  Answer answer;       ///< all that the question found, with its certificate: std::get<RegionAnswer>(report.answer)
  std::string solver;  ///< "native", and the engine that helped it
  int iterations = 0;

  /// What the report was made from, by SHA-256.
  struct Inputs {
    std::string scenario;               ///< of the scenario file as it was read; empty: the scenario is a program's
    std::vector<ScenarioOverride> set;  ///< what replaced entries of it, but for the question
    std::vector<std::pair<std::string, std::string>> urdf;    ///< by model
    std::vector<std::pair<std::string, std::string>> meshes;  ///< that geometry needed, by file as it is written
  } inputs;
};

/// As `stiction check --json` writes it, with the proof: `stiction verify` re-checks it. Ends with a newline.
std::string to_json(const ScenarioReport& report);

/// The `certificate` of it alone.
std::string certificate_json(const ScenarioReport& report);

/// For people, at most 80 columns as long as every name fits. Colours are terminal escape sequences.
enum class Colours { kNone, kTerminal };
std::string to_text(const ScenarioReport& report, Colours colours = Colours::kNone);

/// What a row of `stiction batch` says.
struct ScenarioNumbers {
  /// A number or a word of the question (docs/batch.md); neither: there is none.
  struct Cell {
    std::string name;
    std::optional<double> number;
    std::string word;
  };
  Verdict verdict = Verdict::kUndecided;
  std::string summary;
  std::vector<Cell> cells;
};

/// Answers scenarios of any question, one after the other, as the program does. Robots stay loaded: a scenario that
/// differs from the one before only in state, given efforts, coefficients of contacts, question or options needs no
/// loading. An answer does not depend on the scenarios before, but a URDF file that changed under the same name is not
/// noticed. One per thread.
class ScenarioChecker {
 public:
  ScenarioChecker();
  ~ScenarioChecker();
  ScenarioChecker(ScenarioChecker&&) noexcept;
  ScenarioChecker& operator=(ScenarioChecker&&) noexcept;

  /// For what is asked from now on: it throws Stopped where `stop` says so. Loading robots is not stopped.
  void set_stop(StopCheck stop);

  /// Loads the robots, which the others do by themselves.
  /// @throws InputError naming the entry.
  void load(const Scenario& scenario);

  /// With every extra that the options do not turn off.
  /// @throws InputError naming the entry.
  ScenarioReport check(const Scenario& scenario);

  /// Without the extras that the options do not turn on: what a sweep needs.
  ScenarioNumbers check_numbers(const Scenario& scenario);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The same once, from YAML in memory; `folder` is what URDF files are relative to, `source` the name in messages.
/// @throws InputError "source:line:column: path: want …, got …". @throws Stopped where `stop` says so.
ScenarioReport check_scenario_text(const std::string& text, const std::string& folder = ".",
                                   const std::string& source = "scenario",
                                   const std::vector<ScenarioOverride>& overrides = {},
                                   const std::vector<std::string>& package_paths = {}, const StopCheck& stop = {});

/// What `stiction verify` says about a report.
struct Verification {
  bool valid = false;
  std::string message;                  ///< one sentence: what was proved, or what is wrong
  std::vector<std::string> unchecked;   ///< entries of a valid report that nothing re-checked: "margins.friction_scale"
  std::vector<std::string> recomputed;  ///< those that were written anew from the certificate and are the same
};

/// Judges the certificate of a JSON report with the proof room alone, writes anew what such a certificate allows a
/// report to say, and compares (docs/verify.md). Strict: no key twice, none missing, none too much, at most 64 levels.
/// Whether the certificate's problem is that of a scenario is not known here: it is among `unchecked`.
/// @throws InputError when it is not a report at all.
Verification verify_report(const std::string& json, const std::string& source = "report");

/// The same for a report about a scenario file with these overrides: its problem is built again and compared entry by
/// entry with the certificate's, and the hashes in `inputs` with those of the files.
/// @throws InputError also when the scenario cannot be read.
Verification verify_report(const std::string& json, const std::string& source, const std::string& scenario_file,
                           const std::vector<ScenarioOverride>& overrides = {},
                           const std::vector<std::string>& package_paths = {});

}  // namespace stiction
