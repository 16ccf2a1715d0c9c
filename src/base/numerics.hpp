#pragma once

// Levels of tolerance that more than one place needs, with their reasons. Tolerances of judges are in
// stiction/proof.hpp and proof/scales.hpp: they are part of what verdicts mean (docs/proofs.md). What only steers one
// algorithm is beside it.

namespace stiction::internal {

/// Spacing of doubles at 1: twice what one operation may round away. Bounds of rounding are multiples of it.
inline constexpr double kUlp = 0x1p-52;

/// In place of a size that is zero, so that nothing divided by it is nothing.
inline constexpr double kTiny = 1e-300;

/// How far normals, axes, quaternions and pairs of cosine and sine may be from unit length, or from orthogonal, and
/// still be taken for it: people type six digits.
inline constexpr double kUnitRounding = 1e-6;

/// How far inertias of files may be from possible ones, relative to the largest moment: people and CAD write nine
/// digits.
inline constexpr double kWrittenByHand = 1e-9;

/// A row or column of unit length of which the others leave less than this depends on them: some hundred roundings
/// above what orthogonalising twice leaves, far below what different contacts of a robot leave.
inline constexpr double kDependent = 1e-11;

/// Degrees of indeterminacy and ranks that are reported are cut here: pivots and eigenvalues of rows of unit length, so
/// that units do not matter. Above kDependent because these rows have been through a product or an elimination before.
inline constexpr double kRank = 1e-10;

/// Sums and products of computed numbers below this share of their largest term are rounding: four digits above it, as
/// the terms themselves come out of solves.
inline constexpr double kProductRounding = 1e-12;

/// Entries below this share of the largest beside them are what is left of others that cancel: the last bits of one
/// number. What is taken for zero by it is proved as zero, or not at all.
inline constexpr double kNoise = 1e-15;

/// A mass matrix with unit diagonal counts as singular when a pivot or an eigenvalue is below this: the lightest link
/// of a robot is a millionth of the heaviest, and what is left of a massless one is rounding.
inline constexpr double kSingularMass = 1e-9;

/// Share of the friction budget within which a force is called at the rim, and of the largest force below which a
/// contact is called unloaded: words and states of reports, never verdicts.
inline constexpr double kRimShare = 1e-9;

}  // namespace stiction::internal
