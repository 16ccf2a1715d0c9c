#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/names.hpp"
#include "base/nearest_name.hpp"
#include "base/text.hpp"
#include "draw/region_drawing.hpp"
#include "draw/row_plot.hpp"
#include "draw/simulation_plot.hpp"
#include "io/batch.hpp"
#include "io/check.hpp"
#include "io/inspect_text.hpp"
#include "io/progress_text.hpp"
#include "io/scenario_writer.hpp"
#include "io/simulation.hpp"
#include "io/track.hpp"
#include "io/verify.hpp"
#include "stiction/error.hpp"
#include "stiction/exact.hpp"
#include "stiction/picture.hpp"
#include "stiction/problem_file.hpp"
#include "stiction/report.hpp"
#include "stiction/scene.hpp"
#include "stiction/version.hpp"

namespace {

namespace internal = stiction::internal;

enum ExitCode { kOk = 0, kNo = 1, kBadInput = 2, kBug = 4 };

void write_result(const std::string& text)
{
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw stiction::InputError("standard output", "cannot be written");
}

/// Colours for a terminal that wants them (no-color.org).
stiction::Colours colours()
{
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted = ::isatty(STDOUT_FILENO) && !(no_colour && *no_colour) && !(term && std::string(term) == "dumb");
  return wanted ? stiction::Colours::kTerminal : stiction::Colours::kNone;
}

/// "'inspct', did you mean 'inspect'?" for the first argument that nobody understood; empty if there is none.
std::string not_understood(const CLI::App& app)
{
  const std::vector<std::string> arguments = app.remaining(true);
  if (arguments.empty()) return {};
  const std::string& argument = arguments.front();

  const std::vector<const CLI::App*> chosen = app.get_subcommands([](const CLI::App* sub) { return sub->parsed(); });
  std::vector<std::string> names;
  if (argument.starts_with('-')) {
    for (const CLI::Option* option : (chosen.empty() ? app : *chosen.front()).get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else if (chosen.empty()) {
    for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  }
  return "'" + argument + "'" + stiction::internal::did_you_mean(argument.substr(0, argument.find('=')), names);
}

/// A whole file, or an error that names the option and the reason.
void write_file(const std::string& file, const char* option, const std::string& text)
{
  std::FILE* out = std::fopen(file.c_str(), "wb");
  const bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const int reason = errno;
  if (!out || std::fclose(out) != 0 || !written)
    throw stiction::InputError(
        option, "want a file that can be written, got '" + file + "': " + std::strerror(written ? errno : reason));
}

/// Whether a command answers any question, or one, or that of a report, or none.
enum class Asks { kAnything, kRegion, kReport, kMotion };

/// Arguments that several commands share.
struct ScenarioArguments {
  std::string file, question;
  std::vector<std::string> sets, package_paths;

  void add_to(CLI::App& command, Asks asks = Asks::kAnything)
  {
    if (asks == Asks::kRegion) question = "region";
    if (asks == Asks::kReport)
      command.add_option("--scenario", file, "The scenario or problem file that the report must be about")
          ->type_name("FILE");
    else
      command
          .add_option("SCENARIO", file,
                      std::string("The scenario file (YAML)") +
                          (asks == Asks::kAnything ? ", or a problem file (JSON)" : "") + "; - reads standard input")
          ->required();
    command
        .add_option("--set", sets,
                    "Replaces one entry: --set contacts.left_toe.mu=0.3, --set options.cone='{inner: 8}'")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    if (asks == Asks::kAnything)
      command.add_option("--question", question, "Asks this instead of the scenario's question")->type_name("Q");
    command
        .add_option("--package-path", package_paths,
                    "Folder searched for package:// files, after ROS_PACKAGE_PATH and AMENT_PREFIX_PATH")
        ->type_name("DIR")
        ->allow_extra_args(false);
  }

  std::vector<stiction::ScenarioOverride> overrides() const
  {
    std::vector<stiction::ScenarioOverride> result;
    for (const std::string& set : sets) {
      const auto equals = set.find('=');
      if (equals == set.npos || equals == 0)
        throw stiction::InputError("--set", "want PATH=VALUE such as contacts.left_toe.mu=0.3, got '" + set + "'");
      result.push_back({set.substr(0, equals), set.substr(equals + 1)});
    }
    if (!question.empty()) result.push_back({"question", question});
    return result;
  }

  stiction::internal::ScenarioDocument document() const
  {
    // What comes from a pipe is in no folder: its URDF files are relative to where the program runs.
    stiction::internal::ScenarioDocument result =
        file == "-" ? internal::parse_scenario(internal::read_text_file("/dev/stdin", "scenario"), "", "standard input")
                    : internal::load_scenario(file);
    stiction::internal::apply(overrides(), result);
    return result;
  }
};

/// What `write` makes of a scenario, in a file of its own.
template <class Write>
void write_matrices(const internal::ScenarioDocument& document, const ScenarioArguments& arguments,
                    const std::string& file, const char* option, Write write)
{
  if (file.empty()) return;
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.file, file, ignored))
    throw stiction::InputError(option, "want another file than the scenario, got '" + file + "'");
  stiction::Scenario scenario = document.decode();
  scenario.scene.package_paths = arguments.package_paths;
  write_file(file, option, write(scenario));
}

/// A scenario with what geometry found in it.
void write_scenario(const internal::ScenarioDocument& document, const ScenarioArguments& arguments,
                    const std::string& file)
{
  stiction::internal::require_none_of(stiction::internal::input_files(document, arguments.package_paths), file,
                                      "--write-scenario");
  write_file(file, "--write-scenario", stiction::internal::written_scenario(document, arguments.package_paths));
}

/// Narrates a batch on standard error: a bar that renews itself on a terminal, else a line every ten seconds.
class Narrator {
 public:
  void operator()(const stiction::internal::BatchProgress& progress)
  {
    using Seconds = std::chrono::duration<double>;
    const auto now = std::chrono::steady_clock::now();
    if (!progress.finished && now - last_ < (terminal_ ? Seconds(0.1) : Seconds(10.0))) return;
    last_ = now;
    const std::string line = stiction::internal::progress_text(progress, Seconds(now - start_).count(), terminal_);
    std::fprintf(stderr, terminal_ ? "\r%-79s%s" : "%s%s", line.c_str(), terminal_ && !progress.finished ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO);
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
};

/// A --plot: a drawing, alone or in a page.
std::string plot_text(const internal::RowPlot& plot, const std::string& file)
{
  const std::string svg = internal::row_plot_svg(plot);
  return file.ends_with(".html") ? internal::html_page(plot.title, svg) : svg;
}

/// The --plot of a batch or trajectory.
void write_plot(const internal::RowPlot& plot, const internal::BatchArguments& arguments, const std::string& file)
{
  internal::require_plottable(arguments, file);  // results that were not there before
  write_file(file, "--plot", plot_text(plot, file));
}

// Each command keeps what its arguments say, so that it must outlive the parsing; `code` receives the exit code.

/// stiction check
struct CheckCommand {
  ScenarioArguments scenario;
  bool as_json = false, with_steps = false, animated = false;
  std::string problem_file, mlcp_file, scenario_file, svg_file, view;

