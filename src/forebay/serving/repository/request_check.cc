// A request against what is known of the model.
#include "forebay/serving/repository/request_check.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "forebay/base/nearest_name.h"
#include "forebay/base/utf8.h"

namespace forebay::serving {
namespace {

template <class Named>
const Named* named(const std::vector<Named>& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
  return at == all.end() ? nullptr : &*at;
}

Status unknown_name(const std::vector<TensorMetadata>& known, const std::string& name, const char* what) {
  NearestName nearest(name);
  std::vector<std::string_view> names;
  for (const TensorMetadata& each : known) {
    nearest.look_at(each.name);
    names.push_back(each.name);
  }
  if (nearest.is_near()) {
    return invalid_argument("the model has no {} '{}'; is '{}' meant?", what, printable(name),
                            nearest.found());
  }
  return invalid_argument("the model has no {} '{}'; it has {}", what, printable(name),
                          fmt::join(names, ", "));
}

bool fits(const std::vector<int64_t>& shape, const std::vector<int64_t>& allowed) {
  return std::equal(shape.begin(), shape.end(), allowed.begin(), allowed.end(),
                    [](int64_t extent, int64_t wanted) { return wanted == -1 || extent == wanted; });
}

Status check_input(const NamedTensor& input, const ModelMetadata& metadata) {
  const TensorMetadata* const wanted = named(metadata.inputs, input.name);
  if (wanted == nullptr) {
    return unknown_name(metadata.inputs, input.name, "input");
  }
  if (wanted->takes_any) {
    const bool lacks_batch = metadata.max_batch_size > 0 && input.shape.empty();
    return lacks_batch
               ? invalid_argument("input '{}' is a scalar; its first extent is that of the batch", input.name)
               : ok_status();
  }
  if (input.datatype != wanted->datatype) {
    return invalid_argument("input '{}' is of {}; the model takes {}", input.name, name_of(input.datatype),
                            name_of(wanted->datatype));
  }
  if (!fits(input.shape, wanted->shape)) {
    return invalid_argument("input '{}' has the shape {}; the model takes {}{}", input.name,
                            shape_text(input.shape), shape_text(wanted->shape),
                            metadata.max_batch_size > 0 ? ", whose first extent is that of the batch" : "");
  }
  return ok_status();
}

Status check_inputs(const InferRequest& request, const ModelMetadata& metadata) {
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    FOREBAY_RETURN_IF_ERROR(check_input(request.inputs[i], metadata));
    for (size_t j = 0; j < i; ++j) {
      if (request.inputs[j].name == request.inputs[i].name) {
        return invalid_argument("input '{}' is given twice", request.inputs[i].name);
      }
    }
  }
  std::vector<std::string_view> missing;
  for (const TensorMetadata& wanted : metadata.inputs) {
    if (!wanted.is_optional && named(request.inputs, wanted.name) == nullptr) {
      missing.push_back(wanted.name);
    }
  }
  if (!missing.empty()) {
    return invalid_argument("the model needs {} input{} and got {}; missing: {}", metadata.inputs.size(),
                            metadata.inputs.size() == 1 ? "" : "s", request.inputs.size(),
                            fmt::join(missing, ", "));
  }
  return ok_status();
}

Status check_batch(const InferRequest& request, const ModelMetadata& metadata) {
  if (metadata.max_batch_size == 0) {
    return ok_status();
  }
  for (const NamedTensor& input : request.inputs) {
    const int64_t rows = input.shape.front();  // a model that takes batches has no shape without an extent
    if (rows < 1 || rows > metadata.max_batch_size) {
      return invalid_argument("input '{}' has {} rows; the model takes from 1 to {}", input.name, rows,
                              metadata.max_batch_size);
    }
    if (rows != request.inputs.front().shape.front()) {
      return invalid_argument("input '{}' has {} rows, and '{}' has {}; all inputs have as many", input.name,
                              rows, request.inputs.front().name, request.inputs.front().shape.front());
    }
  }
  return ok_status();
}

Status check_outputs(const InferRequest& request, const ModelMetadata& metadata) {
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const std::string& name = request.outputs[i].name;
    if (named(metadata.outputs, name) == nullptr) {
      return unknown_name(metadata.outputs, name, "output");
    }
    for (size_t j = 0; j < i; ++j) {
      if (request.outputs[j].name == name) {
        return invalid_argument("output '{}' is asked for twice", name);
      }
    }
  }
  return ok_status();
}

}  // namespace

Status check_request(const InferRequest& request, const ModelMetadata& metadata) {
  FOREBAY_RETURN_IF_ERROR(check_inputs(request, metadata));
  FOREBAY_RETURN_IF_ERROR(check_batch(request, metadata));
  return check_outputs(request, metadata);
}

int64_t rows_of(const InferRequest& request, const ModelMetadata& metadata) {
  const bool has_rows =
      metadata.max_batch_size > 0 && !request.inputs.empty() && !request.inputs.front().shape.empty();
  return has_rows ? request.inputs.front().shape.front() : 1;
}

}  // namespace forebay::serving
