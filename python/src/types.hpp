// What the bindings share: words for enumerations, arrays in and out, a lock around every checker.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "stiction/stiction.hpp"

namespace nb = nanobind;

namespace stiction::python {

/// The member of a class of stiction/_types.py with this value, as a new reference.
nb::handle member_of(const char* class_name, const char* word) noexcept;

/// A text that need not be valid UTF-8: an error quotes what came.
nb::object text_of(const std::string& text);

/// Position of `word` in `words`. @throws InputError with `path` as the entry.
int position_of(const std::string& word, std::span<const char* const> words, const char* path);

/// An array of numbers, whatever it is in Python: numpy.asarray(value, dtype=float64). @throws InputError.
nb::object as_numbers(nb::handle value, const char* path);
Eigen::VectorXd vector_of(nb::handle value, const char* path);  ///< None: empty
Eigen::MatrixXd matrix_of(nb::handle value, const char* path);  ///< None: empty
Eigen::Vector3d point_of(nb::handle value, const char* path);

/// "exact", {"inner": 8}, {"outer": 8}; None: exact.
ConeShape shape_of(nb::handle value, const char* path = "cone");

/// Read-only views of matrices inside objects, which must outlive them: for properties with
/// rv_policy::reference_internal.
using VectorView = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;
using MatrixView = nb::ndarray<nb::numpy, const double, nb::ndim<2>>;
template <class Vector>
VectorView view(const Vector& v)
  requires(Vector::IsVectorAtCompileTime == 1)
{
  return VectorView(v.data(), {static_cast<std::size_t>(v.size())});
}
template <class Matrix>
MatrixView view(const Matrix& m)
  requires(Matrix::IsVectorAtCompileTime == 0)
{
  return MatrixView(m.data(), {static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())}, nb::handle(),
                    {static_cast<std::int64_t>(m.rowStride()), static_cast<std::int64_t>(m.colStride())});
}

/// A read-only property that shows a matrix or vector without copying it.
template <class Bound, class Object, class Matrix>
void def_array(Bound& bound, const char* name, Matrix Object::*member, const char* doc)
{
  bound.def_prop_ro(
      name, [member](const Object& object) { return view(object.*member); }, nb::rv_policy::reference_internal, doc);
}

/// A copy of numbers as an array that Python owns.
template <class T>
nb::object owned_array(std::vector<T>&& values, std::vector<std::size_t> shape = {})
{
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (shape.empty()) shape = {kept->size()};
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

/// What the live view asks of a scenario: models, contacts, ground, obstacles and loads as dicts.
nb::dict described_scenario(const Scenario& scenario);

/// A checker that several Python threads may share: one computes at a time, without the interpreter's lock.
template <class Checker>
class Locked {
 public:
  template <class... Arguments>
    requires std::is_constructible_v<Checker, Arguments...>
  explicit Locked(Arguments&&... arguments) : checker_(std::forward<Arguments>(arguments)...)
  {
  }

  template <class Compute>
  auto run(Compute compute)
  {
    nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    return compute(checker_);
  }

 private:
  std::mutex mutex_;
  Checker checker_;
};

void bind_problem(nb::module_& module);
void bind_results(nb::module_& module);
void bind_questions(nb::module_& module);
void bind_scene(nb::module_& module);
void bind_report(nb::module_& module);
void bind_picture(nb::module_& module);
void bind_batch(nb::module_& module);

}  // namespace stiction::python

// Enumerations become members of the string enumerations of stiction/_types.py.
#define STICTION_WORDS(Enum, ClassName, ...)                                                 \
  namespace nanobind::detail {                                                               \
  template <>                                                                                \
  struct type_caster<Enum> {                                                                 \
    static constexpr auto Name = const_name("stiction._types." ClassName);                   \
    static constexpr std::array words{__VA_ARGS__};                                          \
    static handle from_cpp(const Enum& value, rv_policy, cleanup_list*) noexcept             \
    {                                                                                        \
      return stiction::python::member_of(ClassName, words[static_cast<std::size_t>(value)]); \
    }                                                                                        \
  };                                                                                         \
  }

STICTION_WORDS(stiction::Verdict, "Verdict", "undecided", "holds", "fails")
STICTION_WORDS(stiction::ContactState, "ContactState", "sticking", "rim", "detaching", "sliding", "unloaded")
STICTION_WORDS(stiction::Side, "Side", "unilateral", "bilateral")
STICTION_WORDS(stiction::Margin::State, "MarginState", "not_asked", "known", "none", "unbounded", "undecided")
STICTION_WORDS(stiction::CertificateKind, "CertificateKind", "none", "forces", "motion", "contradiction", "unbalanced")
STICTION_WORDS(stiction::FailureCause, "FailureCause", "unknown", "motors", "effort", "limits", "friction", "several",
               "nothing")
STICTION_WORDS(stiction::SolutionCount, "SolutionCount", "undecided", "none", "unique", "several", "at_least_one")
STICTION_WORDS(stiction::ImpactState, "ImpactState", "opens", "unloaded", "sticks", "slips")
STICTION_WORDS(stiction::RegionKind, "RegionKind", "undecided", "empty", "bounded", "unbounded")
