#include "types.hpp"

#include <map>

namespace stiction::python {

nb::handle member_of(const char* class_name, const char* word) noexcept
{
  try {
    // Looked up once and kept for ever: enumerations live as long as the interpreter.
    static auto& known = *new std::map<std::pair<std::string, std::string>, nb::object>;
    nb::object& member = known[{class_name, word}];
    if (!member.is_valid()) member = nb::module_::import_("stiction._types").attr(class_name)(word);
    return nb::object(member).release();
  } catch (nb::python_error& error) {
    error.restore();
    return {};
  }
}

nb::object text_of(const std::string& text)
{
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

int position_of(const std::string& word, std::span<const char* const> words, const char* path)
{
  std::string wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word == words[i]) return static_cast<int>(i);
    wanted += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + std::string(words[i]);
  }
  throw InputError(path, "want " + wanted + ", got '" + word + "'");
}

nb::object as_numbers(nb::handle value, const char* path)
{
  try {
    return nb::module_::import_("numpy").attr("asarray")(value, nb::arg("dtype") = "float64");
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    throw InputError(path, std::string("want numbers, got ") + nb::type_name(value.type()).c_str());
  }
}

namespace {

std::string shape_text(const nb::object& array) { return nb::repr(nb::object(array.attr("shape"))).c_str(); }

}  // namespace

Eigen::VectorXd vector_of(nb::handle value, const char* path)
{
  if (value.is_none()) return {};
  const nb::object array = as_numbers(value, path);
  nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> numbers;
  if (!nb::try_cast(array, numbers))
    throw InputError(path, "want one row of numbers, got an array of shape " + shape_text(array));
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

Eigen::MatrixXd matrix_of(nb::handle value, const char* path)
{
  if (value.is_none()) return {};
  const nb::object array = as_numbers(value, path);
  nb::ndarray<const double, nb::ndim<2>, nb::device::cpu> numbers;
  if (!nb::try_cast(array, numbers))
    throw InputError(path, "want a matrix, got an array of shape " + shape_text(array));
  Eigen::MatrixXd matrix(numbers.shape(0), numbers.shape(1));
  const auto read = numbers.view();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = read(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return matrix;
}

Eigen::Vector3d point_of(nb::handle value, const char* path)
{
  const Eigen::VectorXd v = vector_of(value, path);
  if (v.size() != 3) throw InputError(path, "want 3 numbers, got " + std::to_string(v.size()));
  return v;
}

ConeShape shape_of(nb::handle value, const char* path)
{
  const auto wanted = [&] {
    return InputError(path,
                      std::string("want \"exact\", {\"inner\": 8} or {\"outer\": 8}, got ") + nb::repr(value).c_str());
  };
  std::string word;
  if (value.is_none() || (nb::try_cast(value, word) && word == "exact")) return ConeShape::exact();
  nb::dict entry;
  int facets = 0;
  if (!nb::try_cast(value, entry) || entry.size() != 1) throw wanted();
  const auto [key, count] = *entry.begin();
  if (!nb::try_cast(key, word) || !nb::try_cast(count, facets) || (word != "inner" && word != "outer")) throw wanted();
  const ConeShape shape = word == "inner" ? ConeShape::inner(facets) : ConeShape::outer(facets);
  FrictionCone cone;
  cone.shape = shape;
  validate(cone, path);
  return shape;
}

}  // namespace stiction::python

NB_MODULE(_stiction, module)
{
  namespace python = stiction::python;
  module.doc() = "The compiled part of stiction; import stiction instead.";
  module.attr("__version__") = stiction::version();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const stiction::InputError& error) {
      const nb::object type = nb::module_::import_("stiction._types").attr("InputError");
      PyErr_SetObject(type.ptr(), type(python::text_of(error.what()), python::text_of(error.path())).ptr());
    }
  });
  python::bind_problem(module);
  python::bind_results(module);
  python::bind_questions(module);
  python::bind_scene(module);
  python::bind_report(module);
  python::bind_picture(module);
  python::bind_batch(module);
}
