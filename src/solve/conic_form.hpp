#pragma once

#include "solve/interior_point.hpp"
#include "stiction/cone_program.hpp"

namespace stiction::internal {

/// A cone program as a conic form: x = map x' + map_free w' + shift, rows and columns scaled by powers of two. Friction
/// disks are cones of three numbers, polygons and intervals combinations of their generators, a soft finger the sum of
/// the forces at both ends of its twist.
struct ConeProgramForm {
  ConicForm form;
  Eigen::SparseMatrix<double> map, map_free;
  Eigen::VectorXd shift;
  std::vector<int> row_of;    ///< row of the program per row of the form; -1: the width of a box
  Eigen::VectorXd row_scale;  ///< per row of the form
  double load_scale = 1.0;    ///< x' is that many times as large
  int lost_row = -1;          ///< a row of the program without entries that asks for something

  /// `program` is sparse.
  void build(const ConeProgram& program);
  void to_program(const Eigen::VectorXd& x, const Eigen::VectorXd& w, Eigen::VectorXd& solution) const;
  void to_motion(const Eigen::VectorXd& y, Eigen::VectorXd& motion) const;
};

}  // namespace stiction::internal
