// Work that comes again and again (a training step) as one launch of a graph, where that pays. The first time
// a piece of work is put on the queue as it is; the second time it is captured, made into a graph and
// launched; from then on it is launched. Whatever stands in the way of that, it is put on the queue as it is.
//
// Work is known again by a key (after Apophenia, Yadav et al., ASPLOS 2025: a repeated stream is recorded
// when it comes again; MLX's CUDA backend: a bounded set of graphs, updated where the shape is the same). It
// is captured on a queue of its own, because on the queue itself another thread may ask for a point at any
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/memory/device/device_graph.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

/// Below so many pieces (kernels, copies, fills) a graph is not worth its launch: a launch of a graph costs a
/// processor 3.5 to 8 us (CUDA.jl's handbook, "CUDA graphs"), one of a kernel about 3 (Velox, pull request
/// 6096). benchmarks/repeated_step measures it.
inline constexpr size_t kFewestPieces = 4;

struct RepeatedWorkOptions {
  memory::Queue queue;         // that does the work
  uint32_t capture_queue = 0;  // another of its driver, which nobody else uses: work is captured there
  size_t most_graphs = 8;      // the least recently used goes
  size_t fewest_pieces = kFewestPieces;
};

/// What became of the calls of RepeatedWork::run().
struct RepeatedWorkCounts {
  uint64_t plain = 0;     // put on the queue as it is
  uint64_t launched = 0;  // put there by a graph
  uint64_t made = 0;      // graphs, anew
  uint64_t updated = 0;   // graphs, from the one that was used least recently
  uint64_t failed = 0;    // captures, graphs and launches that came to nothing
};

/// Used by one thread at a time, e.g. by bodies of tasks of one device executor. Its end waits until the
/// device has passed what was launched.
class RepeatedWork {
 public:
  /// Puts work on the queue that it is given, the same each time for one key, and does nothing else: it is
  /// called again when a capture came to nothing, and not at all when a graph stands for the work. While it
  /// is captured it may not ask for points, wait, or take memory; if it does, the work stays plain. Copies by
  /// memory::copy_async ask for a point, so they are not for here.
  using Put = absl::FunctionRef<Status(memory::Queue queue)>;

  /// Keeps `device` (whatever owns the driver) alive. invalid_argument when both queues are the same or there
  /// may be no graph. A driver without graphs is no error: all work stays plain then.
  static Result<std::unique_ptr<RepeatedWork>> create(const RepeatedWorkOptions& options,
                                                      std::shared_ptr<const void> device);
  ~RepeatedWork();
  RepeatedWork(const RepeatedWork&) = delete;
  RepeatedWork& operator=(const RepeatedWork&) = delete;

  /// Puts the work on the queue, in one way or the other. `key` is a hash of all that the work depends on:
  /// kernels, shapes, addresses, parameters; memory at those addresses belongs to the work whenever it runs.
  /// `owners` (of that memory, for instance) is kept until the device has passed the last launch of a graph
  /// made in this call. Errors and exceptions are those of `put`, and then the queue has what `put` has put
  /// there, or nothing if it was captured.
  Status run(uint64_t key, Put put, std::shared_ptr<const void> owners = nullptr);

  const RepeatedWorkCounts& counts() const { return counts_; }

 private:
  /// Work that has come before.
  struct Entry {
    uint64_t key = 0;
    bool stays_plain = false;
    std::optional<memory::DeviceGraph> graph;
    std::shared_ptr<const void> owners;  // of what the graph uses
  };
  /// What the device may still use, until the fence.
  struct Retired {
    std::optional<memory::DeviceGraph> graph;
    std::shared_ptr<const void> owners;
    Fence last_use;
  };

  RepeatedWork(const RepeatedWorkOptions& options, std::shared_ptr<const void> device);
  bool bring_to_front(uint64_t key);
  Status run_plainly(Put put);
  bool try_launch(Entry& entry);
  Status run_captured(Entry& entry, Put put, std::shared_ptr<const void> owners);
  bool make_graph(Entry& entry, const memory::CapturedWork& work);
  bool update_oldest(Entry& entry, const memory::CapturedWork& work);
  void note_failure(Entry& entry);
  void retire(Entry& entry);
  void release_passed();

  const RepeatedWorkOptions options_;
  const std::shared_ptr<const void> device_;
  const bool has_graphs_;
  std::vector<Entry> entries_;  // most recently used first
  std::vector<Retired> retired_;
  int64_t owed_ = 0;  // for captures, by launches to come
  RepeatedWorkCounts counts_;
};

}  // namespace forebay::cuda