  void add_to(CLI::App& app, int& code)
  {
    CLI::App& check = *app.add_subcommand("check", "Answers the question of a scenario");
    scenario.add_to(check);
    check.add_flag("--json", as_json, "The report as JSON, with the proof");
    check.add_flag("--steps", with_steps,
                   "Also what the steps of the algorithm find (all_sticking): --set options.steps=true");
    check.add_option("--problem", problem_file, "Also writes the question as a problem file: matrices, no robots")
        ->type_name("OUT");
    check.add_option("--mlcp", mlcp_file, "Also writes the complementarity problems behind all_sticking and sliding")
        ->type_name("OUT");
    check
        .add_option("--write-scenario", scenario_file,
                    "Also writes the scenario with detected contacts and poses as entries")
        ->type_name("OUT");
    CLI::Option& svg = *check.add_option("--svg", svg_file, "Also draws the scene with the answer")->type_name("OUT");
    check
        .add_option("--view", view,
                    "Draws only this view: front, side, top, iso, or a direction to look along: 1,1,-0.5")
        ->type_name("VIEW")
        ->needs(&svg);
    check.add_flag("--animate", animated, "Draws bodies on their way along the motion that the answer is about")
        ->needs(&svg);
    check.footer(
        "Examples:\n"
        "  stiction check scenarios/block_tips.yaml --svg block.svg\n"
        "  stiction check scenarios/pinch_on_guide.yaml --json > report.json\n"
        "  stiction check scenarios/box_on_slope.yaml --set contacts.bottom.mu=0.3\n"
        "  stiction check scenarios/box_on_slope.yaml --question equilibrium\n"
        "  stiction new urdf/biped.urdf | stiction check -\n\n"
        "Exit codes: 0 holds, 1 fails, 3 undecided, 2 bad input or usage.");
    check.callback([this, &code] {
      if (with_steps) scenario.sets.push_back("options.steps=true");
      const internal::ScenarioDocument document = scenario.document();
      stiction::View seen = view.empty() ? stiction::View{} : stiction::view_named(view, "--view");
      seen.animated = animated;
      if (!svg_file.empty())
        internal::require_none_of(internal::input_files(document, scenario.package_paths), svg_file, "--svg");
      const stiction::ScenarioReport report = internal::check_document(document, scenario.package_paths);
      if (!svg_file.empty()) write_file(svg_file, "--svg", to_svg(picture_of(report), seen));
      write_matrices(document, scenario, problem_file, "--problem",
                     [](const auto& asked) { return stiction::problem_text(stiction::as_bare_problem(asked)); });
      write_matrices(document, scenario, mlcp_file, "--mlcp", stiction::mlcp_text);
      if (!scenario_file.empty()) write_scenario(document, scenario, scenario_file);
      write_result(as_json ? to_json(report) : to_text(report, colours()));
      code = internal::exit_code(report.verdict);
    });
  }
};

/// stiction region
struct RegionCommand {
  ScenarioArguments scenario;
  std::string svg_file, csv_file;

