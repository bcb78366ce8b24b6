#include "main_job.h"

#include <ostream>

namespace forebay::end_to_end {
namespace {

constexpr uint64_t kOffsetBasis = 0xCBF29CE484222325;  // FNV-1a
constexpr uint64_t kPrime = 0x100000001B3;

uint64_t hash_more(uint64_t hash, Bytes bytes) {
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<uint64_t>(byte)) * kPrime;
  }
  return hash;
}

}  // namespace

Input files_input(std::vector<std::string> files) {
  return {"readers.file", {{"files", std::move(files)}}};
}

Result<std::unique_ptr<Pipeline>> open_job(Input input, const JobOptions& options) {
  auto pipe = std::make_unique<Pipeline>(options.pipeline);
  input.arguments.emplace_back("random_shuffle", options.shuffles);
  input.arguments.emplace_back("shard_id", options.shard_id);
  input.arguments.emplace_back("num_shards", options.num_shards);
  const auto read = pipe->add(input.reader, {}, input.arguments, "reader");
  Arguments decode_arguments;
  if (options.max_pixels != 0) {
    decode_arguments.emplace_back("max_pixels", options.max_pixels);
  }
  const auto decoded = pipe->add("decoders.image_random_crop", {read[0]}, decode_arguments, "decode");
  const auto resized = pipe->add("resize", {decoded[0]}, {{"size", {options.size, options.size}}}, "resize");
  const auto mirror = pipe->add("random.coin_flip", {}, {}, "mirror");
  const auto normalized = pipe->add(
      "crop_mirror_normalize", {resized[0]},
      {{"mirror", mirror[0]}, {"mean", {123.675, 116.28, 103.53}}, {"std", {58.395, 57.12, 57.375}}},
      "normalize");
  std::vector<DataNode> outputs = {normalized[0], read[1]};
  if (options.permutes) {
    std::vector<int64_t> backwards;
    for (int i = options.pipeline.batch_size - 1; i >= 0; --i) {
      backwards.push_back(i);
    }
    outputs[0] = pipe->add("permute_batch", {outputs[0]}, {{"indices", backwards}}, "permute")[0];
  }
  if (options.returns_everything) {
    outputs.insert(outputs.end(), {decoded[0], resized[0]});
  }
  pipe->set_outputs(outputs);
  FOREBAY_RETURN_IF_ERROR(pipe->build());
  return pipe;
}

std::ostream& operator<<(std::ostream& out, const SampleHash& sample) {
  return out << "epoch " << sample.epoch << " position " << sample.position << " sample "
             << sample.sample_index << " hash " << sample.hash;
}

std::vector<SampleHash> hashes_of(const pipeline::Delivery& delivery) {
  std::vector<SampleHash> samples;
  for (size_t i = 0; i < delivery.samples.size(); ++i) {
    const operators::SampleIdentity& identity = delivery.samples[i].identity;
    const int place = static_cast<int>(i);
    uint64_t hash = hash_more(kOffsetBasis, delivery.outputs[0][place].bytes());
    hash = hash_more(hash, delivery.outputs[1][place].bytes());
    samples.push_back({identity.epoch, identity.position, identity.sample_index, hash});
  }
  return samples;
}

}  // namespace forebay::end_to_end
