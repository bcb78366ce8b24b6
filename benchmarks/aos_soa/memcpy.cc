// The C library's copy of as many bytes, same pages.
#include <gnu/libc-version.h>

#include <cstring>

#include "aos_soa/records.h"

int main(int argc, char** argv) {
  return records::run(argc, argv, "glibc", gnu_get_libc_version(), false,
                      [](const contender::Task&, records::Work& work) -> std::function<void()> {
                        return [&] { std::memcpy(work.columns->data(), work.records->data(), work.bytes()); };
                      });
}
