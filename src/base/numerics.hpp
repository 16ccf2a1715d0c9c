#pragma once

// Levels of tolerance that more than one place needs, with their reasons. Tolerances of judges are in
// stiction/proof.hpp and proof/scales.hpp: they are part of what verdicts mean (docs/proofs.md). What only steers one
// algorithm is beside it.

namespace stiction::internal {

/// How far normals, axes, quaternions and pairs of cosine and sine may be from unit length, or from orthogonal, and
/// still be taken for it: people type six digits.
inline constexpr double kUnitRounding = 1e-6;

/// How far inertias of files may be from possible ones, relative to the largest moment: people and CAD write nine
/// digits.
inline constexpr double kWrittenByHand = 1e-9;

/// A row or column of unit length of which the others leave less than this depends on them: some hundred roundings
/// above what orthogonalising twice leaves, far below what different contacts of a robot leave.
inline constexpr double kDependent = 1e-11;

}  // namespace stiction::internal
