#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/question.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

/// A checked scenario: what the report says, before it is put into words or JSON.
struct Report {
  Scenario scenario;
  ContactProblem problem;
  std::unique_ptr<Answer> answer;
  std::vector<std::string> warnings;

  Verdict verdict() const { return answer->verdict(); }
};

const char* name_of(Verdict verdict);
const char* name_of(ContactState state);
const char* name_of(CertificateKind kind);

/// docs/all_sticking.md; ends with a newline.
std::string report_json(const Report& report);

/// The same for people: at most 80 columns as long as every name fits. Colours are terminal escape sequences.
std::string report_text(const Report& report, bool colours);

/// A table of contact states, forces and friction in use, below an empty line.
std::string contacts_text(const ContactProblem& problem, const std::vector<ContactReport>& contacts);

/// Force of a contact from its rows of lambda; written out so that every compiler rounds it in the same way.
Eigen::Vector3d contact_force_in_world(const Contact& contact, const double* rows);

/// FNV-1a of the text, as 16 hexadecimal digits: finds accidents, not forgers.
std::string checksum(const std::string& text);

}  // namespace stiction::internal