  void add_to(CLI::App& app, int& code)
  {
    CLI::App& region = *app.add_subcommand("region", "Support region of the centre of mass: where it may be held");
    scenario.add_to(region, Asks::kRegion);
    CLI::Option& svg = *region.add_option("--svg", svg_file, "Draws it into this file")->type_name("OUT");
    region.add_option("--csv", csv_file, "Writes the corners of the inner and outer polygons into this file")
        ->type_name("OUT")
        ->excludes(&svg);
    region.footer(
        "Examples:\n"
        "  stiction region scenarios/biped_region.yaml --svg region.svg\n"
        "  stiction region scenarios/biped_region.yaml --csv region.csv --set contacts.left.mu=0.3\n\n"
        "Exit codes: 0 the centre of mass is inside, 1 outside, 3 undecided, 2 bad input or usage.");
    region.callback([this, &code] {
      const internal::ScenarioDocument document = scenario.document();
      for (const auto& [file, option] : {std::pair(&svg_file, "--svg"), std::pair(&csv_file, "--csv")})
        internal::require_none_of(internal::input_files(document, scenario.package_paths), *file, option);
      const stiction::ScenarioReport report = internal::check_document(document, scenario.package_paths);
      if (!svg_file.empty()) write_file(svg_file, "--svg", internal::region_svg(report));
      if (!csv_file.empty()) write_file(csv_file, "--csv", internal::region_csv(report));
      write_result(to_text(report, colours()));
      code = internal::exit_code(report.verdict);
    });
  }
};

/// stiction batch
struct BatchCommand {
  ScenarioArguments scenario;
  internal::BatchArguments arguments;
  std::string shard, plot_file;
  bool quiet = false;

  void add_to(CLI::App& app, int& code)
  {
    arguments.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    CLI::App& batch = *app.add_subcommand("batch", "Answers many rows that each replace entries of one scenario");
    scenario.add_to(batch);
    batch.add_option("--inputs", arguments.inputs, "Rows: .jsonl or .csv")->type_name("ROWS")->required();
    batch.add_option("--out", arguments.out, "Results, in the order of the rows: .jsonl or .csv")
        ->type_name("RESULTS")
        ->required();
    batch.add_option("--threads", arguments.threads, "Worker threads; the results do not depend on it")->type_name("N");
    CLI::Option& part =
        *batch.add_option("--shard", shard, "Only the i-th of n blocks of rows; results put together are those of all")
             ->type_name("i/n");
    batch.add_option("--plot", plot_file, "Also draws verdicts and margins over what the rows change: .svg or .html")
        ->type_name("OUT");
    batch.add_flag("--resume", arguments.resume, "Goes on where an interrupted run ended");
    batch.add_flag("--quiet", quiet, "No progress on standard error");
    batch.footer(
        "Examples:\n"
        "  stiction batch scenario.yaml --inputs rows.jsonl --out results.csv --plot results.svg\n"
        "  stiction batch scenario.yaml --inputs rows.csv --out part3.csv --shard 3/10 --resume --quiet\n\n"
        "Exit codes: 0 every row was answered, 2 some row was bad (it says so, the rest is done) or bad usage.");
    batch.callback([this, &code, &part] {
      if (part.count() > 0) arguments.shard = internal::parse_shard(shard);
      arguments.document = scenario.document();
      arguments.package_paths = scenario.package_paths;
      if (!quiet) arguments.progress = Narrator();
      if (!plot_file.empty()) internal::require_plottable(arguments, plot_file);
      code = internal::run_batch(arguments).bad > 0 ? kBadInput : kOk;
      if (!plot_file.empty()) write_plot(internal::read_batch_plot(arguments), arguments, plot_file);
    });
  }
};

/// stiction track
struct TrackCommand {
  ScenarioArguments scenario;
  internal::TrackArguments arguments;
  std::string plot_file;
  bool quiet = false;

