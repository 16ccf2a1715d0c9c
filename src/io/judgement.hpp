// How `verify` works: a question's judge reads the certificate of a report, judges it with the proof room alone and
// writes anew what the report may say. The report must then be that document, entry by entry, except where nothing is
// proved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/json.hpp"

namespace stiction::internal {

/// What a certificate proves, and the report that may be made of it.
struct Judgement {
  std::string refused;  ///< why it proves nothing; the rest is then empty
  Verdict verdict = Verdict::kUndecided;
  std::string summary;          ///< as in the report
  bool tells_unproved = false;  ///< the summary has words about entries that are unproved
  std::string proved;           ///< one sentence of `verify`
  Json claims;          ///< the question's own keys of the report; unproved() where the certificate says nothing
  std::string derived;  ///< a key of claims whose numbers come out of inverses and eigenvalues: they may differ by 1e-8
  bool differences = false;  ///< works and velocities: as rounded as what they are differences of
  Json question;             ///< the part of the certificate that says what is asked: the scenario's
  Json proof;                ///< the rest of the certificate

  static Judgement refusal(const std::string& why);
};

/// The refusal of a certificate whose problem, grasp, … `check` throws about; none when it does not.
template <class Check>
std::optional<Judgement> refused_problem(Check&& check, const char* what = "problem")
{
  try {
    check();
  } catch (const NotAReport&) {
    throw;
  } catch (const InputError& error) {
    return Judgement::refusal(std::string("the certificate's ") + what + " is not one: " + error.what());
  }
  return {};
}

/// Stands for an entry of a report that its certificate says nothing about.
Json unproved();

/// Stands for entries besides those of `proved` that are unproved if they are there: for maps with keys that depend on
/// options.
void leave_open(const Json& shown, Json& proved);

/// The same for the interval of each entry of a list: what is proved of it is only that it has the entry's value in it,
/// up to kSolve of the largest value, or is null.
void leave_intervals(const Field& shown, const char* interval, Json& proved, const char* value);

/// Two numbers agree when they differ by at most relative * |wanted| + absolute + of_list * the largest number beside
/// it.
struct Closeness {
  double relative = 0.0, absolute = 0.0, of_list = 0.0;
};

/// Empty unless axes of contacts contradict rows of J: those of a contact with two tangents are, in the columns of a
/// floating base's velocity, its axes in the axes of the base, so that every contact says the same about where the
/// base's axes point.
std::string axes_disagreement(const ContactProblem& problem);

/// Where an entry of a report is.
struct ReportPath {
  std::string text;   ///< "contacts[2].unique"
  std::string every;  ///< one for all entries of a list: "contacts[].unique"

  ReportPath(const char* key) : text(key), every(key) {}
  ReportPath(const std::string& key) : text(key), every(key) {}
  ReportPath below(const std::string& key) const;
  ReportPath at(std::size_t i) const;
};

/// Compares a report with what it should be.
class Comparison {
 public:
  Comparison(std::string shown, std::string wanted) : shown_(std::move(shown)), wanted_(std::move(wanted)) {}

  /// Empty when `shown` is `wanted`, else a sentence about the first difference. Keys may be in any order.
  /// @throws InputError for a key that is missing or too much, or a list that is none.
  std::string difference(const Json& shown, const Json& wanted, const ReportPath& path, Closeness closeness = {});

  /// Paths of what was met that is unproved: "contacts[].unique".
  const std::vector<std::string>& unproved() const { return unproved_; }
  void add_unproved(const Json& shown, const ReportPath& path);
  /// Paths of what was met that is the same, but for a certificate's: "contacts[].state".
  const std::vector<std::string>& agreed() const { return agreed_; }

 private:
  void add_agreed(const ReportPath& path);
  std::string sentence(const Json& shown, const Json& wanted, const std::string& path) const;

  std::string shown_, wanted_;  ///< of the sentence: "the report says", "its certificate proves"
  std::vector<std::string> unproved_, agreed_;
};

}  // namespace stiction::internal
