// Forebay's conversion, one thread.
#include "aos_soa/records.h"

int main(int argc, char** argv) {
  using namespace forebay;
  return records::run(argc, argv, "forebay", FOREBAY_VERSION, true,
                      [](const contender::Task& task, records::Work& work) -> std::function<void()> {
                        if (task.text.at("way") == "split") {
                          return [&] {
                            (void)tensor::split_records(work.layout, work.records->bytes(), work.parts);
                          };
                        }
                        (void)tensor::split_records(work.layout, work.records->bytes(), work.parts);
                        const std::vector<Bytes> columns(work.parts.begin(), work.parts.end());
                        return [&work, columns] {
                          (void)tensor::join_records(work.layout, columns, work.records->mutable_bytes());
                        };
                      });
}
