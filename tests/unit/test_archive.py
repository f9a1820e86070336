"""The file of arrays: what is written is read, and what is damaged, foreign or crafted is refused by name."""

import errno
import json
import os
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest

from solver import archive
from solver.errors import ArchiveError, ArgumentError, SolverError

ARRAYS = {
    "keys": np.arange(40, dtype=np.uint64) ** 3,
    "half": np.linspace(0, 1, 15, dtype=np.float32).reshape(3, 5),
    "none": np.empty(0, np.int32),
    "one": np.array(2.5),
    "signs": np.array([-1, 0, 1], np.int8),
}
META = {"game": "kuhn", "seed": 7, "more": [1.5, None, {"ü": True}]}


@pytest.fixture
def path(tmp_path):
    result = tmp_path / "a.bin"
    archive.write(result, "thing", ARRAYS, META, block=64)
    return result


def crafted(text):
    """A file with this `meta.json`, whose check sum is right."""
    lines = archive._directory_entry(0, b"meta.json", zlib.crc32(text), len(text))
    return text + lines + archive._end(len(text), len(lines), 1) + archive._trailer(0, text)


@pytest.mark.parametrize("verify", ["auto", "full", "lazy"])
def test_what_is_written_is_read(path, verify):
    with archive.read(path, "thing", verify) as file:
        file.verify()
        assert file.meta == META
        assert file.arrays.keys() == ARRAYS.keys()
        for name, array in ARRAYS.items():
            assert file.arrays[name].dtype == array.dtype
            assert file.arrays[name].shape == array.shape
            assert np.array_equal(file.arrays[name], array)
            assert not file.arrays[name].flags.writeable
            assert file.arrays[name].flags.aligned


def test_any_npz_reader_opens_it(path):
    with np.load(path, allow_pickle=False) as file:
        for name, array in ARRAYS.items():
            assert np.array_equal(file[name], array)
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        assert json.loads(file.read("meta.json"))["meta"] == META
        assert all(info.compress_type == zipfile.ZIP_STORED for info in file.infolist())


def test_members_are_aligned(path):
    with zipfile.ZipFile(path) as file:
        for info in file.infolist():
            with open(path, "rb") as raw:
                raw.seek(info.header_offset + 26)
                lengths = np.frombuffer(raw.read(4), "<u2")
            assert (info.header_offset + 30 + int(lengths.sum())) % 64 == 0


def test_same_content_gives_same_bytes(path, tmp_path):
    other = tmp_path / "b.bin"
    backwards = {name: ARRAYS[name] for name in reversed(ARRAYS)}
    backwards["half"] = np.asfortranarray(backwards["half"])
    archive.write(other, "thing", backwards, dict(reversed(META.items())), block=64)
    assert other.read_bytes() == path.read_bytes()


def test_zip_of_more_than_four_gigabytes(tmp_path, monkeypatch):
    """The same with the limit put down: 64-bit fields, which other readers must find."""
    monkeypatch.setattr(archive, "_ZIP32", 150)
    path = tmp_path / "a.bin"
    archive.write(path, "thing", ARRAYS, META)
    assert np.array_equal(archive.read(path, "thing").arrays["keys"], ARRAYS["keys"])
    with np.load(path, allow_pickle=False) as file:
        for name, array in ARRAYS.items():
            assert np.array_equal(file[name], array)


def test_no_arrays(tmp_path):
    archive.write(tmp_path / "a.bin", "thing", {}, {})
    assert archive.read(tmp_path / "a.bin", "thing").arrays == {}


@pytest.mark.parametrize("verify", ["full", "lazy"])
def test_cut_anywhere(path, verify):
    data = path.read_bytes()
    cut = path.with_name("cut.bin")
    for length in range(len(data)):
        cut.write_bytes(data[:length])
        with pytest.raises(ArchiveError):
            archive.read(cut, "thing", verify)


@pytest.mark.parametrize("more", [b"\0", b"\n", b"PK\5\6", bytes(100)])
def test_something_follows(path, more):
    path.write_bytes(path.read_bytes() + more)
    with pytest.raises(ArchiveError):
        archive.read(path, "thing")


def test_any_byte_changed(path):
    data = bytearray(path.read_bytes())
    for at in range(len(data)):
        for pattern in (1 << at % 8, 0xFF):
            data[at] ^= pattern
            path.write_bytes(data)
            data[at] ^= pattern
            with pytest.raises(ArchiveError):
                archive.read(path, "thing")


def test_any_byte_changed_and_verified_lazily(path):
    """Each array is what it was, or its check raises."""
    data = bytearray(path.read_bytes())
    refused = 0
    with open(path, "r+b", buffering=0) as raw:
        for at in range(len(data)):
            raw.seek(at)
            raw.write(bytes([data[at] ^ (1 << at % 8)]))
            try:
                file = archive.read(path, "thing", "lazy")
            except ArchiveError:
                refused += 1
            else:
                wrong = 0
                for name, array in file.arrays.items():
                    try:
                        file.check(name)
                        assert np.array_equal(array, ARRAYS[name])
                    except ArchiveError:
                        wrong += 1
                assert wrong == 1
            raw.seek(at)
            raw.write(data[at : at + 1])
    assert len(data) - refused == sum(array.nbytes for array in ARRAYS.values())


