// How many processors this process may use.
#pragma once

namespace forebay {

/// The processors that the process's first thread may run on (taskset, cpusets, a batch system's share), at
/// least 1; those of the machine where the kernel does not say. A control group's share of time (cpu.max) is
/// not counted. Any thread may ask, also one that is pinned itself.
int usable_cpus();

}  // namespace forebay
