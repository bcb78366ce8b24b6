// Sessions: running plans.
#include "forebay/pipeline/session/session.h"
#include "forebay/calls/session_arrays.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "bindings/exchange/arrays.h"
#include "bindings/interpreter/bindings.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/process_owned.h"
#include "bindings/interpreter/python_call.h"
#include "bindings/interpreter/text.h"
#include "bindings/ndarray/ndarray.h"
#include "bindings/pipeline/border.h"
#include "bindings/pipeline/session.h"
#include "bindings/storage/store_calls.h"

namespace forebay::bindings {
namespace {

using pipeline::Delivery;
using pipeline::Session;

std::atomic<bool> engine_was_used{false};

/// forebay._core.Session: a Session of this process, ended without the GIL.
class PythonSession final : public CollectedSession {
 public:
  PythonSession(std::unique_ptr<Session> session, HeldObjects held)
      : CollectedSession(std::move(held)), session_(std::move(session), "pipeline") {}
  PythonSession(PythonSession&&) noexcept = default;
  ~PythonSession() { end(); }

  std::shared_ptr<Session> get() const { return session_.get(); }

  void close(bool waits) {
    const std::shared_ptr<Session> session = session_.take();
    if (session == nullptr) {
      return;
    }
    check(without_gil([&] {
      session->close();
      return waits ? session->await_end(signal_was_raised) : ok_status();
    }));
    clear();
  }

 private:
  /// Batches that were promised to arrays are made first.
  void end() override {
    std::shared_ptr<Session> session = session_.take();
    const GilRelease no_gil;
    session.reset();
  }

