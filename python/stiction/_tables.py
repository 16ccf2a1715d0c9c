"""Tables of rows in files: .npz, .parquet, .csv and .jsonl; columns are arrays with one entry per row."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from ._types import InputError

#: What the names of tables end in.
TABLE_SUFFIXES = (".parquet", ".npz", ".csv", ".jsonl")

#: Columns of grasps that have an entry per contact where "offsets" says which contacts a row has.
_PER_CONTACT = ("points", "normals", "mu", "torsion")


def table_suffix(path: str, option: str = "table") -> str:
    suffix = os.path.splitext(path)[1]
    if suffix not in TABLE_SUFFIXES:
        raise InputError(f"{option}: want a file that ends in {', '.join(TABLE_SUFFIXES)}, got '{path}'", option)
    return suffix


def _pyarrow_parquet():
    try:
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise InputError(
            "table: want pyarrow for .parquet files (pip install 'stiction[parquet]'), got none", "table"
        ) from None
    return pyarrow.parquet


def column_of(values: Sequence[Any]) -> np.ndarray:
    """Entries of rows as one array: numbers, or lists of one shape; else objects, with None where there is nothing."""
    if len(values) and not any(value is None or isinstance(value, (str, dict)) for value in values):
        try:
            array = np.array(values)
        except ValueError:  # ragged
            array = np.empty(0, dtype=object)
        if array.dtype.kind in "fiub":
            return array
    objects = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        objects[i] = np.array(value, dtype=float) if isinstance(value, list) and _numeric(value) else value
    return objects


def _numeric(value: list) -> bool:
    """Whether a list, of lists perhaps, is an array of numbers."""
    try:
        return np.array(value).dtype.kind in "fiu"
    except ValueError:
        return False


# ------------------------------------------------------------------------------------------------------------------- npz


def _npz_shapes(file: zipfile.ZipFile) -> dict[str, tuple[int, ...]]:
    shapes = {}
    for name in file.namelist():
        with file.open(name) as member:
            shapes[name.removesuffix(".npy")] = _npy_header(member, name)[0]
    return shapes


def _npy_header(member: BinaryIO, name: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(member)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    header = read(member)
    if header[2].hasobject:
        raise InputError(
            f"{name.removesuffix('.npy')}: want numbers or texts, got Python objects", name.removesuffix(".npy")
        )
    return header


def _npz_rows(shapes: Mapping[str, tuple[int, ...]], path: str) -> int:
    if "offsets" in shapes:
        return shapes["offsets"][0] - 1 if len(shapes["offsets"]) == 1 and shapes["offsets"][0] > 0 else 0
    lengths = {name: shape[0] for name, shape in shapes.items() if shape}
    if len({*lengths.values()}) != 1:
        raise InputError(f"table: want arrays of as many rows each, got {lengths} in '{path}'", "table")
    return next(iter(lengths.values()))


def _npy_part(file: zipfile.ZipFile, name: str, first: int, last: int) -> np.ndarray:
    """Entries first to last of an array, without those before and after in memory; all of a single number."""
    with file.open(name + ".npy") as member:
        shape, fortran, dtype = _npy_header(member, name)
        if not shape or fortran:
            member.seek(0)
            array = np.lib.format.read_array(member)
            return array[first:last] if shape else array
        size = dtype.itemsize * math.prod(shape[1:])
        member.seek(member.tell() + first * size)
        data = member.read((last - first) * size)
    return np.frombuffer(bytearray(data), dtype=dtype).reshape(last - first, *shape[1:])


def _read_npz(path: str, first: int, last: int | None) -> dict[str, np.ndarray]:
    with zipfile.ZipFile(path) as file:
        shapes = _npz_shapes(file)
        rows = _npz_rows(shapes, path)
        last = rows if last is None else last
        if "offsets" not in shapes:
            return {name: _npy_part(file, name, first, last) for name in shapes}
        offsets = _npy_part(file, "offsets", first, last + 1)
        total = shapes["points"][0] if shapes.get("points") else -1
        columns = {}
        for name, shape in shapes.items():
            per_contact = name in _PER_CONTACT and shape and shape[0] == total
            if name != "offsets" and shape and not per_contact and shape[0] != rows:
                raise InputError(f"table: want {rows} rows in '{name}', got {shape[0]} in '{path}'", "table")
            if name == "offsets":
                columns[name] = offsets - offsets[0]
            elif per_contact:
                columns[name] = _npy_part(file, name, int(offsets[0]), int(offsets[-1]))
            else:
                columns[name] = _npy_part(file, name, first, last)
        return columns


def _write_npz(stream: BinaryIO, columns: Mapping[str, np.ndarray]) -> None:
    """As numpy.savez_compressed, but the same bytes at any time of day."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, column in columns.items():
            if column.dtype == object:  # texts: pickled objects are not for files
                column = np.array(["" if value is None else str(value) for value in column], dtype=str)
            entry = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(column), allow_pickle=False)


