// Loads and runs an ONNX model.
#include "forebay/serving/processes/onnx_session.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace forebay::serving {
namespace {

/// Nothing where it is no tensor.
Result<std::optional<OnnxShape>> tensor_shape(const OnnxLibrary& library, const OrtTypeInfo* info) {
  int kind = 0;
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kOnnxType, info, &kind));
  if (kind != kOrtTypeTensor) {
    return std::optional<OnnxShape>();
  }
  const OrtShapeInfo* shape = nullptr;  // belongs to `info`
  FOREBAY_RETURN_IF_ERROR(library.call(OrtEntry::kCastToShapeInfo, info, &shape));
  FOREBAY_ASSIGN_OR_RETURN(OnnxShape read, shape_of(library, shape));
  return std::optional<OnnxShape>(std::move(read));
}

std::vector<const char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(text.c_str());
  }
  return pointers;
}

}  // namespace

Status OnnxSession::open_model() {
  FOREBAY_ASSIGN_OR_RETURN(OnnxLibrary library, OnnxLibrary::open(options_.places));
  library_ = std::make_unique<OnnxLibrary>(std::move(library));
  OrtEnv* env = nullptr;
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kCreateEnv, kOrtLogWarning, "forebay", &env));
  env_ = OrtEnvRef(env, {library_.get()});
  OrtMemoryInfo* memory = nullptr;
  FOREBAY_RETURN_IF_ERROR(
      library_->call(OrtEntry::kCreateCpuMemoryInfo, kOrtArenaAllocator, kOrtMemoryDefault, &memory));
  memory_ = OrtMemoryInfoRef(memory, {library_.get()});
  OrtSessionOptions* settings = nullptr;
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kCreateSessionOptions, &settings));
  const OrtSessionOptionsRef owned_settings(settings, {library_.get()});
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kSetIntraOpThreads, settings, options_.intra_op_threads));
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kSetGraphOptimizationLevel, settings, kOrtOptimizeAll));
  OrtSession* session = nullptr;
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kCreateSession, static_cast<const OrtEnv*>(env),
                                         options_.model.c_str(),
                                         static_cast<const OrtSessionOptions*>(settings), &session));
  session_ = OrtSessionRef(session, {library_.get()});
  return ok_status();
}

Result<std::string> OnnxSession::name_of_tensor(OrtEntry entry, size_t index) {
  OrtAllocator* allocator = nullptr;
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kDefaultAllocator, &allocator));
  char* text = nullptr;
  FOREBAY_RETURN_IF_ERROR(
      library_->call(entry, static_cast<const OrtSession*>(session_.get()), index, allocator, &text));
  std::string name = text;
  FOREBAY_RETURN_IF_ERROR(library_->call(OrtEntry::kAllocatorFree, allocator, static_cast<void*>(text)));
  return name;
}

Result<std::vector<TensorMetadata>> OnnxSession::tensors(OrtEntry count, OrtEntry name, OrtEntry info,
                                                         bool may_skip) {
  const OrtSession* const session = session_.get();
  size_t number = 0;
  FOREBAY_RETURN_IF_ERROR(library_->call(count, session, &number));
  std::vector<TensorMetadata> all;
  for (size_t i = 0; i < number; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(std::string own_name, name_of_tensor(name, i));
    OrtTypeInfo* type = nullptr;
    FOREBAY_RETURN_IF_ERROR(library_->call(info, session, i, &type));
    const OrtTypeInfoRef owned_type(type, {library_.get()});
    FOREBAY_ASSIGN_OR_RETURN(std::optional<OnnxShape> shape, tensor_shape(*library_, type));
    if (!shape && may_skip) {
      continue;
    }
    if (!shape) {
      return unimplemented("{}: the input '{}' is no tensor", options_.model, own_name);
    }
    const Result<Datatype> datatype = datatype_of_onnx(shape->element_type);
    if (!datatype.ok()) {
      return annotate(datatype.status(), fmt::format("{}: '{}'", options_.model, own_name));
    }
    all.push_back({std::move(own_name), *datatype, std::move(shape->extents), {}});
  }
  return all;
}

