// Names of the threads that a trace has met, also of those that have ended.
#pragma once

#include <cstdint>
#include <string>

namespace forebay {

/// Keeps the calling thread's name, as the kernel knows it, for the number that it has in traces; "main" for
/// the process's first thread. Called once by each thread. Takes no lock.
void keep_thread_name(uint32_t number);

/// Bytes, which need not be UTF-8; none where no name was kept, which is so beyond some thousand threads.
std::string thread_name(uint32_t number);

}  // namespace forebay
