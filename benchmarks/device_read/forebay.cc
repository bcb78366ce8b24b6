// As it comes: by GPUDirect Storage where the machine has it.
#include "device_read/device_read.h"

int main(int argc, char** argv) {
  return device_read_benchmark::run(argc, argv, {});
}
