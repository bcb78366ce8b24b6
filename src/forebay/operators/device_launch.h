// What an operator puts on a device queue: kernels whose body is a plain function of an index.
//
//   struct Double {
//     Status run(Sample& sample) const;                                  // on the host
//     Result<TensorSpec> output_spec(const Sample& sample) const;        // on a device: the shape first,
//     Status launch(std::span<Sample> group, LaunchQueue& queue) const;  // then the work
//   };
//
// The body is compiled for host and device: it may only call other such functions, access memory that its
// arguments point to, and allocate nothing. The simulated device runs the body itself; a GPU runs a kernel
// whose threads run it. So what a GPU computes can be tested without one.
#pragma once

#include <cstdint>
#include <type_traits>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::operators {

/// Does part `index` of the work. `arguments` is the struct passed to the launch.
using KernelBody = void (*)(const void* arguments, int64_t index);

/// A device queue as an operator's launch() sees it. Work put on it runs later, in order.
class LaunchQueue {
 public:
  virtual ~LaunchQueue() = default;

  /// Puts body(arguments, i) for i from 0 to count-1 on the queue, to run in any order or at once. `name` is
  /// the name of the device kernel. The arguments are copied before this returns; the caller must keep what
  /// they point to alive.
  virtual Status launch(const char* name, KernelBody body, int64_t count, Bytes arguments) = 0;

  template <class Arguments>
    requires std::is_trivially_copyable_v<Arguments>
  Status launch(const char* name, KernelBody body, int64_t count, const Arguments& arguments) {
    return launch(name, body, count, Bytes(reinterpret_cast<const std::byte*>(&arguments), sizeof arguments));
  }
};

}  // namespace forebay::operators
