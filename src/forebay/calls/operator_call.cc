#include "forebay/calls/operator_call.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/calls/call_task.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::calls {
namespace {

constexpr int64_t kManyCalls = 512;
constexpr int64_t kManyBytes = int64_t{256} << 20;

std::atomic<int64_t> unfinished_calls{0};
std::atomic<int64_t> unfinished_bytes{0};

/// Counts a call until its task is gone.
class Unfinished {
 public:
  explicit Unfinished(int64_t bytes) : bytes_(bytes) {
    unfinished_calls.fetch_add(1, std::memory_order_relaxed);
    unfinished_bytes.fetch_add(bytes_, std::memory_order_relaxed);
  }
  ~Unfinished() {
    unfinished_calls.fetch_sub(1, std::memory_order_relaxed);
    unfinished_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  const int64_t bytes_;
};

struct CountedTask {
  CountedTask(CallTask made, int64_t bytes) : task(std::move(made)), counted(bytes) {}

  const CallTask task;
  const Unfinished counted;
};

bool reads_source_info(const std::string& name, const operators::Arguments& arguments) {
  const auto key = arguments.constants.find("key");
  if (name != "get_property" || key == arguments.constants.end()) {
    return false;
  }
  const auto* const text = std::get_if<std::string>(&key->second);
  return text != nullptr && *text == "source_info";
}

Status check_sizes(const CalledOperator& op, std::span<const FutureBatchRef> given, int size) {
  for (const FutureBatchRef& batch : given) {
    if (batch->size() != size && batch->size() != 1) {
      return invalid_argument("{}: a batch of {} samples was given where the call is of {}", op.name(),
                              batch->size(), size);
    }
  }
  return ok_status();
}

Status check_call(const CalledOperator& op, std::span<const FutureBatchRef> inputs,
                  std::span<const FutureBatchRef> arguments, int size) {
  if (size < 1) {
    return invalid_argument("{}: a call of {} samples; there must be at least one", op.name(), size);
  }
  if (static_cast<int>(inputs.size()) != op.arguments().num_inputs ||
      arguments.size() != op.arguments().tensors.size()) {
    return invalid_argument("{}: {} inputs and {} tensor arguments were given, {} and {} announced",
                            op.name(), inputs.size(), arguments.size(), op.arguments().num_inputs,
                            op.arguments().tensors.size());
  }
  FOREBAY_RETURN_IF_ERROR(check_sizes(op, inputs, size));
  return check_sizes(op, arguments, size);
}

Variables reads_of(std::span<const FutureBatchRef> inputs, std::span<const FutureBatchRef> arguments) {
  Variables reads;
  for (const FutureBatchRef& batch : inputs) {
    batch->add_reads(&reads);
  }
  for (const FutureBatchRef& batch : arguments) {
    batch->add_reads(&reads);
  }
  return reads;
}

int64_t held_bytes(std::span<const FutureBatchRef> inputs) {
  int64_t bytes = 0;
  for (const FutureBatchRef& batch : inputs) {
    bytes += static_cast<int64_t>(batch->held_bytes());
  }
  return bytes;
}

}  // namespace

Result<CalledOperatorRef> CalledOperator::create(const std::string& name, operators::Arguments arguments) {
  FOREBAY_ASSIGN_OR_RETURN(const operators::OperatorSpec* const spec, operators::find_operator(name));
  if (spec->scope == operators::Scope::kSource) {
    return unimplemented(
        "{} is a reader, which has a place in its data: it cannot be called like an operator", name);
  }
  if (spec->scope == operators::Scope::kExpand) {
    return unimplemented("{} changes the number of samples, which a call cannot", name);
  }
  CalledOperatorRef made(new CalledOperator);
  FOREBAY_ASSIGN_OR_RETURN(made->op_, spec->create(arguments));
  made->name_ = name;
  made->needs_origin_ = reads_source_info(name, arguments);
  made->arguments_ = std::move(arguments);
  return made;
}

uint64_t CalledOperator::random_key(uint64_t seed, uint64_t draw) const {
  const uint64_t operator_key = mix64(hash64("type:" + name_), 0);
  return forebay::random_key(seed, draw, operator_key);
}

Result<std::vector<FutureBatchRef>> call(CalledOperatorRef op, std::vector<FutureBatchRef> inputs,
                                         std::vector<FutureBatchRef> arguments, const CallOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_call(*op, inputs, arguments, options.size));
  const engine::Variable written = ndarray::new_variable();
  const Variables reads = reads_of(inputs, arguments);
  const int64_t bytes = held_bytes(inputs);
  const std::string_view name = op->name();
  std::vector<FutureBatchRef> results;
  CallTask task{std::move(op), std::move(inputs), std::move(arguments), {},
                options.size,  options.seed,      options.draw};
  for (int output = 0; output < task.op->op().num_outputs(); ++output) {
    task.outputs.push_back(std::make_shared<MadeBatch>(written, options.size));
    results.push_back(task.outputs.back());
  }
  const engine::TaskOptions how{.name = name, .site = options.site, .reads = reads, .writes = {&written, 1}};
  auto counted = std::make_unique<CountedTask>(std::move(task), bytes);
  FOREBAY_RETURN_IF_ERROR(ndarray::push(how, [counted = std::move(counted)] { return counted->task.run(); }));
  return results;
}

bool calls_are_far_ahead() {
  return unfinished_calls.load(std::memory_order_relaxed) > kManyCalls ||
         unfinished_bytes.load(std::memory_order_relaxed) > kManyBytes;
}

}  // namespace forebay::calls
