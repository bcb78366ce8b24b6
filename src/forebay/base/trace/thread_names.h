// Names of the threads that a trace has met, also of those that have ended.
#pragma once

#include <cstdint>
#include <string>

namespace forebay {

/// Keeps the calling thread's name, as the kernel knows it, for the number that it has in traces; "main" for
/// the process's first thread. Called once by each thread. Takes no lock.
void keep_thread_name(uint32_t number);

/// "" where none was kept: beyond some thousand threads, and for a name that is not UTF-8.
std::string thread_name(uint32_t number);

}  // namespace forebay