  void add_to(CLI::App& app, int& code)
  {
    internal::BatchArguments& rows = arguments.rows;
    rows.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    CLI::App& track = *app.add_subcommand("track", "Answers every instant of a trajectory, in motion");
    scenario.add_to(track);
    track
        .add_option(
            "--inputs", rows.inputs,
            "Rows: .csv, .jsonl or .npz, with columns time, joints, base.x … base.qw, rate.JOINT, effort.JOINT, "
            "contact.NAME")
        ->type_name("TRAJ")
        ->required();
    track.add_option("--out", rows.out, "Results, in the order of the rows: .jsonl or .csv")
        ->type_name("RESULTS")
        ->required();
    track.add_option("--window", arguments.window, "Rows that velocities and accelerations are fitted to (5)")
        ->type_name("ROWS");
    track
        .add_option("--tolerance", arguments.tolerance,
                    "Velocity at a sticking contact that is taken out, more is an error, m/s (0.02)")
        ->type_name("SPEED");
    track.add_option("--threads", rows.threads, "Worker threads; the results do not depend on it")->type_name("N");
    track.add_option("--plot", plot_file, "Also draws verdicts, margins and contacts over time: .svg or .html")
        ->type_name("OUT");
    track.add_flag("--resume", rows.resume, "Goes on where an interrupted run ended");
    track.add_flag("--quiet", quiet, "No progress on standard error");
    track.footer(
        "Examples:\n"
        "  stiction track scenario.yaml --inputs walk.csv --out walk.out.csv --plot walk.html\n"
        "  stiction track scenario.yaml --inputs walk.npz --out walk.out.jsonl --set options.margins=true --window "
        "9\n\n"
        "Exit codes: 0 holds all the time, 1 fails somewhere, 3 undecided somewhere, 2 some row was bad or bad usage.");
    track.callback([this, &code] {
      arguments.rows.document = scenario.document();
      arguments.rows.package_paths = scenario.package_paths;
      if (!quiet) arguments.rows.progress = Narrator();
      if (!plot_file.empty()) internal::require_plottable(arguments.rows, plot_file);
      const internal::TrackSummary summary = internal::run_track(arguments);
      if (!plot_file.empty()) write_plot(plot_of(summary), arguments.rows, plot_file);
      write_result(summary.text());
      code = summary.exit_code();
    });
  }

  internal::RowPlot plot_of(const internal::TrackSummary& summary) const
  {
    internal::RowPlot plot = internal::read_track_plot(arguments.rows);
    const auto mark = [&](const std::string& what, const internal::TrackSummary::Instant& instant) {
      plot.marks.push_back({instant.time, what + " at " + internal::text(instant.time) + " s: " + instant.summary});
    };
    const auto &worst = summary.worst(), &first = summary.first_failure();
    const bool same = worst && first && worst->id == first->id;
    if (first) mark(same ? "first failure and worst instant" : "first failure", *first);
    if (worst && !same) mark("worst instant", *worst);
    return plot;
  }
};

/// stiction simulate
struct SimulateCommand {
  ScenarioArguments scenario;
  internal::SimulationArguments arguments;
  std::string csv_file, plot_file;
  bool as_json = false;

