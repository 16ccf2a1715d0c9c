// Problem files: contact problems as matrices (docs/problem.md).
#pragma once

#include "io/document.hpp"
#include "stiction/scenario.hpp"

namespace stiction::internal {

/// Whether a document is a problem file, not a scenario.
bool is_problem(const Entry& root);

/// The same of a text that is not read yet: then it is to be read as JSON.
bool looks_like_json_problem(const std::string& text);

/// Writes out what a file may leave to us, so that paths such as contacts.c3.mu lead somewhere: a table of contacts
/// becomes a list, contacts and closures without a name get one.
void write_out_problem(Entry& root);

/// @throws InputError "file:3:7: path: want …, got …". Sizes are checked before anything of that size is made.
Scenario decode_problem(const Entry& root);

/// For questions about a bare problem: region, pushes and the like need a robot. @throws InputError
void require_matrices_suffice(const Scenario& scenario);

}  // namespace stiction::internal
