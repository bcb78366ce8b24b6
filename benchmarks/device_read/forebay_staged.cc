// Through pinned memory, reads and copies at once.
#include "device_read/device_read.h"

int main(int argc, char** argv) {
  return device_read_benchmark::run(argc, argv, {.may_be_direct = false});
}