  void add_to(CLI::App& app, int& code)
  {
    CLI::App& simulate = *app.add_subcommand("simulate", "What happens next: the motion from a scenario's state");
    scenario.add_to(simulate, Asks::kMotion);
    simulate.add_option("--for", arguments.seconds, "How long, s")->type_name("SECONDS")->required();
    simulate.add_option("--step", arguments.options.step, "Length of a step, s (0.001)")->type_name("S");
    simulate.add_option("--csv", csv_file, "Also writes a row per step: places, energies, contacts")->type_name("OUT");
    simulate.add_option("--plot", plot_file, "Also draws speeds, energies and contacts over time: .svg or .html")
        ->type_name("OUT");
    simulate.add_flag("--json", as_json, "Everything as JSON: events, and states, forces and energies of every step");
    simulate.footer(
        "Examples:\n"
        "  stiction simulate scenarios/block_tips.yaml --for 1.5\n"
        "  stiction simulate scenarios/ball_down_slope.yaml --for 1 --csv ball.csv\n\n"
        "Exit codes: 0 done, 3 it ended early (no solution, or several), 2 bad input or usage.");
    simulate.callback([this, &code] {
      arguments.document = scenario.document();
      arguments.package_paths = scenario.package_paths;
      const std::vector<std::string> inputs = internal::input_files(arguments.document, scenario.package_paths);
      for (const auto& [file, option] : {std::pair(&csv_file, "--csv"), std::pair(&plot_file, "--plot")})
        internal::require_none_of(inputs, *file, option);
      if (!plot_file.empty()) internal::require_plot_name(plot_file);
      const stiction::Simulation simulation = internal::simulate_document(arguments);
      if (!csv_file.empty()) write_file(csv_file, "--csv", to_csv(simulation));
      if (!plot_file.empty())
        write_file(plot_file, "--plot", plot_text(internal::simulation_plot(simulation), plot_file));
      write_result(as_json ? to_json(simulation) : to_text(simulation));
      code = internal::exit_code(simulation);
    });
  }
};

/// stiction verify
struct VerifyCommand {
  std::string report_file;
  ScenarioArguments scenario;
  bool exact = false;

  void add_to(CLI::App& app, int& code)
  {
    CLI::App& verify =
        *app.add_subcommand("verify", "Re-checks a report's proof from its own numbers, without any solver");
    verify.add_option("REPORT.json", report_file, "What `stiction check --json` wrote; - reads standard input")
        ->required();
    scenario.add_to(verify, Asks::kReport);
    verify.add_flag("--exact", exact, "Also judge the proof in rational arithmetic");
    verify.footer(
        "Examples:\n"
        "  stiction check scenario.yaml --json | stiction verify -\n"
        "  stiction verify report.json --scenario scenario.yaml --exact\n\n"
        "Exit codes: 0 the proof is valid, 1 it is not, 2 not a report.");
    verify.callback([this, &code] {
      const ScenarioArguments& about = scenario;
      if (about.file.empty() && !(about.sets.empty() && about.package_paths.empty()))
        throw stiction::InputError("--scenario", "want the scenario that --set and --package-path are about, got none");
      const std::string text = internal::read_report_file(report_file == "-" ? "/dev/stdin" : report_file);
      const stiction::Verification result =
          about.file.empty()
              ? stiction::verify_report(text, report_file)
              : stiction::verify_report(text, report_file, about.file, about.overrides(), about.package_paths);
      stiction::ExactJudgement judged{true, ""};
      if (exact && result.valid) judged = stiction::judge_exactly(text);
      std::string said = internal::verification_text(result);
      if (!judged.message.empty())
        said = (judged.valid ? "exact: " : "NOT VALID: exact: ") + judged.message + "\n" + said;
      write_result(said);
      code = result.valid && judged.valid ? kOk : kNo;
    });
  }
};

/// stiction new
struct NewCommand {
  internal::NewScenario wanted;