Status OnnxSession::check_batches(const ReadyMessage& ready) const {
  if (options_.max_batch_size == 0) {
    return ok_status();
  }
  for (const std::vector<TensorMetadata>* const side : {&ready.inputs, &ready.outputs}) {
    for (const TensorMetadata& tensor : *side) {
      if (tensor.shape.empty() || tensor.shape.front() != -1) {
        return invalid_argument(
            "{}: max_batch_size is {}, but the first extent of '{}', [{}], is fixed; export the model with a "
            "dynamic one, or set max_batch_size to 0",
            options_.model, options_.max_batch_size, tensor.name, fmt::join(tensor.shape, ", "));
      }
    }
  }
  return ok_status();
}

Result<ReadyMessage> OnnxSession::load() {
  FOREBAY_RETURN_IF_ERROR(annotate(open_model(), options_.model));
  ReadyMessage ready = {.platform = "onnxruntime_onnx", .max_batch_size = options_.max_batch_size};
  FOREBAY_ASSIGN_OR_RETURN(
      ready.inputs, tensors(OrtEntry::kInputCount, OrtEntry::kInputName, OrtEntry::kInputTypeInfo, false));
  FOREBAY_ASSIGN_OR_RETURN(
      ready.outputs, tensors(OrtEntry::kOutputCount, OrtEntry::kOutputName, OrtEntry::kOutputTypeInfo, true));
  FOREBAY_RETURN_IF_ERROR(check_batches(ready));
  for (const TensorMetadata& input : ready.inputs) {
    input_names_.push_back(input.name);
  }
  for (const TensorMetadata& output : ready.outputs) {
    output_names_.push_back(output.name);
  }
  return ready;
}

// ONNX Runtime itself runs with inputs that are missing, and fails where they are used, or worse.
Status OnnxSession::check_inputs(const WorkerRequest& request) const {
  for (const std::string& name : input_names_) {
    const auto is_it = [&name](const NamedTensor& input) { return input.name == name; };
    if (std::none_of(request.inputs.begin(), request.inputs.end(), is_it)) {
      return invalid_argument("the input '{}' is missing", name);
    }
  }
  return ok_status();
}

Result<std::vector<NamedTensor>> OnnxSession::run(WorkerRequest request) {
  FOREBAY_RETURN_IF_ERROR(check_inputs(request));
  std::vector<OrtValueRef> owned;
  std::vector<const OrtValue*> inputs;
  std::vector<const char*> input_names;
  for (const NamedTensor& input : request.inputs) {
    FOREBAY_ASSIGN_OR_RETURN(OrtValueRef value, onnx_value(*library_, memory_.get(), input));
    inputs.push_back(value.get());
    input_names.push_back(input.name.c_str());
    owned.push_back(std::move(value));
  }
  const std::vector<std::string>& wanted = request.outputs.empty() ? output_names_ : request.outputs;
  const std::vector<const char*> wanted_names = c_strings(wanted);
  std::vector<OrtValue*> values(wanted.size());
  const Status status = library_->call(
      OrtEntry::kRun, session_.get(), static_cast<const OrtRunOptions*>(nullptr),
      static_cast<const char* const*>(input_names.data()), static_cast<const OrtValue* const*>(inputs.data()),
      inputs.size(), static_cast<const char* const*>(wanted_names.data()), wanted_names.size(),
      values.data());
  std::vector<OrtValueRef> results;
  for (OrtValue* const value : values) {
    results.emplace_back(value, OrtRelease<OrtValue, OrtEntry::kReleaseValue>{library_.get()});
  }
  FOREBAY_RETURN_IF_ERROR(status);
  std::vector<NamedTensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor output, tensor_of(*library_, wanted[i], std::move(results[i])));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace forebay::serving
