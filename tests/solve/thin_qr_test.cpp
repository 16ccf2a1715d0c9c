// The thin QR factor keeps Q orthonormal and Q R = A, whatever comes and goes.
#include "solve/thin_qr.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stiction::internal {
namespace {

template <class Rows>
class ThinQrOf : public ::testing::Test {
 protected:
  static constexpr int kFixed = Rows::value;
  static constexpr int kRows = kFixed > 0 ? kFixed : 5;

  ThinQrOf() { qr_.reset(kRows); }

  Eigen::VectorXd draw()
  {
    std::normal_distribution<double> normal;
    return Eigen::VectorXd::NullaryExpr(kRows, [&] { return normal(rng_); });
  }
  bool append(const Eigen::VectorXd& a)
  {
    if (!qr_.append(a.data(), 1e-12)) return false;
    columns_.push_back(a);
    return true;
  }
  Eigen::MatrixXd q() const { return Eigen::Map<const Eigen::MatrixXd>(qr_.q(0), kRows, qr_.size()); }

  void expect_factor(double tolerance = 1e-14) const
  {
    ASSERT_EQ(qr_.size(), static_cast<int>(columns_.size()));
    const auto n = qr_.size();
    EXPECT_LE((q().transpose() * q() - Eigen::MatrixXd::Identity(n, n)).norm(), tolerance);
    for (int j = 0; j < n; ++j) {
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(kRows);
      for (int i = 0; i <= j; ++i) sum += qr_.r(i, j) * q().col(i);
      const Eigen::VectorXd& a = columns_[static_cast<std::size_t>(j)];
      EXPECT_LE((sum - a).norm(), tolerance * a.norm());
    }
  }

  std::mt19937 rng_{3};
  ThinQr<kFixed> qr_;
  std::vector<Eigen::VectorXd> columns_;
};

template <int M>
using RowsOfQr = std::integral_constant<int, M>;
using NumbersOfRows = ::testing::Types<RowsOfQr<3>, RowsOfQr<4>, RowsOfQr<6>, RowsOfQr<7>, RowsOfQr<-1>>;
TYPED_TEST_SUITE(ThinQrOf, NumbersOfRows);

TYPED_TEST(ThinQrOf, FactorsWhatIsAppended)
{
  for (int k = 0; k < this->kRows; ++k) {
    ASSERT_TRUE(this->append(this->draw()));
    this->expect_factor();
  }
  EXPECT_FALSE(this->append(this->draw())) << "there is no room for more";
}

TYPED_TEST(ThinQrOf, StaysOrthonormalForColumnsThatNearlyDependOnEachOther)
{
  const Eigen::VectorXd first = this->draw();
  ASSERT_TRUE(this->append(first));
  for (int k = 1; k < this->kRows; ++k) ASSERT_TRUE(this->append(first + 1e-7 * this->draw()));
  this->expect_factor();
}

TYPED_TEST(ThinQrOf, RefusesDependentColumnsAndStaysAsItWas)
{
  const Eigen::VectorXd a = this->draw(), b = this->draw();
  ASSERT_TRUE(this->append(a));
  ASSERT_TRUE(this->append(b));
  EXPECT_FALSE(this->append(2.0 * a - b));
  this->expect_factor();
  EXPECT_TRUE(this->append(this->draw()));
  this->expect_factor();
}

TYPED_TEST(ThinQrOf, ForgetsAnyColumn)
{
  for (int k = 0; k < this->kRows; ++k) {
    this->qr_.reset(this->kRows);
    this->columns_.clear();
    for (int j = 0; j < this->kRows; ++j) ASSERT_TRUE(this->append(this->draw()));
    this->qr_.remove(k);
    this->columns_.erase(this->columns_.begin() + k);
    this->expect_factor();
    ASSERT_TRUE(this->append(this->draw()));
    this->expect_factor();
  }
}

TYPED_TEST(ThinQrOf, SolvesLeastSquaresAlsoAfterRemovals)
{
  for (int j = 0; j < this->kRows; ++j) ASSERT_TRUE(this->append(this->draw()));
  this->qr_.remove(1);
  this->columns_.erase(this->columns_.begin() + 1);
  const Eigen::VectorXd b = this->draw();
  Eigen::VectorXd rest = b, z = Eigen::VectorXd::Zero(this->kRows);
  this->qr_.project_out(rest.data(), z.data());
  this->qr_.solve(z.data());
  Eigen::VectorXd left = b;
  for (std::size_t j = 0; j < this->columns_.size(); ++j) left -= z[static_cast<Eigen::Index>(j)] * this->columns_[j];
  EXPECT_LE((left - rest).norm(), 1e-12);
  for (const Eigen::VectorXd& a : this->columns_) EXPECT_LE(std::abs(a.dot(rest)), 1e-13);
}

TYPED_TEST(ThinQrOf, TellsTheDirectionOfTinyResiduals)
{
  for (int j = 0; j + 1 < this->kRows; ++j) ASSERT_TRUE(this->append(this->draw()));
  Eigen::VectorXd normal = this->draw(), unused = Eigen::VectorXd::Zero(this->kRows);
  for (int pass = 0; pass < 2; ++pass) this->qr_.project_out(normal.data(), unused.data());
  normal.normalize();
  Eigen::VectorXd rest = this->columns_[0] + 1e-9 * normal, z = Eigen::VectorXd::Zero(this->kRows);
  for (int pass = 0; pass < 2; ++pass) this->qr_.project_out(rest.data(), z.data());
  EXPECT_LE((rest.normalized() - normal).norm(), 1e-6);
  for (const Eigen::VectorXd& a : this->columns_) EXPECT_LE(std::abs(a.dot(rest)), 1e-15 * 1e-9 * 100);
}

}  // namespace
}  // namespace stiction::internal
