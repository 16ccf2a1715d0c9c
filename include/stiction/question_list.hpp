#pragma once

/// The list of questions: enumerator and answer (question.hpp), and name in files. A new one is a line here, an answer
/// there and its own files (CONTRIBUTING.md).
// clang-format off
#define STICTION_QUESTIONS(question)  \
  question(AllSticking, all_sticking) \
  question(Equilibrium, equilibrium)  \
  question(Closure, closure)          \
  question(Region, region)            \
  question(Sliding, sliding)          \
  question(Impact, impact)            \
  question(Couplings, couplings)
// clang-format on
