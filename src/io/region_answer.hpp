#pragma once

#include "io/question.hpp"
#include "stiction/region.hpp"

namespace stiction::internal {

/// The question region: where may the centre of mass go? (docs/region.md)
class RegionAnswer final : public Answer {
 public:
  explicit RegionAnswer(std::unique_ptr<Engine> engine) : checker_(std::move(engine)) {}

  void read(const Situation& situation) override;
  void ask(const Situation& situation, Extras extras) override;
  nlohmann::ordered_json question(const Report& report) const override;

  Verdict verdict() const override { return result_.verdict; }
  int iterations() const override { return result_.iterations; }
  std::string summary() const override;
  void write_row(std::vector<RowCell>& cells) const override;
  void write_json(const Report& report, nlohmann::ordered_json& json) const override;
  AnswerText text(const Report& report) const override;

  const RegionResult& result() const { return result_; }
  const Eigen::Vector2d& position() const { return input_.position; }
  const std::string& model() const { return model_; }

 private:
  RegionChecker checker_;
  RegionResult result_;
  std::string model_;  ///< whose centre of mass moves
  RegionInput input_;
};

}  // namespace stiction::internal
