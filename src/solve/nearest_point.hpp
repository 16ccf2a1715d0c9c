#pragma once

#include <vector>

#include "solve/thin_qr.hpp"
#include "stiction/cone_program.hpp"
#include "stiction/stop.hpp"

namespace stiction::internal {

/// min |E x - e|  over  cones x boxes x free, by non-negative least squares whose columns are rays of the cones,
/// generated when needed: the best ray of each cone for the residual has a closed form (support()), so exact cones and
/// polygons of any number of facets cost the same. Bounded variables are columns with an upper bound (Lawson-Hanson
/// with bounds).
///
/// The caller scales rows and columns. By optimality the residual r is a separating direction: r'E x <= 0 on every
/// cone.
class NearestPoint {
  inline static const std::vector<BoxVariable> kNoBoxes;
  inline static const std::vector<int> kNoFree;
  inline static const StopCheck kNeverStop;

 public:
  enum class Stop {
    kReached,    ///< the residual is rounding
    kSeparated,  ///< no ray improves, or `separates` became true: y is a certificate up to rounding
    kStagnated,  ///< rounding stopped the descent before either
    kPaused,     ///< the best score fell below `pause_score`: a good moment to supply an interior dual and resume()
    kIterations
  };

  /// Data of one problem; pointers must outlive run().
  struct Data {
    int m = 0;
    const double* E = nullptr;  ///< m x n, column-major
    const double* e = nullptr;  ///< m
    int n = 0;
    const std::vector<ConeBlock>* cones = nullptr;
    const std::vector<BoxVariable>* boxes = &kNoBoxes;
    const std::vector<int>* free = &kNoFree;
    const StopCheck* stop = &kNeverStop;
  };

  Stop run(const Data& data, double pause_score);
  Stop resume(double pause_score);

  /// The problem of the last run with another e, from its last columns; an interior dual stays offered.
  Stop run_again(const double* e, double pause_score);

  /// Offers a direction d >= 0 on every ray and > 0 on those that the residual violates: it lets a nearly optimal
  /// residual be repaired into a strict certificate r - t d long before it is optimal (spec section 6). Where d is not
  /// positive enough it is simply of no use. The pointer must outlive the run. True when d is positive on every ray.
  bool offer_interior_dual(const double* d);

  /// Support of the current residual on cone i, the amount by which it fails to be a certificate.
  double violation(size_t i) const { return value_[i]; }

  const std::vector<double>& x() const { return x_; }  ///< n
  const std::vector<double>& y() const { return y_; }  ///< m; residual e - E x, or the repaired certificate
  const std::vector<double>& residual() const { return r_; }
  double residual_norm() const { return residual_norm_; }
  int iterations() const { return iterations_; }

 private:
  struct Column {
    int cone = -1;  ///< index into cones, or -1
    int box = -1;   ///< index into boxes, or -1
    double ray[4] = {0, 0, 0, 0};
    double upper = 0.0;
  };

  template <int M>
  void start(ThinQr<M>& qr);
  template <int M>
  void set_target();
  template <int M>
  void restart(ThinQr<M>& qr);
  template <int M>
  void settle(ThinQr<M>& qr);
  template <int M>
  Stop descend(ThinQr<M>& qr);
  template <int M>
  void residual(const ThinQr<M>& qr);
  template <int M>
  void residual_after_append(const ThinQr<M>& qr);
  template <int M>
  double price(Column& best);
  template <int M>
  void drop(ThinQr<M>& qr, int k);
  template <int M>
  bool separates(const ThinQr<M>& qr);
  template <int M>
  void finish(ThinQr<M>& qr, bool refine);
  void drop_noise();
  void put_back(bool refined);
  template <int M>
  void sum_rows();
  template <int M>
  bool offer_rows(const double* d);
  template <int M>
  void write_column(const Column& column, double* a) const;

  Data data_;
  ThinQr<3> qr3_;  // the plane, and one dimension more for repairs
  ThinQr<4> qr4_;
  ThinQr<6> qr6_;  // space
  ThinQr<7> qr7_;
  ThinQr<-1> qr_;
  std::vector<Column> passive_;       ///< after the free columns
  std::vector<int> free_used_;        ///< independent free columns, first in the factor
  std::vector<double> c_, step_, z_;  ///< coefficients of the columns in the factor, candidate, Q'e
  std::vector<double> columns_;       ///< m x passive, scaled columns, for refinement
  std::vector<double> target_;        ///< e minus the boxes that sit at a bound
  std::vector<double> r_, work_, x_, y_;
  std::vector<double> weight_;  ///< 1 / size of each cone's columns
  std::vector<double> value_;   ///< support of the residual on each cone
  std::vector<double> slope_;   ///< -support of -d on each cone: how strictly d is positive
  bool all_round_ = false;      ///< FrictionCone::round() of all cones
  enum class Place : char { kLower, kUpper, kPassive };
  std::vector<Place> place_;  ///< per box
  const double* interior_dual_ = nullptr;
  Column entering_;  ///< the best one for the residual, once priced_
  double score_ = 0.0;
  bool priced_ = false;
  double pause_score_ = 0.0;
  double e_norm_ = 0.0;
  double residual_norm_ = 0.0;
  int iterations_ = 0;
};

}  // namespace stiction::internal