def test_blocks_are_verified_one_by_one(path):
    at = path.read_bytes().index(ARRAYS["keys"].tobytes())
    with open(path, "r+b") as raw:
        raw.seek(at + 64 * 2 + 5)
        raw.write(b"\xaa")
    file = archive.read(path, "thing", "lazy")
    assert list(file.verified["keys"]) == [0] * 5
    file.check("keys", 0, 128)
    assert list(file.verified["keys"]) == [1, 1, 0, 0, 0]
    file.check("keys", 192, 192)
    file.check("keys", 192, 193)
    assert list(file.verified["keys"]) == [1, 1, 0, 1, 0]
    for start, stop in ((0, None), (127, 129), (191, 193)):
        with pytest.raises(ArchiveError, match="array keys"):
            file.check("keys", start, stop)
    for start, stop in ((-1, 5), (0, 321), (5, 4)):
        with pytest.raises(ArgumentError):
            file.check("keys", start, stop)
    file.close()
    with pytest.raises(ArgumentError, match="closed"):
        file.check("keys")


def test_other_kind_and_other_version_are_named(path, monkeypatch):
    with pytest.raises(ArchiveError, match=r"'thing'.*'policy'"):
        archive.read(path, "policy")
    monkeypatch.setattr(archive, "FORMAT", 12)
    with pytest.raises(ArchiveError, match=r"version 1.*version 12"):
        archive.read(path, "thing")


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        archive.read(tmp_path / "none", "thing")
    with pytest.raises(OSError, match=tmp_path.name):
        archive.read(tmp_path, "thing")


def test_foreign_files(tmp_path):
    path = tmp_path / "foreign"
    for content in (b"", b"PK", b"text\n" * 100, bytes(1000)):
        path.write_bytes(content)
        with pytest.raises(ArchiveError):
            archive.read(path, "thing")
    for save in (np.savez, np.savez_compressed):
        with open(path, "wb") as file:
            save(file, **ARRAYS)
        with pytest.raises(ArchiveError, match="another program's"):
            archive.read(path, "thing")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_packed_anew_by_another_program(path, compression):
    """The right comment and members, but not our bytes."""
    with zipfile.ZipFile(path) as file:
        members = {info.filename: file.read(info) for info in file.infolist()}
        comment = file.comment
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
        file.comment = comment
    with pytest.raises(ArchiveError):
        archive.read(path, "thing")


