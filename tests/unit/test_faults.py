"""Full disks, folders that are read only, files that claim more than they hold: what was finished stays."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import solver
from solver import _parquet_footer, arena, cfr, kuhn, policy
from solver.errors import ArchiveError
from solver.policy import PolicyTable

resource = pytest.importorskip("resource", reason="limits of files are of Unix")


def child(script, *words):
    """Run a script in a process of its own: (status, what it printed)."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, words)], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout + done.stderr


FULL = """
import resource, sys
from solver import arena, cfr, kuhn, policy
from solver.policy import PolicyTable
path, size, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
table = cfr.solve(kuhn.Game(), iterations=50).policy
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    if what == "save":
        table.save(path)
    elif what == "json":
        table.to_json(path)
    elif what == "parquet":
        table.to_parquet(path)
    elif what == "checkpoint":
        cfr.solve(kuhn.Game(), iterations=40, checkpoint=path)
    else:
        arena.play("kuhn", ["random", "random"], deals=200, seed=4, record=path)
except OSError as error:
    assert error.filename and error.filename.endswith("file"), error.filename
    print("named", error.strerror)
"""


@pytest.mark.parametrize("what", ["save", "json", "parquet", "checkpoint"])
def test_a_full_disk_leaves_the_file_before_it(what, tmp_path):
    path = tmp_path / "file"
    if what == "checkpoint":
        cfr.solve(kuhn.Game(), iterations=30, checkpoint=path)
    else:
        path.write_bytes(b"what was there")
    before = path.read_bytes()
    assert child(FULL, path, 500, what) == (0, "named File too large\n")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["file"]
    if what == "checkpoint":
        whole = cfr.solve(kuhn.Game(), iterations=40)
        again = cfr.solve(kuhn.Game(), iterations=40, checkpoint=path)
        assert again.policy == whole.policy or again.tree_policy.probabilities[0].tobytes() == (
            whole.tree_policy.probabilities[0].tobytes()
        )


@pytest.mark.parametrize("size", [10, 1000, 3000, 5001])
def test_a_record_on_a_full_disk_is_gone_on_with(size, tmp_path):
    path, other = tmp_path / "file", tmp_path / "whole"
    assert child(FULL, path, size, "arena") == (0, "named File too large\n")
    assert path.stat().st_size == size
    whole = arena.play("kuhn", ["random", "random"], deals=200, seed=4, record=other)
    assert arena.play("kuhn", ["random", "random"], deals=200, seed=4, record=path) == whole
    assert path.read_bytes() == other.read_bytes()


READ_ONLY = """
import os, sys
from solver import arena, cfr, kuhn
from solver.policy import PolicyTable
import solver._cfr, solver.symmetry
folder = sys.argv[1]
table = cfr.solve(kuhn.Game(), iterations=5, checkpoint=folder + "/warm").policy
os.unlink(folder + "/warm")
os.chmod(folder, 0o555)
if os.geteuid() == 0:
    os.setuid(65534)  # to root all folders can be written to
for call in (
    lambda: table.save(folder + "/a"),
    lambda: table.to_json(folder + "/a"),
    lambda: cfr.solve(kuhn.Game(), iterations=5, checkpoint=folder + "/a"),
    lambda: arena.play("kuhn", ["random"], deals=1, record=folder + "/a"),
):
    try:
        call()
    except PermissionError as error:
        assert error.filename.startswith(folder), error.filename
        print("refused")
"""


def test_a_folder_that_is_read_only(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for above in tmp_path.parents[:2]:
        if os.geteuid() == 0 and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)
    assert child(READ_ONLY, folder) == (0, "refused\n" * 4)
    folder.chmod(0o755)
    assert os.listdir(folder) == []


