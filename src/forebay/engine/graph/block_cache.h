// Blocks of tasks and variables, which one thread takes and another gives back millions of times a second.
// Each thread keeps two magazines of blocks a size; only those pass between threads, some sixty blocks at
// once, so that no lock and no line of a processor's cache goes to and fro for each block. New blocks are cut
// from pages, which go back to the system by trim_blocks().
//
// Source: Bonwick and Adams, Magazines and Vmem, USENIX 2001.
#pragma once

#include <cstddef>

namespace forebay::engine {

/// A block of `bytes` bytes at a multiple of 64. Any thread.
void* take_block(size_t bytes);
/// `bytes` as it was taken. Any thread, also while it ends.
void give_block(void* block, size_t bytes) noexcept;

/// Gives free pages back to the system, but for `kept_bytes` of each size. Any thread; quick when there are
/// no more.
void trim_blocks(size_t kept_bytes);

// Pages that come and go cost more than the tasks in them.
inline constexpr size_t kKeptAfterWait = size_t{8} << 20;
inline constexpr size_t kKeptWhenIdle = size_t{1} << 20;

/// Pages that blocks are cut from, in bytes, of the whole process.
size_t block_bytes();

}  // namespace forebay::engine
