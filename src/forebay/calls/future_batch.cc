#include "forebay/calls/future_batch.h"

#include <algorithm>

#include "forebay/memory/copy.h"
#include "forebay/ndarray/runtime.h"
#include "forebay/pipeline/jobs/batch_kind.h"

namespace forebay::calls {
namespace {

using ndarray::Array;
using ndarray::ArraySpec;
using tensor::Batch;
using tensor::Tensor;

class ReadyBatch final : public FutureBatch {
 public:
  ReadyBatch(Batch batch, bool is_external, std::vector<SampleOrigin> origins)
      : batch_(std::move(batch)), origins_(std::move(origins)), is_external_(is_external) {}

  int size() const override { return batch_.size(); }
  Ownership ownership() const override { return is_external_ ? Ownership::kExternal : Ownership::kOwn; }
  void add_reads(Variables*) const override {}
  Result<Tensor> sample(int index) const override { return batch_[index]; }
  SampleOrigin origin(int index) const override {
    return origins_.empty() ? SampleOrigin() : origins_[static_cast<size_t>(index)];
  }
  bool is_ready() const override { return true; }
  size_t held_bytes() const override {
    size_t bytes = 0;
    for (const Tensor& sample : batch_.samples()) {
      bytes += sample.size_bytes();
    }
    return bytes;
  }
  Result<Batch> get() override { return batch_; }

 private:
  const Batch batch_;
  const std::vector<SampleOrigin> origins_;
  const bool is_external_;
};

class ArrayBatch final : public FutureBatch {
 public:
  ArrayBatch(Array array, const tensor::Layout& layout, bool is_split)
      : array_(std::move(array)), layout_(layout), is_split_(is_split) {}

  int size() const override { return is_split_ ? static_cast<int>(array_.shape()[0]) : 1; }
  Ownership ownership() const override { return Ownership::kArray; }
  void add_reads(Variables* reads) const override { reads->push_back(array_.region().storage->variable()); }
  bool is_ready() const override { return false; }  // later tasks may write it

  Result<Tensor> sample(int index) const override {
    const ndarray::Region& region = array_.region();
    if (!region.storage->has_memory()) {
      return failed_precondition("the array has never been written");
    }
    const tensor::TensorSpec spec = spec_of_sample();
    const size_t offset = static_cast<size_t>(index) * spec.size_bytes();
    return ndarray::Storage::lend(region.storage, region.offset_bytes + offset, spec);
  }

  Result<Batch> get() override {
    FOREBAY_ASSIGN_OR_RETURN(const Tensor whole, array_.tensor());
    const tensor::TensorSpec spec = spec_of_sample();
    std::vector<Tensor> samples;
    for (int index = 0; index < size(); ++index) {
      const size_t offset = static_cast<size_t>(index) * spec.size_bytes();
      samples.emplace_back(whole.buffer(), whole.offset_bytes() + offset, spec);
    }
    return Batch(std::move(samples));
  }

  Result<Array> array(const std::optional<ArraySpec>& spec) override {
    Array whole = is_split_ ? array_.detached() : array_.viewed(with_one_sample(array_.shape()));
    if (spec && !(*spec == whole.spec())) {
      return invalid_argument("the array is {}, and was promised as {}", whole.spec().to_string(),
                              spec->to_string());
    }
    return whole;
  }

 private:
  static tensor::Shape with_one_sample(const tensor::Shape& shape) {
    tensor::Shape more{1};
    for (int axis = 0; axis < shape.rank(); ++axis) {
      more.push_back(shape[axis]);
    }
    return more;
  }

  tensor::TensorSpec spec_of_sample() const {
    tensor::TensorSpec spec{{}, array_.dtype(), layout_};
    for (int axis = is_split_ ? 1 : 0; axis < array_.shape().rank(); ++axis) {
      spec.shape.push_back(array_.shape()[axis]);
    }
    return spec;
  }

  const Array array_;
  const tensor::Layout layout_;
  const bool is_split_;
};

class GatheredBatch final : public FutureBatch {
 public:
  explicit GatheredBatch(std::vector<std::pair<FutureBatchRef, int>> samples)
      : samples_(std::move(samples)) {}

  int size() const override { return static_cast<int>(samples_.size()); }

  Ownership ownership() const override {
    Ownership worst = Ownership::kOwn;
    for (const auto& [batch, index] : samples_) {
      worst = std::max(worst, batch->ownership());
    }
    return worst;
  }

