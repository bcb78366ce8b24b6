// A cache of the memory blocks that tasks and variables are made of. One thread takes a block and another
// gives it back, millions of times a second. Each thread keeps two magazines of blocks for each size. Only
// whole magazines (some sixty blocks) pass between threads, so a single block costs neither a lock nor a
// bounced cache line. New blocks are cut from pages; trim_blocks() returns free pages to the system.
//
// Source: Bonwick and Adams, Magazines and Vmem, USENIX 2001.
#pragma once

#include <cstddef>

namespace forebay::engine {

/// Returns a block of `bytes` bytes, aligned to 64. Callable from any thread.
void* take_block(size_t bytes);
/// Returns a block to the cache. `bytes` is the size it was taken with. Callable from any thread, even one
/// that is ending.
void give_block(void* block, size_t bytes) noexcept;

/// Returns free pages to the system, keeping up to `kept_bytes` for each size. Callable from any thread;
/// cheap when there is nothing more to return.
void trim_blocks(size_t kept_bytes);

// Mapping and unmapping pages costs more than the tasks in them, so some are kept.
inline constexpr size_t kKeptAfterWait = size_t{8} << 20;
inline constexpr size_t kKeptWhenIdle = size_t{1} << 20;

/// The total size in bytes of the pages that blocks are cut from, over the whole process.
size_t block_bytes();

}  // namespace forebay::engine