  ProcessOwned<Session> session_;
};

/// For tests: a device without hardware stands in for the GPU where `settings` give its seed.
std::shared_ptr<memory::SimulatedDevice> simulated_device(const nb::dict& settings) {
  if (!settings.contains("simulated_device") || settings["simulated_device"].is_none()) {
    return nullptr;
  }
  return value_of(
      memory::SimulatedDevice::create({.seed = nb::cast<uint64_t>(settings["simulated_device"])}));
}

PythonSession create(std::shared_ptr<pipeline::Plan> plan, const nb::dict& settings) {
  HeldObjects held;
  pipeline::SessionOptions options = session_options(settings, held);
  engine_was_used = true;
  Result<std::unique_ptr<Session>> session =
      without_gil_until_signal([&] { return Session::create(std::move(plan), std::move(options)); });
  return {value_of(std::move(session)), std::move(held)};
}

/// forebay._core.DeliveredSamples: those of a batch. Few look at them, so there is an object of Python's only
/// for what is looked at.
struct DeliveredSamples {
  std::vector<pipeline::DeliveredSample> samples;
};

nb::dict identity_row(const pipeline::DeliveredSample& sample) {
  nb::dict row;
  row["epoch"] = sample.identity.epoch;
  row["position"] = sample.identity.position;
  row["index"] = sample.identity.sample_index;
  row["index_in_batch"] = sample.identity.index_in_batch;
  row["object"] = text_to_python(sample.identity.origin.object);
  row["offset"] = sample.identity.origin.offset_bytes;
  row["is_padding"] = sample.is_padding;
  row["is_replacement"] = sample.is_replacement;
  return row;
}

std::vector<pipeline::DeliveredSample> samples_of_slice(const DeliveredSamples& self,
                                                        const nb::slice& places) {
  const auto [start, stop, step, count] = places.compute(self.samples.size());
  std::vector<pipeline::DeliveredSample> chosen;
  chosen.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const Py_ssize_t place = start + static_cast<Py_ssize_t>(i) * step;
    chosen.push_back(self.samples[static_cast<size_t>(place)]);
  }
  return chosen;
}

/// The outputs as TensorListCPU, and who the samples are.
nb::tuple run(PythonSession& self) {
  const std::shared_ptr<Session> session = self.get();
  Result<Delivery> result = without_gil([&] { return session->run(signal_was_raised); });
  drop_unused_exceptions();
  Delivery delivery = value_of(std::move(result));
  auto origins = std::make_shared<std::vector<SampleOrigin>>();
  for (const pipeline::DeliveredSample& sample : delivery.samples) {
    origins->push_back(sample.identity.origin);
  }
  nb::list outputs;
  for (tensor::Batch& batch : delivery.outputs) {
    const bool known = static_cast<size_t>(batch.size()) == origins->size();
    outputs.append(PythonTensorList{std::move(batch), known ? Origins(origins) : nullptr});
  }
  return nb::make_tuple(nb::tuple(outputs), DeliveredSamples{std::move(delivery.samples)},
                        delivery.iteration);
}

/// `specs`: a pair of shape and NumPy's name of the element type for each output.
nb::typed<nb::list, NdarrayObject> run_arrays(PythonSession& self, nb::handle specs) {
  std::vector<ndarray::ArraySpec> promised;
  for (const nb::handle spec : specs) {
    promised.push_back({shape_from_python(spec[0]), dtype_from_python(nb::cast<std::string>(spec[1]))});
  }
  const std::shared_ptr<Session> session = self.get();
  const std::shared_ptr<const void> owed = self.owe();
  return wrapped_list(
      without_gil([&] { return calls::run_arrays(*session, promised, signal_was_raised, owed); }));
}

nb::list replay(PythonSession& self, int64_t epoch, int64_t position) {
  const std::shared_ptr<Session> session = self.get();
  Result<std::vector<tensor::Tensor>> result =
      without_gil_until_signal([&] { return session->replay(epoch, position); });
  nb::list outputs;
  for (tensor::Tensor& tensor : value_of(std::move(result), Lookup::kKey)) {
    outputs.append(PythonTensor{std::move(tensor), nullptr, 0});
  }
  return outputs;
}

nb::list errors_of(PythonSession& self) {
  nb::list rows;
  const std::shared_ptr<Session> session = self.get();
  const pipeline::ErrorLog log = without_gil([&] { return session->errors(); });
  for (const pipeline::SampleError& error : log.errors()) {
    nb::dict row;
    row["sample"] = error.context.sample_index;
    row["object"] = text_to_python(error.context.origin.object);
    row["offset"] = error.context.origin.offset_bytes;
    row["operator"] = text_to_python(error.context.operator_name);
    row["epoch"] = error.context.epoch;
    row["position"] = error.context.position;
    row["cause"] = text_to_python(error.cause);
    row["action"] = text_to_python(error.action);
    rows.append(row);
  }
  return rows;
}

nb::dict meta_row(const dataset::ReaderMeta& meta) {
  nb::dict row;
  row["epoch_size"] = meta.epoch_size;
  row["epoch_size_padded"] = meta.epoch_size_padded;
  row["number_of_shards"] = meta.number_of_shards;
  row["shard_id"] = meta.shard_id;
  row["pad_last_batch"] = static_cast<int>(meta.pad_last_batch);
  row["stick_to_shard"] = static_cast<int>(meta.stick_to_shard);
  return row;
}

nb::dict reader_meta(PythonSession& self, const std::string& name) {
  const std::shared_ptr<Session> session = self.get();
  return meta_row(
      value_of(without_gil_until_signal([&] { return session->reader_meta(name); }), Lookup::kKey));
}

nb::dict known_reader_meta(PythonSession& self, const std::string& name) {
  return meta_row(value_of(self.get()->known_reader_meta(name), Lookup::kKey));
}

bool has_samples(PythonSession& self, const std::string& reader, uint64_t samples) {
  const std::shared_ptr<Session> session = self.get();
  return value_of(without_gil_until_signal([&] { return session->has_samples(reader, samples); }),
                  Lookup::kKey);
}

void bind_explanation(nb::module_& module) {
  nb::class_<pipeline::Explanation>(module, "Explanation",
                                    "Why a run was as fast as it was. str() is for people.")
      .def_prop_ro("bottleneck",
                   [](const pipeline::Explanation& self) {
                     switch (self.bottleneck) {
                       case pipeline::Bottleneck::kConsumer:
                         return "consumer";
                       case pipeline::Bottleneck::kLoader:
                         return "loader";
                       default:
                         return "unknown";
                     }
                   })
      .def_ro("stage", &pipeline::Explanation::stage,
              "Of the loader; empty when the consumer is the bottleneck.")
      .def_ro("wait_share", &pipeline::Explanation::wait_share,
              "Of the consumer's time that it waited in run().")
      .def_ro("notes", &pipeline::Explanation::notes)
      .def("to_json", &pipeline::Explanation::to_json)
      .def("__str__", &pipeline::Explanation::to_string)
      .def("__repr__", &pipeline::Explanation::to_string);
}

/// How long the interpreter's end waits for Python code that runs.
constexpr std::chrono::seconds kLongestReturn{5};

bool await_python_calls() {
  const bool has_returned = [] {
    const GilRelease no_gil;
    return wait_for_calls(kLongestReturn, signal_was_raised);
  }();
  if (PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
  return has_returned;
}

/// Ends the engine's work before the interpreter ends; nothing to do where no session was made. Python code
/// that runs gets a while to return; a call that waits for ever is left alone, and ends with the process.
void shutdown_engine() {
  if (!engine_was_used.exchange(false)) {
    return;
  }
  const GilRelease no_gil;
  const bool has_returned = wait_for_calls(kLongestReturn, signal_was_raised);
  engine::Engine::process_engine()->shutdown(/*join_executors=*/has_returned);
}

}  // namespace

pipeline::SessionOptions session_options(const nb::dict& settings, HeldObjects& held) {
  pipeline::SessionOptions options;
  options.num_threads = nb::cast<int>(settings["num_threads"]);
  options.prefetch_depth = nb::cast<int>(settings["prefetch_depth"]);
  options.on_demand = nb::cast<bool>(settings["on_demand"]);
  options.refuses_unequal_readers = nb::cast<bool>(settings["refuses_unequal_readers"]);
  options.on_error = value_of(pipeline::on_error_of(nb::cast<std::string>(settings["on_error"])));
  options.memory_limit_bytes = nb::cast<uint64_t>(settings["memory_limit_bytes"]);
  options.device = simulated_device(settings);
  for (const auto& [node, feed] : nb::cast<nb::dict>(settings["feeds"])) {
    options.feeds.emplace(nb::cast<int>(node), make_feed(held.add(nb::borrow(feed))));
  }
  for (const auto& [node, function] : nb::cast<nb::dict>(settings["functions"])) {
    options.functions.emplace(nb::cast<int>(node), make_function(held.add(nb::borrow(function))));
  }
  return options;
}

void bind_session(nb::module_& module) {
  bind_explanation(module);
  nb::class_<pipeline::DeliveredSample>(module, "DeliveredSample", "Who a delivered sample is.")
      .def_prop_ro("index_in_batch",
                   [](const pipeline::DeliveredSample& self) { return self.identity.index_in_batch; })
      .def("as_dict", &identity_row);
  nb::class_<DeliveredSamples>(module, "DeliveredSamples", "Who the samples of a batch are, in its order.")
      .def("__len__", [](const DeliveredSamples& self) { return self.samples.size(); })
      .def(
          "__getitem__",
          [](const DeliveredSamples& self, Py_ssize_t place) {
            const auto size = static_cast<Py_ssize_t>(self.samples.size());
            const Py_ssize_t from_start = place < 0 ? place + size : place;
            if (from_start < 0 || from_start >= size) {
              throw nb::index_error();
            }
            return self.samples[static_cast<size_t>(from_start)];
          },
          nb::arg("place"))
      .def("__getitem__", &samples_of_slice, nb::arg("places"));
  nb::class_<PythonSession>(module, "Session", "Runs a plan.",
                            nb::type_slots(collected_slots<PythonSession>()))
      .def_static("create", &create, nb::arg("plan"), nb::arg("settings"))
      .def("close", &PythonSession::close, nb::arg("waits") = true)
      .def("prefetch",
           [](PythonSession& self) {
             const std::shared_ptr<Session> session = self.get();
             without_gil([&] { session->prefetch(); });
           })
      .def("run", &run)
      .def(
          "has_fixed_samples", [](PythonSession& self) { return self.get()->plan().expands().empty(); },
          "False where an operator decides how many samples there are.")
      .def("run_arrays", &run_arrays, nb::arg("specs"),
           "The next batch as NDArrays of these (shape, element type), at once.")
      .def("reset_feeds",
           [](PythonSession& self) {
             const std::shared_ptr<Session> session = self.get();
             return value_of(without_gil([&] { return session->reset_feeds(); }));
           })
      .def("state",
           [](PythonSession& self) {
             const std::shared_ptr<Session> session = self.get();
             return without_gil([&] { return session->state(); });
           })
      .def(
          "iterations", [](PythonSession& self) { return self.get()->iterations(); },
          "How many batches were delivered, broken ones included.")
      .def("restore",
           [](PythonSession& self, const std::vector<std::string>& states) {
             const std::shared_ptr<Session> session = self.get();
             check(without_gil_until_signal([&] { return session->restore(states); }));
           })
      .def(
          "epochs_left",
          [](PythonSession& self, const std::string& reader) {
            const pipeline::EpochsLeft left = value_of(self.get()->epochs_left(reader), Lookup::kKey);
            return std::pair(left.first_epoch, left.samples);
          },
          nb::arg("reader"),
          "The epoch in which the stream begins, and the samples left of it and of those after it.")
      .def("replay", &replay, nb::arg("epoch"), nb::arg("position"))
      .def("errors", &errors_of)
      .def("error_count", [](PythonSession& self) { return self.get()->error_count(); })
      .def("explain", [](PythonSession& self) { return self.get()->explain(); })
      .def("reader_meta", &reader_meta, nb::arg("name"))
      .def("known_reader_meta", &known_reader_meta, nb::arg("name"),
           "The same at once: epoch_size and epoch_size_padded are 0 while samples are being found.")
      .def("has_samples", &has_samples, nb::arg("reader"), nb::arg("samples"),
           "Whether the data set has so many; waits until they are known.")
      .def("reader_names", [](PythonSession& self) { return self.get()->reader_names(); })
      .def("working_bytes", [](PythonSession& self) { return self.get()->budget().working_bytes(); })
      .def("held_bytes", [](PythonSession& self) { return self.get()->budget().held_bytes(); })
      .def("peak_working_bytes",
           [](PythonSession& self) { return self.get()->budget().peak_working_bytes(); });
  module.def("shutdown_engine", &shutdown_engine);
  module.def("await_python_calls", &await_python_calls,
             "Waits some seconds until no call into Python is under way; False where one still is.");
}

void note_engine_use() {
  if (!engine_was_used.load(std::memory_order_relaxed)) {
    engine_was_used = true;
  }
}

}  // namespace forebay::bindings
