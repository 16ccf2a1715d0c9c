// The seam between the program and the questions it answers: the strip of a question is <question>_answer.cpp, which
// asks, <question>_json.cpp and <question>_text.cpp, which spell, and its QuestionKind, which the table in
// questions.cpp finds by its name. Everything else (check, batch, verify, the frame of a report) is written once and
// knows no question.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stiction/engine.hpp"
#include "stiction/proof.hpp"
#include "stiction/report.hpp"

namespace stiction::internal {

using Json = nlohmann::ordered_json;

class Field;
struct Judgement;

/// A scenario in one posture: what a question is asked about.
struct Situation {
  const Scenario& scenario;
  Scene* robots;  ///< null for a bare problem: there are matrices only
  const SceneState& state;
  const ContactProblem& problem;

  /// For what matrices do not answer (require_matrices_suffice has refused it before).
  Scene& scene() const;
  /// In `scenario.contact_motions`.
  const ContactMotion& motion_of(std::size_t contact) const;
  /// stiction::require_rest
  void require_rest(const std::vector<bool>& slides = {}) const;
};

/// Whether to compute intervals, margins and repairs where the scenario does not say.
enum class Extras { kOnlyIfAsked, kAll };

/// One column of a batch row: a number or a word; neither: there is none, null.
struct RowCell {
  const char* name;
  std::optional<double> number;
  std::string word = {};
};

/// What people read below the verdict and its sentence.
struct AnswerText {
  std::string outcome;  ///< what `holds` or `fails` means for this question: "STICKS"; not read where undecided
  std::string table;    ///< lines; empty or begins with an empty line
  std::vector<std::string> notes;
  /// Those of the notes that a drawing needs: which forces are shown, how far the verdict is from turning.
  std::vector<std::string> captions;
  const char* remedy = "what would make it hold, each by itself";
  std::vector<std::string> remedies;  ///< each by itself
  std::string details;                ///< lines, as `table`

  void caption(std::string words)
  {
    captions.push_back(words);
    notes.push_back(std::move(words));
  }
};

/// Asks a question, again and again, with memory for it. One per thread.
class Asker {
 public:
  virtual ~Asker() = default;

  /// Reads what is asked, and no more. @throws InputError when the situation does not suit the question.
  virtual void read(const Situation& situation) = 0;
  /// Reads and answers. @throws InputError as `read`.
  virtual void ask(const Situation& situation, Extras extras) = 0;

  virtual Verdict verdict() const = 0;
  virtual std::string summary() const = 0;  ///< one sentence a person can act on
  virtual void write_row(std::vector<RowCell>& cells) const = 0;
  /// What is nearest to giving way, or does: cells of a trajectory's row, those of culprit_columns. Only of questions
  /// that trajectories ask.
  virtual void write_culprit(const ContactProblem& problem, std::vector<RowCell>& cells) const;

  /// Moves the answer to the report of the situation's scenario and problem, with the contacts, efforts and margins in
  /// it.
  virtual void move_to(ScenarioReport& report) = 0;
};

/// What the program knows about a question.
struct QuestionKind {
  /// Whether a scenario suits the question, as far as that shows before robots are loaded. @throws InputError
  void (*require)(const Scenario& scenario);
  std::unique_ptr<Asker> (*make)(std::unique_ptr<Engine> engine);
  /// Names of the cells that rows of a batch have, for the header of a CSV file.
  std::vector<std::string> (*columns)(const ScenarioOptions& options);

  /// What was read: the keys of the certificate that the scenario decides, whatever the answer.
  Json (*asked_json)(const ScenarioReport& report);
  /// The question's own keys, between `summary` and `solver`.
  void (*write_json)(const ScenarioReport& report, Json& json);
  AnswerText (*text)(const ScenarioReport& report);

  /// Judges the certificate of a report that is not undecided, with the proof room alone, and writes what the report
  /// may say.
  /// @throws InputError when it is not a report.
  Judgement (*judge)(const Field& report);

  /// Rows of contacts and closures and degrees of freedom, together, that are answered within seconds and a gigabyte
  /// (docs/limits.md).
  Eigen::Index most_equations;
  bool needs_mass = true;              ///< a problem file must have M, not only with an acceleration a
  const char* needs_robots = nullptr;  ///< why no problem file can ask it; null: it can
};

/// For QuestionKind::make.
template <typename OneAsker>
std::unique_ptr<Asker> make_asker(std::unique_ptr<Engine> engine)
{
  return std::make_unique<OneAsker>(std::move(engine));
}

/// "STICKS (holds)", "UNDECIDED": what an answer is called in one line.
std::string headline_of(Verdict verdict, const AnswerText& text);

const QuestionKind& kind_of(Question question);

/// For Asker::write_culprit: `cause` and `culprit` of a failing case, else the contact nearest to slipping.
void write_culprit_cells(const ContactProblem& problem, const StickingRules& rules, Verdict verdict,
                         const Certificate& certificate, const Failure& failure,
                         const std::vector<ContactReport>& contacts, std::vector<RowCell>& cells);
/// For Asker::write_culprit: the joint with the largest share of its effort limit; of joints without one, the largest
/// effort.
struct JointEffort {
  std::string joint;
  double effort = 0.0, lower = -kInfinity, upper = kInfinity;
};
void write_worst_joint(const std::vector<JointEffort>& efforts, std::vector<RowCell>& cells);
/// Names of the cells that both write.
std::vector<std::string> culprit_columns();

/// For QuestionKind::require: one-way contacts and orthotropic friction belong to the question impact.
void require_plain_contacts(const Scenario& scenario);

/// For QuestionKind::require: plain contacts, and those that already slide belong to other questions.
void require_no_sliding(const Scenario& scenario);

/// For QuestionKind::require: friction cones and detachment are not for questions that have laws of their own to
/// choose.
void require_default_rules(const Scenario& scenario);

/// For Asker::ask of questions that look for no efforts. @throws InputError saying what to write instead of limits.
void require_given_efforts(const Situation& situation);

/// The efforts of models that have given ones, by joint.
std::vector<ReportedEffort> given_efforts(const Scenario& scenario, const ContactProblem& problem);

}  // namespace stiction::internal
