// Pieces of reports that several questions write and `verify` reads back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/question.hpp"
#include "stiction/error.hpp"
#include "stiction/sticking.hpp"

namespace stiction::internal {

/// Infinite numbers are the texts "inf" and "-inf".
Json json(double value);
Json json(const Eigen::VectorXd& values);
Json json(const Eigen::MatrixXd& matrix);
Json json(const ContactProblem::SparseMatrix& matrix);  ///< triplets, row by row

/// {"robot/base": [6], "robot/left_knee": 0.1}: a list for a joint with several degrees of freedom.
Json by_joint(const ContactProblem& problem, const Eigen::VectorXd& values);

/// Entries of `contacts` of the problem that their forces belong to.
Json contacts_json(const ContactProblem& problem, const std::vector<ReportedContact>& contacts);

/// {"robot/left_knee": 3.1}
Json efforts_json(const std::vector<ReportedEffort>& efforts);

/// {"friction_scale": 0.6, "intervals": {"friction_scale": [0.59, 0.6]}}: null where there is no such number; of what
/// is undecided there is only an interval.
Json margins_json(const std::vector<ReportedMargin>& margins);

/// Contacts as a certificate proves them, without intervals: that of each is null. Uniqueness is not proved.
Json proved_contacts_json(const ContactProblem& problem, const std::vector<ContactReport>& found,
                          const Eigen::VectorXd& lambda);

Json cone_json(const ConeShape& shape);
Json problem_json(const ContactProblem& problem);
Json leaf_json(const MotionLeaf& leaf);

/// What a certificate claims, without its kind: a, lambda, leaves.
void write_certificate(const Certificate& certificate, Json& entry);

/// The same with its kind and, where contacts are free to leave, those that do and the modes that are refuted.
void write_proof(Detachment detachment, const Certificate& certificate, Json& entry);

/// What was read is no report, whatever it says: unlike a report about a problem that is none.
class NotAReport : public InputError {
 public:
  using InputError::InputError;
};

/// One entry of a report that is read, and its path for messages. Reading what is not there throws NotAReport.
class Field {
 public:
  Field(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  Field operator[](const char* key) const;
  Field operator[](std::size_t i) const;
  Field operator[](int i) const { return (*this)[static_cast<std::size_t>(i)]; }  // or a literal 0 might be a key
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  bool is_null() const { return json_.is_null(); }
  bool is_object() const { return json_.is_object(); }
  std::size_t size() const;  ///< of a list

  double number() const;
  int integer() const;
  bool boolean() const;
  std::string text() const;
  Eigen::VectorXd vector() const;
  Eigen::VectorXd vector(Eigen::Index entries) const;  ///< of this size
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index cols) const;
  ContactProblem::SparseMatrix sparse_matrix(Eigen::Index rows, Eigen::Index cols) const;
  std::vector<int> integers() const;
  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }

  [[noreturn]] void fail(const std::string& want) const;

 private:
  const Json& json_;
  std::string path_;
};

ConeShape read_cone(const Field& field);
/// Degrees of freedom with their joints and the names that these have; otherwise not validated.
ContactProblem read_problem(const Field& field);
MotionLeaf read_leaf(const Field& field);
Certificate read_certificate(const Field& field);  ///< with its kind
Certificate read_proof(const Field& field, Detachment detachment);

}  // namespace stiction::internal
