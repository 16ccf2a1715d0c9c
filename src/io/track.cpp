#include "io/track.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "io/row_answerer.hpp"
#include "io/row_run.hpp"
#include "io/track_columns.hpp"
#include "stiction/trajectory.hpp"

namespace stiction::internal {
namespace {

/// A row with everything that neighbours need of it.
struct TrackRow {
  std::string id, error;  ///< error: why it is no row
  bool timed = false;     ///< its time is known
  TrackChanges given;
  Scenario plain;
  std::vector<char> detected;  ///< per contact of it: collision shapes found it
  SceneState state;
};

class TrackRows final : public ChunkAnswerer {
 public:
  explicit TrackRows(const TrackArguments& arguments)
      : neighbours_(static_cast<std::size_t>(arguments.window / 2)),
        tolerance_(arguments.tolerance),
        answerer_(arguments.rows.document, arguments.rows.package_paths),
        columns_(arguments.rows.document, arguments.rows.document.decode(), dofs())
  {
  }

  std::unique_ptr<ChunkAnswerer> clone() const override { return std::make_unique<TrackRows>(*this); }
  std::vector<std::pair<std::string, std::string>> input_hashes() const override { return answerer_.input_hashes(); }

  std::vector<std::string> columns() const override
  {
    std::vector<std::string> names = {"time", "contacts"};
    for (const auto& more : {answerer_.columns(), culprit_columns()})
      names.insert(names.end(), more.begin(), more.end());
    names.insert(names.end(), {"correction_speed", "correction_acceleration"});
    return names;
  }

  void answer(const RowReader& reader, const OutputFormat& format, Chunk& chunk) override
  {
    rows_.assign(chunk.lines.size(), {});
    for (std::size_t i = 0; i < rows_.size(); ++i) read(reader, chunk.lines[i], rows_[i]);
    RowAnswer answer;
    for (std::size_t i = chunk.before; i < rows_.size() - chunk.after; ++i) {
      try {
        if (!rows_[i].error.empty()) throw InputError("", rows_[i].error);
        answer_row(i, answer);
        chunk.output += format.row(rows_[i].id, answer);
      } catch (const InputError& error) {
        ++chunk.bad;
        chunk.output += format.error(rows_[i].id, chunk.lines[i].line, error.what());
      }
    }
  }

 private:
  std::vector<Dof> dofs()
  {
    const Scenario scenario = answerer_.decode({});
    if (scenario.bare) throw InputError("SCENARIO", "want a scenario with robots, got a problem file");
    const Question question = scenario.question;
    if (question != Question::kEquilibrium && question != Question::kAllSticking && question != Question::kRegion)
      throw InputError("question", "want equilibrium, all_sticking or region for a trajectory, got " +
                                       std::string(stiction::name_of(question)));
    return Scene(answerer_.answerer().plain(scenario).scenario.scene).compute().dofs;
  }

  void read(const RowReader& reader, const InputLine& line, TrackRow& row)
  {
    BatchRow raw;
    try {
      try {
        reader.parse(line, raw);
      } catch (...) {
        row.id = raw.id;
        throw;
      }
      row.id = raw.id;
      row.given = columns_.translate(raw);
      if (!std::isfinite(row.given.time)) throw InputError("time", "want a finite number, got " + text(row.given.time));
      row.timed = true;
      const Scenario& asked = answerer_.decode(raw);
      const PlainScenario& plain = answerer_.answerer().plain(asked);
      row.plain = plain.scenario;
      for (std::size_t i = 0; i < row.plain.scene.contacts.size(); ++i)
        row.detected.push_back(!plain.sources.empty() &&
                               asked.scene.contacts[static_cast<std::size_t>(plain.sources[i])].detect.has_value());
      row.state = answerer_.answerer().state_of(row.plain);
    } catch (const InputError& error) {
      row.error = error.what();
    }
  }

  /// Whether rows i and k belong to one piece of the trajectory that i and k = i ± 1 begin.
  bool continues(std::size_t i, std::size_t k, bool same_contacts) const
  {
    const TrackRow &before = rows_[std::min(i, k)], &after = rows_[std::max(i, k)];
    return before.error.empty() && after.error.empty() && after.given.time > before.given.time &&
           before.given.rates == after.given.rates && before.given.accelerations == after.given.accelerations &&
           (!same_contacts || before.given.schedule == after.given.schedule);
  }

