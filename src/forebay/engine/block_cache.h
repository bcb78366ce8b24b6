// Blocks of tasks and variables, which one thread takes and another gives back millions of times a second.
// Each thread keeps two magazines of blocks a size; only full and empty ones pass between threads, thirty-two
// blocks at once, so that no lock and no line of a processor's cache goes to and fro for each block.
//
// Source: Bonwick and Adams, Magazines and Vmem, USENIX 2001.
#pragma once

#include <cstddef>

namespace forebay::engine {

/// A block of `bytes` bytes, aligned as operator new aligns. Any thread.
void* take_block(size_t bytes);
/// `bytes` as it was taken. Any thread, also while it ends.
void give_block(void* block, size_t bytes) noexcept;

}  // namespace forebay::engine
