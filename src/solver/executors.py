"""Where jobs run: processes of this machine or workers of a Dask cluster, opened and closed in one place.

`opened` gives a `concurrent.futures.Executor`, `in_order` has it do jobs and gives their results in the
order of the jobs. `solver.arena` and `solver.sampling` hand over jobs that hold all they need, so neither
the number of workers nor the loss of one changes a bit. docs/cluster.md is the guide.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from solver._core import whole
from solver._extras import extra
from solver._version import __version__
from solver.errors import ArgumentError
from solver.runs import Interrupt

__all__ = ["in_order", "opened", "slots"]

_POLL = 0.1  # seconds between two looks for Ctrl-C
_CONNECT = "10s"  # for a scheduler to answer

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


@contextmanager
def opened(workers: int = 1, dask: str | None = None) -> Iterator[Executor | None]:
    """An executor for the block, closed after it.

    Parameters
    ----------
    workers : int, default 1
        Processes of this machine; with one, all is done here.
    dask : str, optional
        Instead: the address of a scheduler of Dask, such as ``tcp://10.0.0.1:8786``.

    Yields
    ------
    concurrent.futures.Executor or None
        None where all is to be done in this process.

    Raises
    ------
    ArgumentError
        If `workers` is no whole number of at least 1, both are given, or no scheduler answers there.
    MissingExtraError
        If `dask` is given, and dask.distributed is not installed.

    Examples
    --------
    >>> from solver import arena
    >>> with opened(workers=1) as executor:
    ...     arena.play("kuhn", ["random"], deals=5, executor=executor).deals
    5
    """
    number = whole(workers)
    if number is None or number < 1:
        raise ArgumentError(f"workers is a whole number of at least 1, not {workers!r}")
    if dask is not None:
        if number != 1:
            raise ArgumentError("give either workers or the address of Dask's scheduler, which has its own workers")
        with _dask(dask) as executor:
            yield executor
    elif number == 1:
        yield None
    else:
        # a fork would copy the threads of a progress bar
        context: Any = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(number, context, initializer=_begin_worker) as pool:
            yield pool


def _begin_worker() -> None:
    """Ctrl-C ends a worker without a word; so does the end of who started it, even by a kill."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the parent's end: its workers would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """The workers of a scheduler."""
    distributed = extra("distributed", "cluster")
    try:
        client = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"no scheduler of Dask answers at {address!r}: {error}") from error
    with client:
        _check_workers(client, address)
        # two jobs alike are still two: what an agent plays may hang on the clock
        executor: Executor = client.get_executor(pure=False)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)


def _check_workers(client: Any, address: str) -> None:
    """Refuse a cluster that could not play, or would play by other rules."""
    if not client.nthreads():
        raise ArgumentError(f"the scheduler at {address} has no workers: start some with `dask worker {address}`")
    try:
        versions = client.run(_version)
    except Exception as error:
        # Dask hands on as a plain Exception what a worker cannot load
        raise ArgumentError(
            f"workers of {address} cannot load this library, which they need in version {__version__}: {error}"
        ) from error
    for worker, version in sorted(versions.items()):
        if version != __version__:
            raise ArgumentError(f"worker {worker} has version {version} of this library, here it is {__version__}")


def _version() -> str:
    return __version__


def slots(executor: Executor) -> int:
    """How many jobs an executor does at a time, as far as it says; else the processors of this machine."""
    client: Any = getattr(executor, "_client", None)
    if callable(getattr(client, "nthreads", None)):
        threads: dict[str, int] = client.nthreads()
        return max(1, sum(threads.values()))
    own: int | None = getattr(executor, "_max_workers", None)
    return own or os.cpu_count() or 1


def in_order(
    executor: Executor, function: Callable[[_Job], _Result], jobs: Iterable[_Job], interrupt: Interrupt
) -> Generator[_Result, None, None]:
    """What comes of jobs, in their order.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    function : callable
        Of an importable module, where the executor has other processes.
    jobs : iterable
        Taken as they are handed over, a few more than can be done at a time: later ones may hang on earlier results.
    interrupt : Interrupt
        After Ctrl-C no more are handed over, and what is finished without a gap is still given.

    Yields
    ------
    object
        The result of each job. When the generator is closed, jobs that have not begun are cancelled.

    Raises
    ------
    Exception
        What a job raises; what the executor raises if it lost its workers.
    """
    ahead = 4 * slots(executor) + 4
    pending: deque[Future[_Result]] = deque()
    left = iter(jobs)
    more = True
    try:
        while True:
            while more and len(pending) < ahead and not interrupt.asked:
                try:
                    pending.append(executor.submit(function, next(left)))
                except StopIteration:
                    more = False
            if not pending:
                return
            while not interrupt.asked and not wait([pending[0]], _POLL).done:
                pass
            if interrupt.asked and not pending[0].done():
                return
            try:
                result = pending.popleft().result()
            except (BrokenExecutor, KeyboardInterrupt):
                # Ctrl-C reaches the workers as well
                if interrupt.asked:
                    return
                raise
            yield result
    finally:
        for future in pending:
            future.cancel()
