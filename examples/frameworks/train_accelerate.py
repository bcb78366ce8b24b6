"""Trains a small network with Accelerate on pictures of a pipeline, and goes on amid an epoch from a checkpoint.

    python examples/frameworks/train_accelerate.py [FOLDER] [--epochs N]
    torchrun --nproc-per-node 2 examples/frameworks/train_accelerate.py [FOLDER] [--epochs N]

Each process reads a shard of its own, so the network is prepared and the data set is not: Accelerate would divide it
once more. With `all_ranks` the checkpoint, which the first process writes, has the places of all.
"""

import accelerate
from accelerate.utils import gather_object
from photo_pipeline import BATCH, arguments_of, pictures, report
from torch_network import optimizer_of, scored, small_network

from forebay.plugin.pytorch import DALIClassificationIterator, IterableDataset

CHECKPOINT = "demo/accelerate"


def batches_of(folder, rank, ranks):
    pipe = pictures(folder, "CHW", rank, ranks, batch_size=BATCH // ranks)
    return IterableDataset(DALIClassificationIterator(pipe, reader_name="reader", squeeze_labels=True), all_ranks=True)


def main():
    accelerator = accelerate.Accelerator(cpu=True)
    with accelerator.main_process_first():
        folder, classes, epochs = arguments_of(__doc__)
    batches = batches_of(folder, accelerator.process_index, accelerator.num_processes)
    network = small_network(classes)
    network, optimizer = accelerator.prepare(network, optimizer_of(network))
    accelerator.register_for_checkpointing(batches)  # the place in the data is saved with the network

    def steps_of_epoch():
        for batch in batches:
            loss, right = scored(network, *(batch[name].to(accelerator.device) for name in ("data", "label")))
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            yield len(batch["label"]), loss.item(), right

    for epoch in range(1, epochs + 1):
        steps = []
        for step in steps_of_epoch():
            steps.append(step)
            if epoch == epochs and len(steps) == max(1, len(batches) // 2):
                accelerator.save_state(CHECKPOINT)
        of_all = gather_object(steps)
        if accelerator.is_main_process:
            report(epoch, of_all)
    accelerator.load_state(CHECKPOINT)
    again = list(steps_of_epoch())
    accelerator.print(f"from the checkpoint amid epoch {epochs}: {len(again)} of {len(steps)} steps again,",
                      "the same losses" if again == steps[len(steps) - len(again):] else "other losses")
    accelerator.end_training()


if __name__ == "__main__":
    main()
