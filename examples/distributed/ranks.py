"""What the training scripts of this folder share: the pipeline of one rank, the loop, and the checkpoint of all ranks.

Ranks are those of torch.distributed, whoever has started it.
"""

import argparse
import os
import pathlib
import sys

import torch
import torch.distributed as dist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from make_photos import CLASSES, make_photos  # noqa: E402

from forebay import fn, pipeline_def, types  # noqa: E402
from forebay.plugin.pytorch import DALIClassificationIterator, LastBatchPolicy  # noqa: E402

GLOBAL_BATCH = 24
SIZE = 32
MEAN = [123.675, 116.28, 103.53]
STD = [58.395, 57.12, 57.375]


@pipeline_def(num_threads=1, device_id=None, seed=1)
def pictures(store, rank, ranks):
    """Normalised floats, (batch, channel, height, width), and labels, (batch, 1)."""
    files, labels = fn.readers.file(file_root=store, random_shuffle=True, shard_id=rank, num_shards=ranks, name="reader")
    images = fn.resize(fn.decoders.image_random_crop(files), size=(SIZE, SIZE))
    images = fn.crop_mirror_normalize(images, mirror=fn.random.coin_flip(), dtype=types.FLOAT, mean=MEAN, std=STD)
    return images, labels


def arguments_of(about):
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="a folder or URL with one folder a class; made in demo/ranks if there is none")
    parser.add_argument("--photos", type=int, default=240, help="how many are made")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--checkpoint", type=pathlib.Path, default=pathlib.Path("demo/ranks.pt"),
                        help="written at the end of an epoch and by --stop-after; gone on from where it is there")
    parser.add_argument(
        "--stop-after", type=int, metavar="STEPS", help="saves and ends after so many steps, also in the middle of an epoch"
    )
    parser.add_argument("--log-samples", type=pathlib.Path, metavar="FILE", help="gets a line a sample: epoch, rank, object")
    return parser


def prepared(arguments):
    """The arguments for all ranks, with pictures in the store."""
    if arguments.store is None:
        arguments.store = "demo/ranks"
        make_photos(arguments.store, arguments.photos)
    if "://" not in arguments.store:
        arguments.store = str(pathlib.Path(arguments.store).resolve())
    for name in ("checkpoint", "log_samples"):
        if getattr(arguments, name) is not None:
            setattr(arguments, name, getattr(arguments, name).resolve())
    arguments.checkpoint.parent.mkdir(parents=True, exist_ok=True)
    return arguments


def check_ranks(ranks):
    """Ends where so many cannot share a batch."""
    if ranks < 1 or GLOBAL_BATCH % ranks:
        raise SystemExit(f"{ranks} ranks cannot share a batch of {GLOBAL_BATCH} samples: take a divisor of it")


def check_data(store, ranks):
    """Raises what the ranks would: the store cannot be read, or it has fewer samples than there are ranks."""
    pipeline = pictures(store, 0, ranks, batch_size=GLOBAL_BATCH // ranks)
    pipeline.reader_meta("reader")
    pipeline.close()


def small_network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 5, stride=2), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, len(CLASSES)),
    )


def save(path, epoch, network, optimizer, place):
    """The network, and where each rank is in the data: the states of all ranks, from which any number goes on."""
    states = [None] * dist.get_world_size()
    dist.all_gather_object(states, place)
    if dist.get_rank() == 0:
        whole = {"epoch": epoch, "network": network.module.state_dict(), "optimizer": optimizer.state_dict(), "data": states}
        torch.save(whole, f"{path}.part")
        os.replace(f"{path}.part", path)
    dist.barrier()


def load(path, network, optimizer, batches):
    """The epoch to go on in."""
    if not path.exists():
        return 0
    whole = torch.load(path, weights_only=True)
    network.module.load_state_dict(whole["network"])
    optimizer.load_state_dict(whole["optimizer"])
    batches.load_state_dict(whole["data"])
    print(f"rank {dist.get_rank()} of {dist.get_world_size()} goes on in epoch {whole['epoch']}, where "
          f"{len(whole['data'])} ranks were")
    return whole["epoch"]


def log(path, pipeline):
    """Appends what the last batch was made of; the ranks write to one file, each batch at once."""
    lines = [f"{sample['epoch']} {dist.get_rank()} {sample['object']}\n" for sample in pipeline.delivered()]
    with open(path, "ab", buffering=0) as file:
        file.write("".join(lines).encode())


def train(arguments):
    """The loop of one rank."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    pipeline = pictures(arguments.store, rank, ranks, batch_size=GLOBAL_BATCH // ranks)
    # FILL: the ranks take equally many steps, and nothing is left out or repeated.
    batches = DALIClassificationIterator(pipeline, reader_name="reader", last_batch_policy=LastBatchPolicy.FILL,
                                         squeeze_labels=True, auto_reset=True)
    torch.manual_seed(1)
    network = torch.nn.parallel.DistributedDataParallel(small_network())
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    steps = 0
    for epoch in range(load(arguments.checkpoint, network, optimizer, batches), arguments.epochs):
        losses = []
        for (batch,) in batches:
            loss = torch.nn.functional.cross_entropy(network(batch["data"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if arguments.log_samples is not None:
                log(arguments.log_samples, pipeline)
            steps += 1
            if steps == arguments.stop_after:
                place = batches.state_dict()
                if next(batches, None) is None:
                    break  # that was the epoch's last step
                save(arguments.checkpoint, epoch, network, optimizer, place)
                return
        save(arguments.checkpoint, epoch + 1, network, optimizer, batches.state_dict())
        if rank == 0 and losses:
            print(f"epoch {epoch}: {len(losses)} steps of {ranks} ranks, loss {sum(losses) / len(losses):.3f}")
        if steps == arguments.stop_after:
            return