  void add_reads(Variables* reads) const override {
    const FutureBatch* last = nullptr;
    for (const auto& [batch, index] : samples_) {
      if (batch.get() != last) {
        batch->add_reads(reads);
        last = batch.get();
      }
    }
  }

  Result<Tensor> sample(int index) const override {
    const auto& [batch, place] = samples_[static_cast<size_t>(index)];
    return batch->sample(place);
  }

  SampleOrigin origin(int index) const override {
    const auto& [batch, place] = samples_[static_cast<size_t>(index)];
    return batch->origin(place);
  }

  bool is_ready() const override {
    return std::ranges::all_of(samples_, [](const auto& sample) { return sample.first->is_ready(); });
  }

  Result<Batch> get() override {
    std::vector<Tensor> gathered;
    FutureBatch* last = nullptr;
    Batch content;
    for (const auto& [batch, place] : samples_) {
      if (batch.get() != last) {
        FOREBAY_ASSIGN_OR_RETURN(content, batch->get());
        last = batch.get();
      }
      gathered.push_back(content[place]);
    }
    FOREBAY_RETURN_IF_ERROR(pipeline::check_one_kind(gathered));
    return Batch(std::move(gathered));
  }

 private:
  const std::vector<std::pair<FutureBatchRef, int>> samples_;
};

Status copy_into(const Tensor& from, const ndarray::Region& region) {
  FOREBAY_RETURN_IF_ERROR(region.storage->take_memory());
  memory::copy(region.mutable_view().data, from.data(), from.size_bytes());
  return ok_status();
}

}  // namespace

FutureBatchRef ready_batch(Batch batch, bool is_external, std::vector<SampleOrigin> origins) {
  return std::make_shared<ReadyBatch>(std::move(batch), is_external, std::move(origins));
}

Result<FutureBatchRef> array_batch(Array array, const std::string& layout, bool is_split) {
  if (!array.is_valid()) {
    return invalid_argument("the array has no content");
  }
  const int rank = array.shape().rank() - (is_split ? 1 : 0);
  if (rank < 0) {
    return invalid_argument("a batch needs at least one axis: the samples");
  }
  if (!layout.empty() && static_cast<int>(layout.size()) != rank) {
    return invalid_argument("the layout '{}' does not fit {} dimensions", layout, rank);
  }
  return std::make_shared<ArrayBatch>(std::move(array), tensor::Layout(layout), is_split);
}

Result<FutureBatchRef> gathered_batch(std::vector<std::pair<FutureBatchRef, int>> samples) {
  for (const auto& [batch, index] : samples) {
    if (index < 0 || index >= batch->size()) {
      return out_of_range("sample {} of a batch of {}", index, batch->size());
    }
  }
  return std::make_shared<GatheredBatch>(std::move(samples));
}

Result<Tensor> stacked_as(const Batch& batch, const ArraySpec& spec) {
  FOREBAY_ASSIGN_OR_RETURN(Tensor whole, batch.stacked());
  const ArraySpec come{whole.shape(), whole.dtype()};
  if (!(come == spec)) {
    return invalid_argument("the samples as one array are {}, and the array was promised as {}",
                            come.to_string(), spec.to_string());
  }
  return whole;
}

// A copy: the memory is not this batch's to give.
Result<Array> FutureBatch::array(const std::optional<ArraySpec>& spec) {
  std::optional<ArraySpec> wanted = spec;
  if (!wanted) {
    FOREBAY_ASSIGN_OR_RETURN(const Batch batch, get());
    FOREBAY_ASSIGN_OR_RETURN(const Tensor whole, batch.stacked());
    wanted = ArraySpec{whole.shape(), whole.dtype()};
  }
  FOREBAY_ASSIGN_OR_RETURN(Array made, Array::create(*wanted));
  Variables reads;
  add_reads(&reads);
  const engine::Variable written = made.region().storage->variable();
  FOREBAY_RETURN_IF_ERROR(ndarray::push(
      {.name = "array", .reads = reads, .writes = {&written, 1}, .bytes = made.region().note_write()},
      [self = shared_from_this(), region = made.region()]() -> Status {
        std::vector<Tensor> samples;
        for (int index = 0; index < self->size(); ++index) {
          FOREBAY_ASSIGN_OR_RETURN(Tensor sample, self->sample(index));
          samples.push_back(std::move(sample));
        }
        FOREBAY_ASSIGN_OR_RETURN(const Tensor whole, stacked_as(Batch(std::move(samples)), region.spec));
        return copy_into(whole, region);
      }));
  return made;
}

}  // namespace forebay::calls