# --------------------------------------------------------------------------------------------------------------- parquet


def _flat(column: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """A column of lists of numbers of which only the first length differs: all entries (total, …) and the lengths (n,);
    None: it is something else."""
    import pyarrow as pa

    lengths, array = [], column
    while pa.types.is_list(array.type) or pa.types.is_large_list(array.type) or pa.types.is_fixed_size_list(array.type):
        if array.null_count:
            return None
        lengths.append(
            np.asarray(
                array.value_lengths()
                if not pa.types.is_fixed_size_list(array.type)
                else np.full(len(array), array.type.list_size),
                dtype=np.int64,
            )
        )
        array = array.flatten()
    if not lengths or array.null_count or not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return None
    if any(len(level) and level.min() != level.max() for level in lengths[1:]):
        return None
    inner = [int(level[0]) if len(level) else 0 for level in lengths[1:]]
    values = array.to_numpy(zero_copy_only=False)
    return values.reshape(int(lengths[0].sum()), *inner), lengths[0]


def _nested(column: Any) -> np.ndarray | None:
    """A column of lists of numbers, (n, …) when all are as long, else objects of which only the first length differs;
    None: it is neither."""
    flat = _flat(column)
    if flat is None:
        return None
    values, lengths = flat
    if len(lengths) and lengths.min() == lengths.max():
        return values.reshape(len(lengths), int(lengths[0]), *values.shape[1:])
    objects = np.empty(len(lengths), dtype=object)
    for i, part in enumerate(np.split(values, np.cumsum(lengths)[:-1]) if len(lengths) else ()):
        objects[i] = part
    return objects


def _arrow_array(column: Any) -> Any:
    """One array of what may be in chunks, stored as lists and numbers."""
    import pyarrow as pa

    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    return array.storage if isinstance(array.type, pa.BaseExtensionType) else array


def _arrow_column(array: Any) -> np.ndarray:
    import pyarrow as pa

    kind = array.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        nested = _nested(array)
        return column_of(array.to_pylist()) if nested is None else nested
    if not array.null_count and (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return array.to_numpy(zero_copy_only=False)
    objects = np.empty(len(array), dtype=object)  # null is None: it replaces nothing, where nan would be a bad number
    objects[:] = array.to_pylist()
    return objects


def columns_of_arrow(table: Any, flat: bool = False) -> dict[str, np.ndarray]:
    """Columns of a pyarrow.Table. Flat: lists of contacts as arrays with an entry per contact, and "offsets", as in a .npz."""
    arrays = {name: _arrow_array(column) for name, column in zip(table.column_names, table.columns)}
    columns = {}
    if flat and "points" in arrays and "offsets" not in arrays:
        lists = {name: _flat(arrays[name]) for name in _PER_CONTACT if name in arrays}
        lists = {name: found for name, found in lists.items() if found is not None}
        lengths = [found[1] for found in lists.values()]
        if "points" in lists and "normals" in lists and all(np.array_equal(some, lengths[0]) for some in lengths):
            columns = {name: values for name, (values, _) in lists.items()}
            columns["offsets"] = np.concatenate([[0], np.cumsum(lengths[0], dtype=np.int64)]).astype(np.int64)
    return {**{name: _arrow_column(array) for name, array in arrays.items() if name not in columns}, **columns}


def _read_parquet(path: str, first: int, last: int | None, flat: bool) -> dict[str, np.ndarray]:
    with _pyarrow_parquet().ParquetFile(path) as file:
        starts = [0]
        for group in range(file.metadata.num_row_groups):
            starts.append(starts[-1] + file.metadata.row_group(group).num_rows)
        last = starts[-1] if last is None else last
        groups = [g for g in range(len(starts) - 1) if starts[g] < last and starts[g + 1] > first]
        table = file.read_row_groups(groups).slice(first - (starts[groups[0]] if groups else 0), last - first)
    return columns_of_arrow(table, flat)


def _write_parquet(stream: BinaryIO, columns: Mapping[str, np.ndarray]) -> None:
    import pyarrow as pa

    def arrow(column: np.ndarray) -> Any:
        if column.ndim == 1 and column.dtype != object:
            return pa.array(column)
        values = [value.tolist() if isinstance(value, np.ndarray) else value for value in column]
        texts = all(value is None or isinstance(value, str) for value in values)
        return pa.array(values, type=pa.string() if texts else None)

    _pyarrow_parquet().write_table(pa.table({name: arrow(column) for name, column in columns.items()}), stream)


# -------------------------------------------------------------------------------------------------------- csv and jsonl


def _text_lines(path: str):
    """(number, line) of every line that is not blank."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip(b" \t\r\n"):
                yield number, line


def _cell_of(text: str) -> Any:
    if text == "":
        return None
    if text[0] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    try:
        return float(text)
    except ValueError:
        return text


def _read_lines(path: str, first: int, last: int | None) -> dict[str, np.ndarray]:
    header: list[str] | None = None
    rows: list[dict[str, Any]] = []
    row = -1
    for number, raw in _text_lines(path):
        try:
            line = raw.decode("utf-8")
            if path.endswith(".csv"):
                cells = next(csv.reader([line.rstrip("\r\n")], strict=True))
                if header is None:
                    header = cells
                    continue
                if len(cells) != len(header):
                    raise ValueError(f"want {len(header)} cells, got {len(cells)}")
        except (ValueError, csv.Error) as error:
            raise InputError(f"{path}:{number}: {error}", path) from None
        row += 1
        if row < first:
            continue
        if last is not None and row >= last:
            break
        try:
            rows.append(json.loads(line) if header is None else dict(zip(header, map(_cell_of, cells))))
        except ValueError as error:
            raise InputError(f"{path}:{number}: want a JSON object, got: {error}", path) from None
        if not isinstance(rows[-1], dict):
            raise InputError(f"{path}:{number}: want a JSON object, got another value", path)
    names = list(dict.fromkeys(name for entry in rows for name in entry)) or (header or [])
    return {name: column_of([entry.get(name) for entry in rows]) for name in names}


def _plain_cell(value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return [_plain_cell(entry) for entry in value] if isinstance(value, list) else value


def _write_lines(stream: BinaryIO, columns: Mapping[str, np.ndarray], suffix: str) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    rows = zip(*columns.values())
    if suffix == ".csv":
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            cells = (_plain_cell(value) for value in row)
            writer.writerow(
                [
                    "" if cell is None else json.dumps(cell) if isinstance(cell, (list, dict, bool)) else cell
                    for cell in cells
                ]
            )
    else:
        for row in rows:
            text.write(json.dumps(dict(zip(columns, map(_plain_cell, row))), separators=(",", ":")) + "\n")
    text.detach()


# ------------------------------------------------------------------------------------------------------------------- all


def count_rows(path: str | os.PathLike[str]) -> int:
    """Rows in a table, without reading them where the format says how many."""
    path = os.fspath(path)
    suffix = table_suffix(path)
    if suffix == ".parquet":
        with _pyarrow_parquet().ParquetFile(path) as file:
            return file.metadata.num_rows
    if suffix == ".npz":
        with zipfile.ZipFile(path) as file:
            return _npz_rows(_npz_shapes(file), path)
    lines = sum(1 for _ in _text_lines(path))
    return max(0, lines - 1) if suffix == ".csv" else lines


def read_table(
    path: str | os.PathLike[str], first: int = 0, last: int | None = None, *, flat: bool = False
) -> dict[str, np.ndarray]:
    """Columns of a .npz, .parquet, .csv or .jsonl file, rows first to last (not included), by name.

    Numbers are arrays of numbers, lists of one shape arrays (n, …), lists of several lengths and texts arrays of objects,
    None where there is nothing. Arrays of a .npz have an entry per row; shape () goes for all rows; with "offsets" (n + 1,),
    points, normals, mu and torsion have an entry per contact; flat: so they have for lists in a .parquet.
    """
    path = os.fspath(path)
    suffix = table_suffix(path)
    try:
        if suffix == ".npz":
            return _read_npz(path, first, last)
        return _read_parquet(path, first, last, flat) if suffix == ".parquet" else _read_lines(path, first, last)
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"table: want a readable file, got '{path}': {error}", "table") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"table: want a {suffix} file, got '{path}': {error}", "table") from None


def write_table(path: str | os.PathLike[str], columns: Mapping[str, Any]) -> None:
    """Writes columns with an entry per row; the same columns are the same bytes. nan is empty in .csv, null in .jsonl."""
    path = os.fspath(path)
    suffix = table_suffix(path)
    arrays = {name: np.asarray(column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in arrays.items()}
    if len({*lengths.values()}) > 1 and not (suffix == ".npz" and "offsets" in arrays):
        raise InputError(f"columns: want as many rows in each, got {lengths}", "columns")
    with open(path, "wb") as stream:
        if suffix == ".npz":
            _write_npz(stream, arrays)
        elif suffix == ".parquet":
            _write_parquet(stream, arrays)
        else:
            _write_lines(stream, arrays, suffix)
        stream.flush()
        os.fsync(stream.fileno())
