#pragma once

#include <memory>
#include <string_view>

#include "stiction/cone_program.hpp"
#include "stiction/contact_problem.hpp"
#include "stiction/stop.hpp"

namespace stiction {

/// Gauss' principle (QP-G):  min ½ a'M a + F'a   s.t.  Je a + ge = 0,  Ju a + gu >= 0,  M positive semidefinite.
/// Its KKT system is the contact problem without friction cones.
struct GaussProgram {
  Eigen::MatrixXd M;
  Eigen::VectorXd F;
  Eigen::MatrixXd Je;
  Eigen::VectorXd ge;
  Eigen::MatrixXd Ju;
  Eigen::VectorXd gu;
};

enum class GaussOutcome {
  kNotRun,
  kSolved,
  kContradiction,  ///< no a satisfies the constraints; `multipliers` is a Farkas vector: J'y = 0, yu >= 0, gamma'y < 0
  kUnbalanced,     ///< unbounded below; `a` is a direction with M a = 0, Je a = 0, Ju a >= 0, F'a < 0
  kIterationLimit,
  kNumericalFailure
};

struct GaussAnswer {
  GaussOutcome outcome = GaussOutcome::kNotRun;
  Eigen::VectorXd a;         ///< solution, or the direction of kUnbalanced
  Eigen::VectorXd lambda_e;  ///< M a + F = Je' lambda_e + Ju' lambda_u, or the Farkas vector of kContradiction
  Eigen::VectorXd lambda_u;
  int iterations = 0;
};

/// A numerical engine with its workspace: one per thread. It finds, the proof room judges. Each engine alone answers
/// every question. After the first call of a given size the native engine allocates nothing.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;  ///< for people: what callers have to know is said by what follows
  /// One of the same make, with a workspace of its own.
  virtual std::unique_ptr<Engine> fresh() const = 0;
  /// Whom to ask where this one leaves a question open: an engine that shares no method with it. The native one, unless
  /// overridden.
  virtual std::unique_ptr<Engine> second_opinion() const;
  /// Whether callers may settle clear cases by quicker means of their own, as closure does by Newton's method. Whoever
  /// chose an engine to compare with wants to hear from it.
  virtual bool may_be_bypassed() const { return false; }
  virtual void decide(const ConeProgram& program, ConeAnswer& answer) = 0;
  /// decide() for a program that often differs from the one before in e only: the engine may continue from its last
  /// answer where that is so, which it checks itself. The answer then depends on the sequence.
  virtual void decide_next(const ConeProgram& program, ConeAnswer& answer) { decide(program, answer); }
  /// What is decided next does not depend on anything decided before.
  virtual void forget() {}
  virtual void gauss(const GaussProgram& program, GaussAnswer& answer) = 0;

  /// Asked before every decision and during long ones; which then throw Stopped and leave no answer.
  virtual void set_stop(StopCheck stop) { stop_ = std::move(stop); }
  const StopCheck& stop_check() const { return stop_; }

 private:
  StopCheck stop_;
};

/// Non-negative least squares over the cones with column generation; exact cones cost no more than facets.
std::unique_ptr<Engine> make_native_engine();

/// Facets by qpOASES (the QP behind (57), over all multipliers), refined for exact cones; for comparison.
std::unique_ptr<Engine> make_qpoases_engine();

/// Interior points on sparse algebra, exact cones: for many bodies, about linear in their number. It decides what is
/// clear of the boundary, and most of what is on it; it may leave degenerate programs undecided, and allocates.
std::unique_ptr<Engine> make_sparse_engine();

/// "native" (also "auto"), "sparse" or "qpoases". @throws InputError otherwise.
std::unique_ptr<Engine> make_engine(std::string_view name);

/// `other`, which from now on stops where `first` does.
std::unique_ptr<Engine> stopping_with(const Engine& first, std::unique_ptr<Engine> other);

}  // namespace stiction
