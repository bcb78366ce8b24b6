"""Trains a small network on several ranks that share a store, each a process under torchrun.

    torchrun --nproc-per-node 4 examples/distributed/train_torchrun.py [--store URL] [--stop-after STEPS]

Started again it goes on from its checkpoint, also with another number of ranks: no sample is lost or seen twice.
"""

import os
import sys

import torch.distributed as dist
from ranks import arguments_of, check_ranks, prepared, train


def main():
    arguments = arguments_of(__doc__).parse_args()
    check_ranks(int(os.environ["WORLD_SIZE"]))
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        prepared(arguments)
    dist.barrier()  # the pictures are there
    train(prepared(arguments))
    dist.destroy_process_group()
    # DistributedDataParallel keeps gloo's threads, and one that is late to drop a tensor aborts a Python that ends.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
