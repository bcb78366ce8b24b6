// Operators called one by one: what forebay.dynamic is made of.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/exchange/arrays.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/push_site.h"
#include "bindings/interpreter/waited.h"
#include "bindings/ndarray/ndarray.h"
#include "bindings/pipeline/values.h"
#include "forebay/base/random/random.h"
#include "forebay/calls/operator_call.h"

namespace forebay::bindings {
namespace {

using calls::CalledOperator;
using calls::CalledOperatorRef;
using calls::FutureBatch;
using calls::FutureBatchRef;

/// nullptr for unknown ones.
Origins origins_of_future(const FutureBatch& batch) {
  if (batch.size() == 0 || batch.origin(0).object.empty()) {
    return nullptr;
  }
  auto origins = std::make_shared<std::vector<SampleOrigin>>();
  for (int index = 0; index < batch.size(); ++index) {
    origins->push_back(batch.origin(index));
  }
  return origins;
}

FutureBatchRef future_of_content(nb::handle content, bool is_external) {
  PythonTensor* single = nullptr;
  if (nb::try_cast(content, single)) {
    std::vector<SampleOrigin> origins;
    if (single->origins != nullptr) {
      origins.push_back((*single->origins)[static_cast<size_t>(single->sample)]);
    }
    tensor::Batch one(std::vector<tensor::Tensor>{single->tensor});
    return calls::ready_batch(std::move(one), is_external, std::move(origins));
  }
  const auto& list = nb::cast<PythonTensorList&>(content);
  std::vector<SampleOrigin> origins;
  if (list.origins != nullptr && list.origins->size() == static_cast<size_t>(list.batch.size())) {
    origins = *list.origins;
  }
  return calls::ready_batch(list.batch, is_external, std::move(origins));
}

FutureBatchRef future_of_array(nb::handle array, const std::string& layout, bool is_split) {
  return value_of(calls::array_batch(ndarray_of(array).detached(), layout, is_split));
}

FutureBatchRef gathered_future(const std::vector<std::pair<FutureBatchRef, int>>& samples) {
  return value_of(calls::gathered_batch(samples));
}

PythonTensorList content_of_future(FutureBatch& self) {
  return {value_of(waited([&] { return self.get(); })), origins_of_future(self)};
}

void wait_for_future(FutureBatch& self) {
  if (!self.is_ready()) {
    check(waited([&] { return self.get(); }).status());
  }
}

tensor::Shape with_samples(int samples, const tensor::Shape& shape) {
  tensor::Shape all{samples};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    all.push_back(shape[axis]);
  }
  return all;
}

tensor::Shape without_samples(const tensor::Shape& shape) {
  tensor::Shape rest;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    rest.push_back(shape[axis]);
  }
  return rest;
}

/// A batch is an array with the samples first; one sample that is no batch is an array without that axis.
NdarrayObject array_of_future(FutureBatch& self, nb::handle shape, nb::handle dtype, bool is_batch) {
  std::optional<ndarray::ArraySpec> spec;
  if (!shape.is_none()) {
    spec.emplace(
        ndarray::ArraySpec{shape_from_python(shape), dtype_from_python(nb::cast<std::string>(dtype))});
    if (!is_batch) {
      spec->shape = with_samples(1, spec->shape);
    }
  }
  const ndarray::Array whole = value_of(waited([&] { return self.array(spec); }));
  return wrapped(is_batch ? whole : whole.viewed(without_samples(whole.shape())));
}

CalledOperatorRef make_called_operator(const std::string& name, const nb::dict& constants,
                                       const std::vector<std::string>& tensors, int num_inputs) {
  operators::Arguments arguments;
  arguments.num_inputs = num_inputs;
  for (const auto& [key, value] : constants) {
    const auto argument = nb::cast<std::string>(key);
    arguments.constants.emplace(argument, value_from(value, argument));
  }
  for (const std::string& tensor : tensors) {
    arguments.tensors.emplace(tensor, static_cast<int>(arguments.tensors.size()));
  }
  return value_of(CalledOperator::create(name, std::move(arguments)), Lookup::kKey);
}

/// More calls than are worth while to have waiting are not enqueued: the caller waits.
void keep_close(const std::vector<FutureBatchRef>& results) {
  if (!results.empty() && calls::calls_are_far_ahead()) {
    // An error is told to whoever looks at the result.
    static_cast<void>(waited([&] { return results[0]->get().status(); }));
  }
}

std::vector<FutureBatchRef> call_operator(const CalledOperatorRef& self, std::vector<FutureBatchRef> inputs,
                                          std::vector<FutureBatchRef> arguments, int size, uint64_t seed,
                                          uint64_t draw, const std::string& site) {
  note_engine_use();
  const calls::CallOptions options{.size = size, .seed = seed, .draw = draw, .site = site};
  std::vector<FutureBatchRef> results =
      value_of(calls::call(self, std::move(inputs), std::move(arguments), options));
  keep_close(results);
  return results;
}

void bind_future(nb::module_& module) {
  nb::class_<FutureBatch>(module, "FutureBatch", "The samples of a batch, which may be there later.")
      .def_static(
          "of", &future_of_content, nb::arg("content"), nb::arg("is_external"),
          "Of a TensorCPU or TensorListCPU. External: the memory may change after the call that uses it.")
      .def_static("of_array", &future_of_array, nb::arg("array"), nb::arg("layout"), nb::arg("is_split"),
                  "An NDArray as one sample, or its first axis as the samples; without a copy.")
      .def_static("gathered", &gathered_future, nb::arg("samples"),
                  "Samples of other batches: (batch, place).")
      .def_prop_ro("size", &FutureBatch::size)
      .def_prop_ro("is_external",
                   [](const FutureBatch& self) { return self.ownership() == calls::Ownership::kExternal; })
      .def_prop_ro(
          "is_borrowed", [](const FutureBatch& self) { return self.ownership() != calls::Ownership::kOwn; },
          "Whether others may change the memory: external, or an NDArray's.")
      .def("is_ready", &FutureBatch::is_ready, "Whether looking at it waits for nothing.")
      .def("wait", &wait_for_future, "Waits for the content; raises what went wrong with it.")
      .def("get", &content_of_future, "The content, after waiting for it.")
      .def("array", &array_of_future, nb::arg("shape").none(), nb::arg("dtype").none(), nb::arg("is_batch"),
           "An NDArray of the content: at once where `shape` is given, else after waiting.");
}

}  // namespace

void bind_calls(nb::module_& module) {
  bind_future(module);
  nb::class_<CalledOperator>(module, "CalledOperator", "An operator with its constants set, to be called.")
      .def_static("create", &make_called_operator, nb::arg("name"), nb::arg("constants"), nb::arg("tensors"),
                  nb::arg("num_inputs"), "`tensors` are the names of arguments that are given at each call.")
      .def_prop_ro("num_outputs", [](const CalledOperator& self) { return self.op().num_outputs(); })
      .def("call", &call_operator, nb::arg("inputs"), nb::arg("arguments"), nb::arg("size"),
           nb::arg("seed") = 0, nb::arg("draw") = 0, nb::arg("site") = "",
           "Enqueues a call; the results at once, one for each output.");
  module.def("push_site", &current_push_site, "The user's line that calls this package: \"file.py:12\".");
  module.def(
      "philox_word",
      [](uint64_t seed, uint64_t draw) {
        return RandomStream(random_key(seed, draw, hash64("type:random.RNG")), 0).next_u32();
      },
      nb::arg("seed"), nb::arg("draw"), "Draw `draw` of a generator with that seed, as 32 bits.");
}

}  // namespace forebay::bindings
