#include "forebay/pipeline/samples/split_items.h"

#include <cxxabi.h>

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#include "forebay/base/caught.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::pipeline {

void split_items(int64_t count, const std::function<void(int64_t)>& function,
                 memory::MemoryResource& scratch) {
  std::mutex mutex;
  std::exception_ptr thrown;
  int64_t thrown_by = count;
  const Status ran = engine::parallel_for(static_cast<size_t>(count), [&](size_t item) -> Status {
    const memory::ScratchScope scope(scratch);
    try {
      function(static_cast<int64_t>(item));
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (static_cast<int64_t>(item) < thrown_by) {
        thrown = std::current_exception();
        thrown_by = static_cast<int64_t>(item);
      }
      return status_of_exception();
    }
    return ok_status();
  });
  if (thrown != nullptr) {
    std::rethrow_exception(thrown);
  }
  if (!ran.ok()) {
    throw std::runtime_error(std::string(message(ran)));
  }
}

}  // namespace forebay::pipeline