def test_a_small_parquet_file_that_claims_much(tmp_path):
    """A run of one value takes some bytes whatever its length, and a page of zeros can be packed to nothing."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "bomb"
    for rows, entries in ((2_000_000, 1), (100, 100_000)):
        column = pa.LargeListArray.from_arrays(
            pa.array(np.arange(rows + 1) * entries), pa.array(np.zeros(rows * entries, np.int32))
        )
        pq.write_table(pa.table({"actions": column}), path, compression="zstd")
        assert path.stat().st_size < 600_000
        with pytest.raises(ArchiveError, match="claim"):
            PolicyTable.from_parquet(path)
    rows, width = 500, 40
    texts, actions = [str(i) for i in range(rows)], np.tile(np.arange(width), rows)
    many = PolicyTable.build(texts, [0] * rows, np.arange(rows + 1) * width, actions, np.full(rows * width, 1 / width))
    many.to_parquet(path)
    assert PolicyTable.from_parquet(path) == many


def thrift(number):
    """A whole number as Thrift's compact protocol has it."""
    number *= 2
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])


def test_a_parquet_page_that_claims_more_than_the_footer(tmp_path):
    """Arrow made room for what the head of a page says."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, count = tmp_path / "bomb", 3000
    column = pa.LargeListArray.from_arrays(pa.array(np.arange(count + 1)), pa.array(np.arange(count, dtype=np.int32)))
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    pq.write_table(pa.table({"actions": column}), path, **options)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
    data = path.read_bytes()
    heads = chunk.total_uncompressed_size - _parquet_footer.claims(data).pages
    assert 10 < heads < 40  # of one page
    at = chunk.data_page_offset + 3  # behind the kind of page
    told = data[at : at + 3]
    page = data[:at] + thrift(1 << 30) + data[at + 3 :]
    assert told[-1] < 128 <= min(told[:2])
    longer = page.replace(thrift(chunk.total_compressed_size), thrift(chunk.total_compressed_size + 2))
    assert len(longer) == len(data) + 2
    path.write_bytes(longer)
    with pytest.raises(ArchiveError, match="claim 3,000 rows of 3,000 values and 1,073,741,824 bytes"):
        PolicyTable.from_parquet(path)


SMALL = """
import resource, sys
from solver import policy
from solver.policy import PolicyTable
from solver.errors import SolverError
import pyarrow, pyarrow.parquet
before = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (before + (600 << 20),) * 2)
for reader in (policy.load, PolicyTable.from_json, PolicyTable.from_parquet):
    try:
        reader(sys.argv[1])
    except SolverError as error:
        print(type(error).__name__)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="bounds of memory are of Linux")
def test_packed_files_are_not_unpacked(tmp_path):
    """Zips of deflated members, one of which tells of 8 GB, are no files of ours."""
    import zipfile

    pytest.importorskip("pyarrow")
    path = tmp_path / "bomb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        with file.open("keys.npy", "w", force_zip64=True) as member:
            member.write(
                b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u8', 'fortran_order': False, 'shape': (1073741824,), }\n"
            )
            for _ in range(16):
                member.write(bytes(4 << 20))
        file.writestr("meta.json", "{}")
    assert path.stat().st_size < 1_100_000
    assert child(SMALL, path) == (0, "ArchiveError\n" * 3)


def test_nothing_is_unpickled_or_executed():
    """No reader of ours can: nothing imports what would, nothing calls it."""
    for file in Path(solver.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            rooms = {name.split(".")[0] for name in names}
            assert not rooms & {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
            if isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                built_in = isinstance(node.func, ast.Name) and called in ("eval", "exec", "__import__")
                assert not built_in, (file, node.lineno)
                numpys = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") in ("np", "numpy")
                assert not (numpys and called in ("load", "fromfile", "loadtxt")), (file, node.lineno)
            if isinstance(node, ast.keyword):
                assert node.arg != "allow_pickle", (file, node.value.lineno)


def test_a_pickle_is_no_policy(tmp_path):
    import pickle

    class Opened:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "opened"),)

    path = tmp_path / "evil"
    path.write_bytes(pickle.dumps(Opened()))
    for reader in (policy.load, PolicyTable.from_json):
        with pytest.raises(ArchiveError):
            reader(path)
    np.save(tmp_path / "evil.npy", np.array([Opened()], object), allow_pickle=True)
    with pytest.raises(ArchiveError):
        policy.load(tmp_path / "evil.npy")
    assert not (tmp_path / "opened").exists()
