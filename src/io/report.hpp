#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/question.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

/// What a report was made from, by SHA-256.
struct Inputs {
  struct File {
    std::string sha256;                 ///< of the scenario file as it was read; empty: the scenario is a program's
    std::vector<ScenarioOverride> set;  ///< what replaced entries of it, but for the question, which the report names
  } scenario;
  std::vector<std::pair<std::string, std::string>> urdf;  ///< by model
};

/// A checked scenario: what the report says, before it is put into words or JSON.
struct Report {
  Scenario scenario;
  ContactProblem problem;
  std::unique_ptr<Answer> answer;
  std::vector<std::string> warnings;
  Inputs inputs;
  std::string
      refused;  ///< why `verify` would refuse what was answered, which then counts as undecided; empty: it would not

  Verdict verdict() const { return refused.empty() ? answer->verdict() : Verdict::kUndecided; }
  std::string summary() const
  {
    return refused.empty() ? answer->summary() : "undecided: the proof does not stand as it is written: " + refused;
  }
};

inline const char* name_of(Verdict verdict) { return to_string(verdict); }
const char* name_of(ContactState state);
const char* name_of(CertificateKind kind);

/// docs/all_sticking.md; ends with a newline.
std::string report_json(const Report& report);

/// The same without its checksum.
nlohmann::ordered_json report_document(const Report& report);
nlohmann::ordered_json inputs_json(const Inputs& inputs);

/// The same for people: at most 80 columns as long as every name fits. Colours are terminal escape sequences.
std::string report_text(const Report& report, bool colours);

/// A table of contact states, forces and friction in use, below an empty line.
std::string contacts_text(const ContactProblem& problem, const std::vector<ContactReport>& contacts);

/// Force of a contact from its rows of lambda; written out so that every compiler rounds it in the same way.
Eigen::Vector3d contact_force_in_world(const Contact& contact, const double* rows);

/// FNV-1a of the text, as 16 hexadecimal digits: finds accidents, not forgers.
std::string checksum(const std::string& text);

}  // namespace stiction::internal
