// The seam between the program and the questions it answers: one file per question fills a QuestionKind and adds it to
// the table in questions.cpp. Everything else (check, batch, verify, the frame of a report) is written once and knows
// no question.
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

class Field;
struct Judgement;
struct Report;

/// A scenario in one posture: what a question is asked about.
struct Situation {
  const Scenario& scenario;
  Scene& scene;
  const SceneState& state;
  const ContactProblem& problem;
};

/// Whether to compute intervals, margins and repairs where the scenario does not say.
enum class Extras { kOnlyIfAsked, kAll };

/// One column of a batch row: a number or a word; neither: there is none, null.
struct RowCell {
  const char* name;
  std::optional<double> number;
  const char* word = nullptr;
};

/// What people read below the verdict and its sentence.
struct AnswerText {
  std::string headline;  ///< behind the verdict, where that alone would be misunderstood; may be empty
  std::string table;     ///< lines; empty or begins with an empty line
  std::vector<std::string> notes;
  std::string advice;  ///< lines, as `table`
};

/// A question and, once asked, its answer. One per thread; may be asked again and again.
class Answer {
 public:
  virtual ~Answer() = default;

  /// Reads what is asked, and no more. @throws InputError when the situation does not suit the question.
  virtual void read(const Situation& situation) = 0;
  /// Reads and answers. @throws InputError as `read`.
  virtual void ask(const Situation& situation, Extras extras) = 0;

  /// What was read: the keys of the certificate that the scenario decides, whatever the answer.
  virtual nlohmann::ordered_json question(const Report& report) const = 0;

  virtual Verdict verdict() const = 0;
  virtual std::string summary() const = 0;  ///< one sentence a person can act on
  virtual int iterations() const = 0;
  virtual std::string second_engine() const { return ""; }  ///< that helped the one that was asked for; empty: none did
  virtual void write_row(std::vector<RowCell>& cells) const = 0;

  /// The question's own keys, between `summary` and `solver`.
  virtual void write_json(const Report& report, nlohmann::ordered_json& json) const = 0;
  virtual AnswerText text(const Report& report) const = 0;
};

struct QuestionKind {
  Question question;
  /// Whether a scenario suits the question, as far as that shows before robots are loaded. @throws InputError
  void (*require)(const Scenario& scenario);
  std::unique_ptr<Answer> (*make)(std::unique_ptr<Engine> engine);
  /// Names of the cells that rows of a batch have, for the header of a CSV file.
  std::vector<std::string> (*columns)(const ScenarioOptions& options);
  /// Judges the certificate of a report that is not undecided, with the proof room alone, and writes what the report
  /// may say.
  /// @throws InputError when it is not a report.
  Judgement (*judge)(const Field& report);
};

/// For QuestionKind::make.
template <typename OneAnswer>
std::unique_ptr<Answer> make_answer(std::unique_ptr<Engine> engine)
{
  return std::make_unique<OneAnswer>(std::move(engine));
}

/// @throws InputError with `path` as the entry, naming the questions that are answered.
const QuestionKind& kind_of(const std::string& question, const std::string& path = "question");

/// For QuestionKind::require: one-way contacts and orthotropic friction belong to the question impact.
void require_plain_contacts(const Scenario& scenario);

/// For QuestionKind::require: plain contacts, and those that already slide belong to other questions.
void require_no_sliding(const Scenario& scenario);

/// For QuestionKind::require: friction cones and detachment are not for questions that have laws of their own to
/// choose.
void require_default_rules(const Scenario& scenario);

/// For Answer::ask of questions that look for no efforts. @throws InputError saying what to write instead of limits.
void require_given_efforts(const Situation& situation);

/// The efforts of models that have given ones, by joint.
std::vector<std::pair<std::string, double>> given_efforts(const Scenario& scenario, const ContactProblem& problem);

}  // namespace stiction::internal
