// MXNet's files of arrays: forebay._core.save_array_file, load_array_file.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/text.h"
#include "bindings/ndarray/ndarray.h"
#include "forebay/ndarray/files/params_file.h"

namespace forebay::bindings {
namespace {

using ndarray::NamedArrays;

nb::tuple wrapped_arrays(Result<NamedArrays> loaded) {
  NamedArrays named = value_of(std::move(loaded));
  nb::list arrays;
  for (ndarray::Array& array : named.arrays) {
    arrays.append(wrapped(std::move(array)));
  }
  return nb::make_tuple(std::move(arrays), nb::cast(std::move(named.names)));
}

nb::tuple load_file(nb::handle path) {
  const std::string file = text_from_python(path);
  return wrapped_arrays(without_gil([&] { return ndarray::load_params_file(file); }));
}

nb::tuple load_bytes(const nb::bytes& content) {
  const Bytes bytes(static_cast<const std::byte*>(content.data()), content.size());
  return wrapped_arrays(without_gil([&] { return ndarray::load_params(MemoryByteSource(bytes)); }));
}

void save_file(nb::handle path, nb::handle arrays, std::vector<std::string> names) {
  const std::string file = text_from_python(path);
  NamedArrays named{{}, std::move(names)};
  for (ndarray::Array& array : arrays_of(arrays)) {
    named.arrays.push_back(std::move(array));
  }
  check(without_gil([&] { return ndarray::save_params_file(file, named); }));
}

}  // namespace

void bind_array_files(nb::module_& module) {
  module.def("load_array_file", &load_file, nb::arg("path"),
             nb::sig("def load_array_file(path: str | bytes) -> tuple[list[forebay.nd.NDArray], list[str]]"),
             "The arrays of a file in MXNet's format and their names, if they have some.");
  module.def("load_array_bytes", &load_bytes, nb::arg("content"),
             nb::sig("def load_array_bytes(content: bytes) -> tuple[list[forebay.nd.NDArray], list[str]]"),
             "The same from the bytes of a file.");
  module.def(
      "save_array_file", &save_file, nb::arg("path"), nb::arg("arrays"), nb::arg("names"),
      nb::sig("def save_array_file(path: str | bytes, arrays: collections.abc.Sequence[NDArrayBase], names: "
              "collections.abc.Sequence[str]) -> None"),
      "Waits for the arrays and writes them; `names` are as many as the arrays, or none.");
}

}  // namespace forebay::bindings
