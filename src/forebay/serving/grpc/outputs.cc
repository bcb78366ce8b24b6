// The outputs of an answer as the request asked for them: classes, places in shared memory.
#include "forebay/serving/grpc/outputs.h"

#include <algorithm>
#include <utility>

namespace forebay::serving {
namespace {

Result<NamedTensor> classes_for(const NamedTensor& output, int64_t class_count, const InferResponse& response,
                                const TensorExtensions& extensions, const ModelServer& models) {
  if (extensions.classify == nullptr) {
    return unimplemented("classification is not offered by this server");
  }
  FOREBAY_ASSIGN_OR_RETURN(const ModelMetadata metadata, models.metadata(response.model, response.version));
  return extensions.classify(output, class_count, metadata);
}

Result<DeliveredOutput> deliver_output(const RequestedOutput& requested, const InferResponse& response,
                                       const TensorExtensions& extensions, const ModelServer& models) {
  const auto output = std::find_if(response.outputs.begin(), response.outputs.end(),
                                   [&](const NamedTensor& tensor) { return tensor.name == requested.name; });
  if (output == response.outputs.end()) {
    return internal_error("model '{}' did not give it", response.model);
  }
  DeliveredOutput delivered{*output, requested.place};
  if (requested.class_count > 0) {
    FOREBAY_ASSIGN_OR_RETURN(delivered.tensor,
                             classes_for(*output, requested.class_count, response, extensions, models));
    delivered.tensor.name = requested.name;
  }
  if (requested.place.has_value()) {
    if (extensions.write_place == nullptr) {
      return unimplemented("shared memory is not offered by this server");
    }
    FOREBAY_RETURN_IF_ERROR(extensions.write_place(*requested.place, delivered.tensor.bytes()));
    delivered.place->size_bytes = delivered.tensor.size_bytes;
  }
  return delivered;
}

}  // namespace

Result<std::vector<DeliveredOutput>> deliver_outputs(const InferResponse& response,
                                                     const std::vector<RequestedOutput>& requested,
                                                     const TensorExtensions& extensions,
                                                     const ModelServer& models) {
  std::vector<DeliveredOutput> all;
  for (const RequestedOutput& output : requested) {
    Result<DeliveredOutput> delivered = deliver_output(output, response, extensions, models);
    if (!delivered.ok()) {
      return annotate(delivered.status(), fmt::format("output '{}'", output.name));
    }
    all.push_back(*std::move(delivered));
  }
  if (requested.empty()) {
    for (const NamedTensor& output : response.outputs) {
      all.push_back({output, std::nullopt});
    }
  }
  return all;
}

}  // namespace forebay::serving
