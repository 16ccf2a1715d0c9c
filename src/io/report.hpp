#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stiction/scenario.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

/// A checked scenario: what the report says, before it is put into words or JSON.
struct Report {
  std::string name;
  Question question = Question::kAllSticking;
  StickingRules rules;
  std::string solver;
  ContactProblem problem;
  StickingResult result;
  std::vector<std::pair<std::string, double>> efforts;   ///< "model/joint", N m or N
  std::vector<std::string> warnings;
};

const char* name_of(Verdict verdict);
const char* name_of(ContactState state);
const char* name_of(CertificateKind kind);

/// One sentence a person can act on.
std::string summary_of(const StickingResult& result);

/// Whether the result has forces and an acceleration at all: not when the constraints contradict each other, nothing can
/// balance the loads, or the motion could not be computed.
bool has_forces(const StickingResult& result);

/// docs/report.md; ends with a newline. `force_world` is contact_force_in_world below.
std::string report_json(const Report& report);

/// The same for people: at most 80 columns as long as every name fits. Colours are terminal escape sequences.
std::string report_text(const Report& report, bool colours);

/// Force of a contact from its rows of lambda; written out so that every compiler rounds it in the same way.
Eigen::Vector3d contact_force_in_world(const Contact& contact, const double* rows);

/// What `stiction verify` says about a report.
struct Verification {
  bool valid = false;
  std::string message;   ///< one sentence: what was proved, or what is wrong
};

/// Judges the certificate of a JSON report with the proof room alone, and checks that verdict, acceleration and forces of
/// the report are those of the certificate, and its checksum.
/// @throws InputError when it is not a report at all.
Verification verify_report(const std::string& json, const std::string& source);

/// FNV-1a of the text, as 16 hexadecimal digits: finds accidents, not forgers.
std::string checksum(const std::string& text);

}  // namespace stiction::internal
