#include "bindings/border.h"

#include <condition_variable>
#include <mutex>

#include "bindings/arrays.h"
#include "bindings/errors.h"
#include "forebay/base/end_of_data.h"

namespace forebay::bindings {
namespace {

using tensor::Tensor;

/// Calls into Python that are under way.
struct CallCount {
  std::mutex mutex;
  std::condition_variable none;
  int running = 0;
};

CallCount& call_count() {
  static auto* count = new CallCount;  // threads may outlive the statics
  return *count;
}

class CountedCall {
 public:
  CountedCall() {
    const std::lock_guard lock(call_count().mutex);
    ++call_count().running;
  }
  ~CountedCall() {
    const std::lock_guard lock(call_count().mutex);
    if (--call_count().running == 0) {
      call_count().none.notify_all();
    }
  }
};

/// Runs `body` with the GIL; an exception becomes the Status. An error when the interpreter has ended.
template <class Body>
auto with_python(Body&& body) -> decltype(body()) {
  const CountedCall call;
  if (!interpreter_is_alive()) {
    return cancelled("the Python interpreter has ended");
  }
  const nb::gil_scoped_acquire gil;
  try {
    return body();
  } catch (nb::python_error& error) {
    return status_of(error);
  } catch (const std::exception& error) {  // nanobind's own: a value of the wrong type
    return invalid_argument("a Python function gave what is not a list of tensors: {}", error.what());
  }
}

class PythonFeed final : public pipeline::ExternalFeed {
 public:
  explicit PythonFeed(nb::object feed) : feed_(std::move(feed)) {}

  Result<std::vector<std::vector<Tensor>>> next(const pipeline::FeedRequest& request) override {
    return with_python([&]() -> Result<std::vector<std::vector<Tensor>>> {
      const nb::object outputs = ask(request);
      if (!outputs.is_valid()) {
        return end_of_data("the source's data has ended");
      }
      std::vector<std::vector<Tensor>> result;
      for (const nb::handle output : outputs) {
        std::vector<Tensor>& samples = result.emplace_back();
        for (const nb::handle sample : output) {
          samples.push_back(nb::cast<PythonTensor&>(sample).tensor);
        }
      }
      return result;
    });
  }

  Status reset() override {
    return with_python([&]() -> Status {
      feed_.get().attr("reset")();
      return ok_status();
    });
  }

  Status restore(const pipeline::FeedRequest& next) override {
    return with_python([&]() -> Status {
      feed_.get().attr("restore")(next.iteration, next.epoch, next.position);
      return ok_status();
    });
  }

 private:
  /// What the feed gives; nothing at the end of its data.
  nb::object ask(const pipeline::FeedRequest& request) const {
    try {
      return feed_.get().attr("next")(request.iteration, request.epoch, request.position,
                                      request.max_batch_size);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_StopIteration)) {
        throw;
      }
      return {};
    }
  }

  PythonRef feed_;
};

/// What the function gave for one sample: a list of tensors, or the exception that it raised.
void take_row(nb::handle row, pipeline::FunctionSample& sample) {
  if (PyExceptionInstance_Check(row.ptr())) {
    sample.status = status_of(nb::borrow(row));
    return;
  }
  std::vector<Tensor> outputs;
  for (const nb::handle output : row) {
    outputs.push_back(nb::cast<PythonTensor&>(output).tensor);
  }
  sample.outputs = std::move(outputs);
}

class PythonFunction final : public pipeline::HostFunction {
 public:
  explicit PythonFunction(nb::object function) : function_(std::move(function)) {}

  Status run(std::span<pipeline::FunctionSample> samples) override {
    return with_python([&]() -> Status {
      nb::list arguments;
      for (const pipeline::FunctionSample& sample : samples) {
        nb::list inputs;
        for (const Tensor& input : sample.inputs) {
          inputs.append(PythonTensor{input, nullptr, 0});
        }
        arguments.append(inputs);
      }
      const nb::object results = function_.get()(arguments);
      size_t index = 0;
      for (const nb::handle row : results) {
        if (index == samples.size()) {
          return invalid_argument("a Python function gave more than {} samples", samples.size());
        }
        take_row(row, samples[index++]);
      }
      return index == samples.size()
                 ? ok_status()
                 : invalid_argument("a Python function gave {} samples, not {}", index, samples.size());
    });
  }

 private:
  PythonRef function_;
};

}  // namespace

bool wait_for_calls(std::chrono::milliseconds most, const std::function<bool()>& give_up) {
  const auto end = std::chrono::steady_clock::now() + most;
  std::unique_lock lock(call_count().mutex);
  while (call_count().running > 0 && std::chrono::steady_clock::now() < end) {
    call_count().none.wait_for(lock, std::chrono::milliseconds(20));
    lock.unlock();
    const bool gives_up = give_up();
    lock.lock();
    if (gives_up) {
      break;
    }
  }
  return call_count().running == 0;
}

std::shared_ptr<pipeline::ExternalFeed> make_feed(nb::object feed) {
  return std::make_shared<PythonFeed>(std::move(feed));
}

std::shared_ptr<pipeline::HostFunction> make_function(nb::object function) {
  return std::make_shared<PythonFunction>(std::move(function));
}

}  // namespace forebay::bindings
