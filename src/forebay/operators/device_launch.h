// What an operator puts on a device's queue: kernels whose body is a plain function of an index.
//
//   struct Double {
//     Status run(Sample& sample) const;                                  // on the host
//     Result<TensorSpec> output_spec(const Sample& sample) const;        // on a device: the shape first,
//     Status launch(std::span<Sample> group, LaunchQueue& queue) const;  // then the work
//   };
//
// The body compiles for host and device: it calls nothing but other such functions, touches memory that its
// arguments point to, and asks for none. The simulated device runs the body itself; a GPU runs a kernel whose
// threads do. So what a GPU computes is tested where there is none.
#pragma once

#include <cstdint>
#include <type_traits>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::operators {

/// Does the part `index` of the work. `arguments` is the struct that was launched with it.
using KernelBody = void (*)(const void* arguments, int64_t index);

/// A queue of a device as an operator's launch() sees it. What is put on it runs later, in the order it was
/// put there.
class LaunchQueue {
 public:
  virtual ~LaunchQueue() = default;

  /// Puts body(arguments, i) for i from 0 to count-1 on the queue, in any order or at once. `name` is that of
  /// the device's kernel. The arguments are copied before this returns; what they point to is the caller's to
  /// keep.
  virtual Status launch(const char* name, KernelBody body, int64_t count, Bytes arguments) = 0;

  template <class Arguments>
    requires std::is_trivially_copyable_v<Arguments>
  Status launch(const char* name, KernelBody body, int64_t count, const Arguments& arguments) {
    return launch(name, body, count, Bytes(reinterpret_cast<const std::byte*>(&arguments), sizeof arguments));
  }
};

}  // namespace forebay::operators
