// Through pinned memory, one chunk after another: what the overlap is worth.
#include "device_read/device_read.h"

int main(int argc, char** argv) {
  return device_read_benchmark::run(argc, argv, {.chunks_in_flight = 1, .may_be_direct = false});
}
