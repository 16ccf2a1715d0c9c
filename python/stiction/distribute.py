"""Answers the rows of many files on many processors or machines: python -m stiction.distribute --help.

Every block of rows is a task that may be lost and done again: it writes a file of another name, and gives it its own when
it is whole. Beside it, FILE.inputs says what it answers, by hashes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import dataclasses
import fcntl
import functools
import glob
import hashlib
import json
import multiprocessing
import os
import re
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._checker import BatchChecker, describe_results, scenario_arguments, sha256_of
from ._program import PROGRAM as PROGRAM, run_program, words_of
from ._stiction import __version__
from ._tables import TABLE_SUFFIXES, count_rows, read_table, table_suffix, write_table
from ._types import InputError

#: Endings of files that the program itself reads and writes.
LINES = (".csv", ".jsonl")

#: Workers or nodes that may be lost in a row, without a block answered in between.
MOST_LOSSES = 5


@dataclasses.dataclass(frozen=True)
class Job:
    """What all blocks share; workers get a copy."""

    scenario: str  #: file, or "" for grasps
    kind: str  #: "rows" of a scenario, "robots" or "grasps"
    changes: tuple[tuple[str, str], ...]
    folders: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]  #: of BatchChecker
    origin: tuple[tuple[str, str], ...]  #: what answers depend on beside the rows


@dataclasses.dataclass(frozen=True)
class Input:
    """A file of rows as it was when the run began."""

    path: str
    rows: int
    sha256: str
    size: int
    modified: int

    @staticmethod
    def of(path: str) -> Input:
        status = os.stat(path)
        return Input(path, count_rows(path), sha256_of(path), status.st_size, status.st_mtime_ns)

    def require_unchanged(self) -> None:
        status = os.stat(self.path)
        if (status.st_size, status.st_mtime_ns) != (self.size, self.modified):
            raise InputError(f"--inputs: want '{self.path}' as it was at first, got another", "--inputs")


@dataclasses.dataclass(frozen=True)
class Block:
    """Consecutive rows of a file, and the file of their answers."""

    input: Input
    index: int  #: from 1
    count: int
    out: str

    @property
    def range(self) -> tuple[int, int]:
        rows = self.input.rows
        return rows * (self.index - 1) // self.count, rows * self.index // self.count

    @property
    def shard(self) -> str:
        return f"{self.index}/{self.count}" if self.count > 1 else ""


# ------------------------------------------------------------------------------------------------------------ one block


@functools.lru_cache(maxsize=1)
def _checker(job: Job) -> BatchChecker:
    """Of this process, loaded once."""
    options = dict(job.options)
    if job.kind == "grasps":
        return BatchChecker(**{**options, "constants": dict(options["constants"])})
    which = "scenario" if job.kind == "rows" else "scene"
    return BatchChecker(**{which: job.scenario}, set=dict(job.changes), package_path=job.folders, **options)


def _answer_columns(job: Job, block: Block, out: str) -> tuple[int, int]:
    first, last = block.range
    columns = read_table(block.input.path, first, last, flat=job.kind == "grasps")
    columns.setdefault("id", np.arange(first + 1, last + 1))
    answers = _checker(job)(columns)
    write_table(out, answers)
    return len(answers["status"]), int(np.count_nonzero(answers["status"]))


def _answer_lines(job: Job, block: Block, out: str) -> tuple[int, int]:
    """Lines of text are the program's own trade."""
    done = run_program(
        "batch",
        *scenario_arguments(job.scenario, job.changes, job.folders),
        *("--inputs", block.input.path, "--out", out, "--threads", "1"),
        *(("--shard", block.shard) if block.shard else ()),
    )
    said = re.search(r"^(\d+) rows(?:, (\d+) bad)?, ", done.stderr.splitlines()[-1] if done.stderr else "")
    if not said:
        raise InputError(words_of(done), "--inputs")
    with open(out + ".inputs", encoding="utf-8") as file:
        origin = json.load(file)
    os.remove(out + ".inputs")
    for part, value in (*job.origin, ("rows", block.input.sha256)):
        if part != "asked" and origin[part] != value:
            raise InputError(f"{part}: want it as it was at first, got another", part)
    return int(said[1]), int(said[2] or 0)


