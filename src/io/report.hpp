// Pieces of reports that several questions have in common.
#pragma once

#include <string>
#include <vector>

#include "io/question.hpp"

namespace stiction::internal {

inline const char* name_of(Verdict verdict) { return to_string(verdict); }
const char* name_of(ContactState state);
const char* name_of(CertificateKind kind);
const char* name_of(Detachment detachment);

/// The report as JSON without its checksum.
Json report_document(const ScenarioReport& report);
Json inputs_json(const ScenarioReport::Inputs& inputs);
Json detected_json(const std::vector<DetectedContact>& detected);

/// Makes a report undecided that `verify` would refuse.
void refuse(ScenarioReport& report, const std::string& why);

/// Contacts with their forces in the world; `lambda` are all forces.
std::vector<ReportedContact> reported_contacts(const ContactProblem& problem, const std::vector<ContactReport>& found,
                                               const Eigen::VectorXd& lambda);

/// Which end of a margin's interval may be relied on: the one that is proved to hold.
enum class SafeEnd { kLower, kUpper };

/// A proved margin; its state must not be kNotAsked.
ReportedMargin reported_margin(const char* name, const Margin& margin, SafeEnd safe);

/// A number without an interval; none: there is no such number.
ReportedMargin reported_margin(const char* name, const std::optional<double>& value);

/// Which of many admissible forces the table shows.
std::string shown_forces_text(int internal_forces, bool least_friction);

/// A table of contact states, forces and friction in use, below an empty line.
std::string contacts_text(const ContactProblem& problem, const std::vector<ContactReport>& contacts);

/// Force of a contact from its rows of lambda; written out so that every compiler rounds it in the same way.
Eigen::Vector3d contact_force_in_world(const Contact& contact, const double* rows);

/// FNV-1a of the text, as 16 hexadecimal digits: finds accidents, not forgers.
std::string checksum(const std::string& text);

}  // namespace stiction::internal