  /// Rows first to last around i that a polynomial may be fitted to: as many as the window has, also at the ends.
  std::pair<std::size_t, std::size_t> window(std::size_t i) const
  {
    const std::size_t all = 2 * neighbours_;
    std::size_t first = i, last = i;
    for (const bool same_contacts : {true, false}) {  // contacts that change may let velocities jump
      for (first = i; first > 0 && i - first < all && continues(first, first - 1, same_contacts);) --first;
      for (last = i; last + 1 < rows_.size() && last - i < all && continues(last, last + 1, same_contacts);) ++last;
      if (last - first >= 2) break;
    }
    const std::size_t left = std::min(i - first, neighbours_), right = std::min(last - i, neighbours_);
    return {i - std::min(i - first, all - right), i + std::min(last - i, all - left)};
  }

  MeasuredMotion motion_of(std::size_t i)
  {
    const auto [first, last] = window(i);
    const TrackRow& row = rows_[i];
    MeasuredMotion motion{row.state.v, row.state.a, tolerance_};
    motion.span = 0.5 * (rows_[last].given.time - rows_[first].given.time);
    if (row.given.rates && row.given.accelerations) return motion;
    if (last - first < 2)
      throw InputError("time", "want three rows in a row to difference, or rates and accelerations, got " +
                                   std::to_string(last - first + 1));
    std::vector<double> times;
    std::vector<Eigen::VectorXd> samples;
    for (std::size_t k = first; k <= last; ++k) {
      times.push_back(rows_[k].given.time);
      samples.push_back(row.given.rates ? rows_[k].state.v : rows_[k].state.q);
    }
    if (row.given.rates) {
      fit_acceleration(times, samples, i - first, motion.a);
    } else {
      fit_motion(answerer_.answerer().scene(), times, samples, i - first, motion.v, motion.a);
      if (row.given.accelerations) motion.a = row.state.a;
    }
    return motion;
  }

  void answer_row(std::size_t i, RowAnswer& answer)
  {
    TrackRow& row = rows_[i];
    if (i > 0 && rows_[i - 1].timed && !(row.given.time > rows_[i - 1].given.time))
      throw InputError(
          "time", "want times that increase, got " + text(row.given.time) + " after " + text(rows_[i - 1].given.time));
    MeasuredMotion motion = motion_of(i);
    ScenarioAnswerer& answerer = answerer_.answerer();
    answerer.leave_out_moving(row.detected, motion, row.plain);
    const Asker& asked = answerer.ask_plain(row.plain, &motion);
    RowAnswerer::write(asked, answer);
    answer.cells.insert(answer.cells.begin(), {{"time", row.given.time},
                                               {"contacts", static_cast<double>(answerer.problem().contacts.size())}});
    asked.write_culprit(answerer.problem(), answer.cells);
    answer.cells.push_back({"correction_speed", motion.correction.speed});
    answer.cells.push_back({"correction_acceleration", motion.correction.acceleration});
  }

  std::size_t neighbours_;
  double tolerance_;
  RowAnswerer answerer_;
  TrackColumns columns_;
  std::vector<TrackRow> rows_;
};

}  // namespace

TrackSummary run_track(const TrackArguments& arguments)
{
  if (arguments.window < 3 || arguments.window > 101 || arguments.window % 2 == 0)
    throw InputError("--window", "want an odd number of rows, 3 to 101, got " + std::to_string(arguments.window));
  if (!(arguments.tolerance >= 0.0))
    throw InputError("--tolerance", "want a velocity >= 0 in m/s, got " + text(arguments.tolerance));
  BatchArguments rows = arguments.rows;
  rows.settings = "window " + std::to_string(arguments.window) + ", tolerance " + text(arguments.tolerance);
  const RowFormat inputs = rows.inputs.ends_with(".npz") ? RowFormat::kNpz : text_format_of(rows.inputs, "--inputs");
  std::optional<TrackSummary> summary;
  const auto make = [&](const RowReader&) {
    auto answerer = std::make_unique<TrackRows>(arguments);
    summary.emplace(text_format_of(rows.out, "--out"), answerer->columns());
    return answerer;
  };
  run_rows({rows, inputs, static_cast<std::size_t>(arguments.window - 1), make,
            [&](const std::string& line) { summary->add(line); }});
  return *summary;
}

}  // namespace stiction::internal
