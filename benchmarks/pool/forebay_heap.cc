// Forebay's pool without caches: each request goes through the heap and its size classes.
#include "pool/forebay_pool.h"

int main(int argc, char** argv) {
  return pool_benchmark::run_forebay(contender::read_task(argc, argv), 0);
}