CHANGES = {
    "no object": lambda d: [d],
    "no format": lambda d: d.pop("format"),
    "another format": lambda d: d.update(format="x"),
    "version true": lambda d: d.update(version=True),
    "no kind": lambda d: d.pop("kind"),
    "one entry more": lambda d: d.update(more=1),
    "block 0": lambda d: d.update(block=0),
    "block 63": lambda d: d.update(block=63),
    "block text": lambda d: d.update(block="64"),
    "meta a list": lambda d: d.update(meta=[]),
    "no members": lambda d: d.update(members=[]),
    "members a number": lambda d: d.update(members=3),
    "member a number": lambda d: d["members"].insert(0, 3),
    "many members": lambda d: d.update(members=d["members"] * 1000),
    "member twice": lambda d: d["members"].insert(0, d["members"][0]),
    "not in order": lambda d: d["members"].reverse(),
    "huge": lambda d: d["members"][1].update(shape=[1 << 40]),
    "huge in two": lambda d: d["members"][1].update(shape=[1 << 30, 1 << 30]),
    "huge and empty": lambda d: d["members"][1].update(shape=[0, 1 << 47, 1 << 47]),
    "larger than the file": lambda d: d["members"][1].update(shape=[1 << 20]),
    "negative": lambda d: d["members"][1].update(shape=[-1]),
    "true": lambda d: d["members"][1].update(shape=[True]),
    "float": lambda d: d["members"][1].update(shape=[40.0]),
    "nine dimensions": lambda d: d["members"][1].update(shape=[1] * 9),
    "object dtype": lambda d: d["members"][1].update(dtype="|O"),
    "big-endian": lambda d: d["members"][1].update(dtype=">u8"),
    "dtype a list": lambda d: d["members"][1].update(dtype=[["a", "<u8"]]),
    "name of a folder": lambda d: d["members"][1].update(name="../keys"),
    "crc too large": lambda d: d["members"][1].update(crc=1 << 32),
    "one block less": lambda d: d["members"][-1].update(shape=[d["members"][-1]["shape"][0] - 1]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("verify", ["full", "lazy"])
def test_crafted_description(path, change, verify):
    """A file of 1 kB cannot ask for more than it has, nor lead anywhere else."""
    with zipfile.ZipFile(path) as file:
        document = json.loads(file.read("meta.json"))
    changed = change(document)
    path.write_bytes(crafted(json.dumps(changed if isinstance(changed, list) else document).encode()))
    with pytest.raises(ArchiveError) as raised:
        archive.read(path, "thing", verify)
    # refused for what it says, before anything was looked for at the places it names
    assert not any(words in str(raised.value) for words in ("damaged", "last bytes", "are what it lists"))


def test_crafted_description_of_another_layout(path):
    with zipfile.ZipFile(path) as file:
        text = file.read("meta.json")
    path.write_bytes(crafted(text))
    with pytest.raises(ArchiveError, match="are what it lists"):
        archive.read(path, "thing")


def test_crafted_text(tmp_path):
    for text in (b"", b"{", b"[" * 100_000, b"1" * 5000, b"\xff", b"null"):
        path = tmp_path / "crafted"
        path.write_bytes(crafted(text))
        with pytest.raises(ArchiveError, match=r"meta\.json is n"):
            archive.read(path, "thing")


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_failing_write_leaves_the_earlier_file(path, monkeypatch, failing):
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(OSError, match="No space") as raised:
        archive.write(path, "thing", {"keys": np.arange(9)}, {})
    assert not isinstance(raised.value, SolverError)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_interrupted_write_leaves_the_earlier_file(path):
    before = path.read_bytes()

    def interrupted():
        with archive.replacing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(FileNotFoundError):
        archive.write(tmp_path / "none" / "a.bin", "thing", {}, {})
    with pytest.raises(OSError, match="no ordinary file"):
        archive.write(tmp_path, "thing", {}, {})


def test_symbolic_link_stays_one(path, tmp_path):
    link = tmp_path / "link"
    try:
        link.symlink_to(path)
    except OSError:
        pytest.skip("no symbolic links here")
    archive.write(link, "thing", {"keys": np.arange(3)}, {})
    assert link.is_symlink()
    assert len(archive.read(path, "thing").arrays["keys"]) == 3


CHILD = """
import sys
import numpy as np
from solver import archive
for i in range(1_000_000):
    archive.write(sys.argv[1], "thing", {"a": np.full(50_000, i), "b": np.full(3, i)}, {"i": i})
    if i == 0:
        print("ready", flush=True)
"""


def test_killed_while_writing(tmp_path):
    """SIGKILL, which no handler sees, at different moments."""
    path = tmp_path / "a.bin"
    for delay in (0.003, 0.011, 0.023):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE)
        with child:
            assert child.stdout.readline().strip() == b"ready"
            try:
                child.wait(delay)
            except subprocess.TimeoutExpired:
                child.kill()
        with archive.read(path, "thing") as file:
            assert (file.arrays["a"] == file.meta["i"]).all()
            assert (file.arrays["b"] == file.meta["i"]).all()
        assert all(name == path.name or name.endswith(".tmp") for name in os.listdir(tmp_path))


@pytest.mark.parametrize(
    ("kind", "arrays", "meta", "block"),
    [
        ("Thing!", {}, {}, 64),
        ("thing", {"Keys": np.arange(3)}, {}, 64),
        ("thing", {"checksums": np.arange(3)}, {}, 64),
        ("thing", {7: np.arange(3)}, {}, 64),
        ("thing", {"a": np.array([None])}, {}, 64),
        ("thing", {"a": np.array(["x"])}, {}, 64),
        ("thing", {"a": np.zeros(3, bool)}, {}, 64),
        ("thing", {"a": np.zeros(3, [("x", "u1")])}, {}, 64),
        ("thing", {"a": np.zeros((1,) * 9)}, {}, 64),
        ("thing", {f"a{i}": np.zeros(1) for i in range(1000)}, {}, 64),
        ("thing", {}, {"a": float("nan")}, 64),
        ("thing", {}, {"a": {1: 2}}, 64),
        ("thing", {}, {"a": object()}, 64),
        ("thing", {}, {"a": 1 << 5000}, 64),
        ("thing", {}, {}, 100),
        ("thing", {}, {}, 32),
    ],
)
def test_what_cannot_be_kept(tmp_path, kind, arrays, meta, block):
    with pytest.raises(ArgumentError):
        archive.write(tmp_path / "a.bin", kind, arrays, meta, block=block)
    assert os.listdir(tmp_path) == []


def test_plain():
    given = {"a": (np.int32(3), np.float32(0.5), np.bool_(True)), "b": None}
    assert archive.plain(given) == {"a": [3, 0.5, True], "b": None}
    endless = []
    endless.append(endless)
    with pytest.raises(ArgumentError, match="nested"):
        archive.plain(endless)
    with pytest.raises(ArgumentError, match=r"meta\['a'\]\[1\]"):
        archive.plain({"a": [1, float("inf")]})


def test_unknown_verify(path):
    with pytest.raises(ArgumentError):
        archive.read(path, "thing", "never")
