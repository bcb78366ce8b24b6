#include "bindings/pipeline/border.h"

#include "bindings/exchange/arrays.h"
#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/python_call.h"
#include "forebay/base/end_of_data.h"

namespace forebay::bindings {
namespace {

using tensor::Tensor;

class PythonFeed final : public pipeline::ExternalFeed {
 public:
  explicit PythonFeed(HeldRef feed)
      : keeps_its_place_(nb::cast<bool>(value_of(feed->get()).attr("keeps_its_place"))),
        feed_(std::move(feed)) {}

  Result<std::vector<std::vector<Tensor>>> next(const pipeline::FeedRequest& request) override {
    return with_python([&]() -> Result<std::vector<std::vector<Tensor>>> {
      FOREBAY_ASSIGN_OR_RETURN(const nb::object feed, feed_->get());
      const nb::object outputs = ask(feed, request);
      if (!outputs.is_valid()) {
        return end_of_data("the source's data has ended");
      }
      std::vector<std::vector<Tensor>> result;
      for (const nb::handle output : outputs) {
        std::vector<Tensor>& samples = result.emplace_back();
        if (nb::isinstance<PythonTensorList>(output)) {
          const std::vector<Tensor>& given = nb::cast<PythonTensorList&>(output).batch.samples();
          samples.assign(given.begin(), given.end());
          continue;
        }
        for (const nb::handle sample : output) {
          samples.push_back(nb::cast<PythonTensor&>(sample).tensor);
        }
      }
      return result;
    });
  }

  Status reset() override {
    return with_python([&]() -> Status {
      FOREBAY_ASSIGN_OR_RETURN(const nb::object feed, feed_->get());
      feed.attr("reset")();
      return ok_status();
    });
  }

  bool keeps_its_place() const override { return keeps_its_place_; }

  Status restore(const pipeline::FeedRequest& next) override {
    return with_python([&]() -> Status {
      FOREBAY_ASSIGN_OR_RETURN(const nb::object feed, feed_->get());
      feed.attr("restore")(next.iteration, next.epoch, next.position);
      return ok_status();
    });
  }

 private:
  /// What the feed gives; nothing at the end of its data.
  static nb::object ask(nb::handle feed, const pipeline::FeedRequest& request) {
    try {
      return feed.attr("next")(request.iteration, request.epoch, request.position, request.max_batch_size);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_StopIteration)) {
        throw;
      }
      return {};
    }
  }

  const bool keeps_its_place_;
  HeldRef feed_;
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
  explicit PythonFunction(HeldRef function) : function_(std::move(function)) {}

  Status run(std::span<pipeline::FunctionSample> samples) override {
    return with_python([&]() -> Status {
      FOREBAY_ASSIGN_OR_RETURN(const nb::object function, function_->get());
      nb::list arguments;
      for (const pipeline::FunctionSample& sample : samples) {
        nb::list inputs;
        for (const Tensor& input : sample.inputs) {
          inputs.append(PythonTensor{input, nullptr, 0});
        }
        arguments.append(inputs);
      }
      const nb::object results = function(arguments);
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
  HeldRef function_;
};

}  // namespace

std::shared_ptr<pipeline::ExternalFeed> make_feed(HeldRef feed) {
  return std::make_shared<PythonFeed>(std::move(feed));
}

std::shared_ptr<pipeline::HostFunction> make_function(HeldRef function) {
  return std::make_shared<PythonFunction>(std::move(function));
}

}  // namespace forebay::bindings