  void add_to(CLI::App& app)
  {
    CLI::App& fresh =
        *app.add_subcommand("new", "Writes a scenario of a robot on the ground, with comments, that can be checked");
    fresh.add_option("ROBOT.urdf", wanted.urdf, "The robot's URDF file, package://… or robot_descriptions:NAME")
        ->required();
    fresh.add_option("--ground", wanted.ground, "The ground: 'slope: 10 deg, mu: 0.5'")->type_name("KEYS");
    fresh.add_option("--feet", wanted.feet, "Links that stand on it: FL_foot,FR_foot")
        ->type_name("LINKS")
        ->delimiter(',');
    fresh.add_option("--package-path", wanted.package_paths, "Folder searched for package:// files")
        ->type_name("DIR")
        ->allow_extra_args(false);
    fresh.footer(
        "Examples:\n"
        "  stiction new urdf/biped.urdf > scenario.yaml\n"
        "  stiction new robot_descriptions:go2_description --ground 'slope: 10 deg, mu: 0.5' > scenario.yaml");
    fresh.callback([this] { write_result(internal::new_scenario(wanted)); });
  }
};

/// stiction inspect
struct InspectCommand {
  std::string robot_file;
  std::vector<std::string> package_paths;

  void add_to(CLI::App& app)
  {
    CLI::App& inspect =
        *app.add_subcommand("inspect", "Links, joints, limits, masses of a robot, and what looks wrong");
    inspect.add_option("ROBOT.urdf", robot_file, "The robot's URDF file")->required();
    inspect.add_option("--package-path", package_paths, "Folder searched for package:// files")
        ->type_name("DIR")
        ->allow_extra_args(false);
    inspect.footer("Example:\n  stiction inspect urdf/biped.urdf");
    inspect.callback([this] { write_result(internal::inspect_robot(robot_file, package_paths)); });
  }
};

/// stiction view: the Python package has it, which is asked with the same arguments.
struct ViewCommand {
  void add_to(CLI::App& app)
  {
    CLI::App& view = *app.add_subcommand("view", "Live 3-D view in the browser, with sliders (Python package)");
    view.set_help_flag();  // Python's own
    view.allow_extras();
    view.prefix_command();
    view.callback([&view] { become_python(view.remaining()); });
  }

  [[noreturn]] static void become_python(const std::vector<std::string>& arguments)
  {
    const char* const program = R"(import sys
try:
    from stiction.view.__main__ import main
except ModuleNotFoundError as missing:
    if missing.name != 'stiction' and not (missing.name or '').startswith('stiction.view'): raise
    sys.exit(print("stiction: view: want the Python package stiction[view], which python3 does not find: 'make wheel', "
                   "then pip install 'dist/NAME.whl[view]' in the environment that is active", file=sys.stderr) or 2)
sys.exit(main(sys.argv[1:])))";
    std::vector<const char*> words{"python3", "-c", program};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    words.push_back(nullptr);
    ::execvp(words[0], const_cast<char* const*>(words.data()));
    throw stiction::InputError("view", std::string("want python3 on the PATH, got: ") + std::strerror(errno));
  }
};

int run(int argc, char** argv)
{
  CLI::App app{"Decides whether a grasp or a legged robot holds (all contacts stick), with a proof."};
  app.name("stiction");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  stiction check scenarios/block_tips.yaml --svg block.svg\n"
      "  stiction inspect urdf/biped.urdf\n"
      "  stiction COMMAND --help\n\n"
      "Exit codes: 0 holds (or done), 1 fails, 2 bad input or usage, 3 undecided, 4 a bug of ours.");
  int code = kOk;
  CheckCommand check;
  RegionCommand region;
  BatchCommand batch;
  TrackCommand track;
  SimulateCommand simulate;
  VerifyCommand verify;
  NewCommand fresh;
  InspectCommand inspect;
  ViewCommand view;
  check.add_to(app, code);
  region.add_to(app, code);
  batch.add_to(app, code);
  track.add_to(app, code);
  simulate.add_to(app, code);
  verify.add_to(app, code);
  fresh.add_to(app);
  inspect.add_to(app);
  view.add_to(app);

  for (CLI::App* command : app.get_subcommands({}))
    command->set_version_flag("--version", "stiction " STICTION_VERSION);
  app.set_version_flag("--version", "stiction " STICTION_VERSION);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream said;
      app.exit(error, said, std::cerr);
      write_result(said.str());
      return kOk;
    }
    const std::string unknown = not_understood(app);
    std::fprintf(stderr, "stiction: %s\nTry 'stiction --help'.\n",
                 unknown.empty() ? error.what() : ("not understood: " + unknown).c_str());
    return kBadInput;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const stiction::InputError& error) {
    std::fprintf(stderr, "stiction: %s\n", stiction::internal::printable(error.what()).c_str());
    return kBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stiction: internal error, please report it: %s\n", error.what());
    return kBug;
  }
}
