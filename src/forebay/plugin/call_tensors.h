// The tensors of a sample as a library sees them.
#pragma once

#include <span>
#include <vector>

#include "forebay/operators/sample.h"
#include "forebay/plugin/call.h"
#include "forebay/plugin/plugin_api.h"

namespace forebay::plugin {

/// What a library's `infer` said of an output. invalid_argument, naming the output, for what no tensor can
/// be: unknown element type, too many axes, negative extents, more bytes than can be addressed, a layout that
/// does not fit the axes.
Result<tensor::TensorSpec> spec_of(const ForebayPluginTensor& tensor, size_t output);

/// Owns the views; refers to a sample.
class CallTensors {
 public:
  CallTensors(ForebayPluginCall* call, size_t num_outputs);
  CallTensors(const CallTensors&) = delete;
  CallTensors& operator=(const CallTensors&) = delete;

  const ForebayPluginSample& sample() const { return sample_; }
  const ForebayPluginTensor& output(size_t index) const { return *outputs_[index]; }
  /// Sets an output to the memory that was taken for it.
  void set_output(size_t index, const tensor::MutableTensorView& view);

 private:
  std::vector<ForebayPluginTensor> views_;  // inputs, arguments, outputs
  std::vector<ForebayPluginTensor*> pointers_;
  std::span<ForebayPluginTensor*> outputs_;
  ForebayPluginSample sample_ = {};
};

}  // namespace forebay::plugin