def answer_block(job: Job, block: Block) -> tuple[int, int]:
    """Writes the answers to a block: (rows, bad ones). However often it is begun, they are there once or not at all."""
    block.input.require_unchanged()
    suffix = os.path.splitext(block.out)[1]
    folder, name = os.path.split(block.out)
    part = os.path.join(folder, f".{name}.{socket.gethostname()}.{uuid.uuid4().hex}.part{suffix}")
    try:
        lines = job.kind == "rows" and suffix in LINES
        rows, bad = (_answer_lines if lines else _answer_columns)(job, block, part)
        block.input.require_unchanged()
        if rows != block.range[1] - block.range[0]:
            raise InputError(
                f"--inputs: want {block.range[1] - block.range[0]} rows, got {rows} in '{block.input.path}'", "--inputs"
            )
        told = {**expected_origin(job, block), "answered": rows, "bad": bad, "results": sha256_of(part)}
        with open(part + ".inputs", "w", encoding="utf-8") as file:
            file.write(json.dumps(told) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, block.out)
        os.replace(part + ".inputs", block.out + ".inputs")
    finally:
        for left in (part, part + ".inputs"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(left)
    return rows, bad


def expected_origin(job: Job, block: Block) -> dict[str, str]:
    return {**dict(job.origin), "rows": block.input.sha256, "shard": block.shard}


def finished(job: Job, block: Block) -> tuple[int, int] | None:
    """(rows, bad ones) of a block that was answered before; None: it is to be done. @raises InputError when the file
    answers something else."""
    try:
        with open(block.out + ".inputs", encoding="utf-8") as file:
            told = json.load(file)
    except (FileNotFoundError, ValueError):
        return None
    for part, value in expected_origin(job, block).items():
        if told.get(part) != value:
            raise InputError(
                f"--resume: want results of the same {part}, got those of another in '{block.out}'", "--resume"
            )
    if not os.path.exists(block.out) or sha256_of(block.out) != told["results"]:
        return None
    return told["answered"], told["bad"]


# -------------------------------------------------------------------------------------------------------------- engines

Engine = Callable[[Callable[..., Any], Sequence[tuple]], Iterator[tuple[int, Any]]]


def on_processes(workers: int) -> Engine:
    """Calls function(*arguments) in `workers` processes, in any order: (index, result). A process that is lost is replaced,
    and what it did is done again."""

    def run(function: Callable[..., Any], tasks: Sequence[tuple]) -> Iterator[tuple[int, Any]]:
        waiting, losses = dict(enumerate(tasks)), 0
        if workers == 1:  # this one will do
            yield from ((index, function(*arguments)) for index, arguments in waiting.items())
            return
        while waiting:
            context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
            pool = concurrent.futures.ProcessPoolExecutor(min(workers, len(waiting)), mp_context=context)
            try:
                futures = {pool.submit(function, *arguments): index for index, arguments in waiting.items()}
                for future in concurrent.futures.as_completed(futures):
                    result = future.result()
                    del waiting[futures[future]]
                    losses = 0
                    yield futures[future], result
            except concurrent.futures.process.BrokenProcessPool:
                losses += 1
                if losses > MOST_LOSSES:
                    raise RuntimeError(f"{losses} processes were lost without a block answered in between") from None
                print(f"stiction: a worker was lost; {len(waiting)} blocks to go", file=sys.stderr)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return run


def on_ray(ray: Any) -> Engine:
    """The same on a Ray cluster, whose nodes may come and go."""

    def run(function: Callable[..., Any], tasks: Sequence[tuple]) -> Iterator[tuple[int, Any]]:
        # By hand rather than with max_retries: those are counted per task, and a task may be unlucky.
        remote = ray.remote(max_retries=0, num_cpus=1)(function)
        waiting, running, losses = list(range(len(tasks)))[::-1], {}, 0
        while waiting or running:
            most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while waiting and len(running) < most:
                index = waiting.pop()
                running[remote.remote(*tasks[index])] = index
            done, _ = ray.wait(list(running), timeout=5.0)
            for reference in done:
                index = running.pop(reference)
                try:
                    result = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise (error.cause if isinstance(error.cause, InputError) else error) from None
                except ray.exceptions.RayError as error:  # its worker or node is gone
                    losses += 1
                    if losses > MOST_LOSSES * most:
                        raise RuntimeError(
                            f"{losses} workers were lost without a block answered in between: {error}"
                        ) from None
                    print(
                        f"stiction: a worker was lost ({type(error).__name__}); its block is done again",
                        file=sys.stderr,
                    )
                    waiting.append(index)
                    continue
                losses = 0
                yield index, result

    return run


def choose_engine(options: argparse.Namespace) -> Engine:
    if options.engine == "processes":
        return on_processes(options.workers)
    try:
        import ray
    except ModuleNotFoundError:
        if options.address or options.engine == "ray":
            raise InputError(
                "--address: want Ray for other machines (pip install 'stiction[ray]'), got none", "--address"
            ) from None
        print(f"stiction: Ray is not installed; {options.workers} processes of this machine", file=sys.stderr)
        return on_processes(options.workers)
    if options.address:
        ray.init(address=options.address, log_to_driver=False, logging_level="WARNING")
    else:
        ray.init(
            address="local",
            num_cpus=options.workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="WARNING",
        )
    nodes = [node for node in ray.nodes() if node["Alive"]]
    print(
        f"stiction: Ray with {len(nodes)} node{'s' * (len(nodes) != 1)}, "
        f"{int(ray.cluster_resources().get('CPU', 0))} processors",
        file=sys.stderr,
    )
    return on_ray(ray)


# ------------------------------------------------------------------------------------------------------------ the whole


class Narrator:
    """Says on standard error how far it is: a line that renews itself on a terminal, else one every ten seconds."""

    def __init__(self, blocks: int, rows: int, quiet: bool):
        self.blocks, self.total, self.quiet = blocks, rows, quiet
        self.done = self.rows = self.bad = self.before = 0
        self._start = self._last = time.monotonic()

    def add(self, rows: int, bad: int, before: bool = False) -> None:
        self.done += 1
        self.rows += rows
        self.bad += bad
        self.before += rows * before
        self.say()

    def say(self, last: bool = False) -> None:
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if self.quiet or (not last and now - self._last < (0.1 if terminal else 10.0)):
            return
        self._last = now
        seconds = max(now - self._start, 1e-9)
        rate = (self.rows - self.before) / seconds
        text = "" if last else f"{100 * self.rows / max(1, self.total):3.0f} %  "
        text += f"{self.rows} rows" + (f" ({self.before} before)" if self.before else "")
        text += f", {self.bad} bad" if self.bad else ""
        text += f", {self.done} of {self.blocks} files, {rate:.0f}/s"
        if last:
            text += f", {seconds:.1f} s"
        elif rate > 0:
            left = int((self.total - self.rows) / rate)
            text += f", {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        end = "" if terminal and not last else "\n"
        print(f"\r{text:79}" if terminal else text, end=end, file=sys.stderr, flush=True)


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def make_job(options: argparse.Namespace) -> Job:
    changes = []
    for change in options.set or ():
        path, equals, value = change.partition("=")
        if not equals:
            raise InputError(f"--set: want PATH=VALUE, got '{change}'", "--set")
        changes.append((path, value))
    kind = "grasps" if options.grasps else "robots" if options.robots else "rows"
    if (kind == "grasps") == (options.scenario is not None):
        raise InputError("SCENARIO: want one, or --grasps", "SCENARIO")
    asked: dict[str, Any] = {}
    if kind != "rows":
        asked = {"ask": tuple(options.ask.split(",")) if options.ask else None, "keep": tuple(options.keep or ())}
    elif options.ask or options.keep:
        raise InputError("--ask: want none for rows of a scenario: its options say what is asked", "--ask")
    if kind == "grasps":
        asked |= {"cutoff": options.cutoff}
        constants = tuple((path, float(value)) for path, value in changes)
        return Job(
            "",
            kind,
            (),
            (),
            tuple(asked.items()) + (("constants", constants),),
            (("program", __version__), ("asked", _hash([kind, asked, constants]))),
        )
    scenario = os.path.abspath(options.scenario)
    if options.question and kind == "rows":
        changes.append(("question", options.question))
    elif options.question:
        asked["question"] = options.question
    folders = tuple(os.path.abspath(folder) for folder in options.package_path or ())
    _, origin = describe_results(scenario, changes, folders)
    kept = {part: origin[part] for part in ("program", "scenario", "set", "urdf")}
    return Job(
        scenario, kind, tuple(changes), folders, tuple(asked.items()), (*kept.items(), ("asked", _hash([kind, asked])))
    )


def plan(inputs: Sequence[Input], out: str, rows: int, suffix: str | None) -> list[Block]:
    blocks, owner = [], {}
    for entry in inputs:
        stem, own = os.path.splitext(os.path.basename(entry.path))
        count = max(1, -(-entry.rows // rows))
        for index in range(1, count + 1):
            name = stem + (f".{index:05}-of-{count:05}" if count > 1 else "") + (suffix or own)
            if name in owner:
                raise InputError(
                    f"--inputs: want files of different names, got '{owner[name]}' and '{entry.path}'", "--inputs"
                )
            owner[name] = entry.path
            blocks.append(Block(entry, index, count, os.path.join(out, name)))
    return blocks


def remove_parts(out: str) -> None:
    """Files of workers that were lost."""
    for path in glob.glob(os.path.join(glob.escape(out), ".*.part.*")):
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)


def remaining(job: Job, blocks: list[Block], options: argparse.Namespace, narrator: Narrator) -> list[Block]:
    """Blocks that are not answered yet. @raises InputError when the folder holds results of anything else."""
    remove_parts(options.out)
    known = {os.path.basename(block.out) for block in blocks}
    for name in sorted(os.listdir(options.out)):
        path = os.path.join(options.out, name)
        if not name.endswith(TABLE_SUFFIXES):
            continue
        if not options.resume:
            raise InputError(f"--out: want a folder without results, or --resume, got '{path}'", "--out")
        if name not in known:
            raise InputError(f"--resume: want results of these inputs only, got '{path}'", "--resume")
    todo = []
    for block in blocks:
        before = finished(job, block) if options.resume else None
        if before is None:
            todo.append(block)
        else:
            narrator.add(*before, before=True)
    return todo


def find_inputs(options: argparse.Namespace) -> list[str]:
    """Files of rows, of which none is in the folder of results."""
    found = {
        os.path.abspath(path) for pattern in options.inputs for path in glob.glob(pattern, recursive=True) or [pattern]
    }
    for path in found:
        table_suffix(path, "--inputs")
        if not os.path.isfile(path):
            raise InputError(f"--inputs: want existing files, got '{path}'", "--inputs")
        if os.path.dirname(path) == options.out:
            raise InputError(f"--out: want another folder than that of the inputs, got '{options.out}'", "--out")
        if (
            not (options.grasps or options.robots)
            and options.format
            and (path.endswith(LINES) != options.format.endswith(("csv", "jsonl")))
        ):
            raise InputError(
                f"--format: want csv or jsonl for lines of text, parquet or npz for arrays, got {options.format} "
                f"for '{path}'",
                "--format",
            )
    return sorted(found)


def distribute(options: argparse.Namespace) -> int:
    options.out = os.path.abspath(options.out)
    paths = find_inputs(options)
    job = make_job(options)
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, ".lock"), "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until this process ends, however it does
        except BlockingIOError:
            raise InputError(
                f"--out: want a folder that no other run is writing, got '{options.out}'", "--out"
            ) from None
        engine = choose_engine(options)
        inputs: list[Any] = [None] * len(paths)
        for index, entry in engine(Input.of, [(path,) for path in paths]):
            inputs[index] = entry
        blocks = plan(inputs, options.out, options.block, options.format and "." + options.format)
        narrator = Narrator(len(blocks), sum(entry.rows for entry in inputs), options.quiet)
        todo = remaining(job, blocks, options, narrator)
        for _, done in engine(answer_block, [(job, block) for block in todo]):
            narrator.add(*done)
        remove_parts(options.out)
        narrator.say(last=True)
    return 2 if narrator.bad else 0


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m stiction.distribute",
        description=__doc__.splitlines()[0].split(":")[0],
        epilog="Exit codes: 0 every row was answered, 2 some row was bad (it says so, the rest is done) or bad usage.",
    )
    p.add_argument(
        "scenario", metavar="SCENARIO", nargs="?", help="scenario whose entries rows replace, as `stiction batch` does"
    )
    p.add_argument(
        "--inputs",
        metavar="ROWS",
        nargs="+",
        required=True,
        help="files or patterns: .parquet, .npz, .csv, .jsonl; other machines find them under the same names",
    )
    p.add_argument(
        "--out", metavar="DIR", required=True, help="one file of results per file of rows, or per block of it"
    )
    what = p.add_mutually_exclusive_group()
    what.add_argument("--grasps", action="store_true", help="rows are grasps (points, normals, mu), without a scenario")
    what.add_argument("--robots", action="store_true", help="rows are states of the scenario's robots (q, …)")
    p.add_argument("--ask", help="for grasps and robots: what check_batch is asked, as closed,epsilon")
    p.add_argument("--cutoff", type=float, help="for epsilon of grasps")
    p.add_argument("--keep", nargs="*", help="for grasps and robots: columns that are passed on")
    p.add_argument(
        "--set", action="append", metavar="PATH=VALUE", help="replaces an entry; of grasps: a number for all, as mu=0.5"
    )
    p.add_argument("--question")
    p.add_argument("--package-path", action="append", metavar="DIR")
    p.add_argument("--block", type=int, default=100_000, metavar="ROWS", help="most rows per task and file of results")
    p.add_argument(
        "--format", choices=[suffix[1:] for suffix in TABLE_SUFFIXES], help="of the results; as the rows unless given"
    )
    p.add_argument("--engine", choices=("ray", "processes"), help="Ray where it is installed, else processes")
    p.add_argument("--address", help="of a Ray cluster, or auto; without, Ray starts on this machine")
    p.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="on this machine")
    p.add_argument("--resume", action="store_true", help="finished files are not done again")
    p.add_argument("--quiet", action="store_true", help="no progress on standard error")
    return p


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.block < 1 or options.workers < 1:
            raise InputError("--block: want at least 1, of --workers too", "--block")
        return distribute(options)
    except (InputError, OSError, RuntimeError) as error:
        print(f"stiction: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stiction: interrupted; --resume goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    # Workers import the module by its name, which has to be that of the functions that they are sent.
    from stiction.distribute import main as run

    sys.exit(run())
