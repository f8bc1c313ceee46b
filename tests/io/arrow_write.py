# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes one table as pyarrow, pandas and polars do, and as the text that it is: arrow_write.py FOLDER [ROWS]"""
import datetime
import decimal
import importlib.util
import random
import sys
import zoneinfo

import pyarrow as pa
import pyarrow.ipc
import pyarrow.orc
import pyarrow.parquet as pq

folder = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 40_000
randomly = random.Random(1)
new_york = zoneinfo.ZoneInfo("America/New_York")
begin = datetime.datetime(2023, 12, 30, 1, 2, 3, tzinfo=datetime.timezone.utc)


def some(value, share=0.1):
    """The value or, now and then, nothing."""
    return None if randomly.random() < share else value


def number(value):
    whole = abs(value) < 1e15 and value == int(value) if value == value else False
    return str(int(value)) if whole else repr(value)


def iso(moment):
    text = moment.isoformat()
    head, dot, rest = text.partition(".")
    return head + "." + rest[:6].rstrip("0") + rest[6:] if dot else text


columns = {}  # name → (type, values, how a value is written)


def add(name, kind, make, text=str):
    columns[name] = (kind, [make(i) for i in range(count)], text)


moments = [begin + datetime.timedelta(seconds=randomly.randrange(0, 4 * 10**7)) for _ in range(count)]
halves = [datetime.timedelta(milliseconds=500 * randomly.randrange(2)) for _ in range(count)]
add("who", pa.dictionary(pa.int32(), pa.string()), lambda i: some(randomly.choice(["ann", "bob", "zoë", 'a "b", c'])))
add("item", pa.string(), lambda i: some("item %d" % randomly.randrange(300)))
add("day", pa.date32(), lambda i: some(moments[i].date()), lambda d: d.isoformat())
add("at", pa.timestamp("us"), lambda i: some((moments[i] + halves[i]).replace(tzinfo=None)), iso)
add("utc", pa.timestamp("ns", "UTC"), lambda i: some(moments[i]), lambda t: iso(t).replace("+00:00", "Z"))
add("local", pa.timestamp("ms", "America/New_York"), lambda i: some(moments[i].astimezone(new_york)), iso)
add("fixed", pa.timestamp("s", "+05:30"), lambda i: some(moments[i]),
    lambda t: iso(t.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))))
add("clock", pa.time64("us"), lambda i: some(moments[i].time()), lambda t: t.isoformat())
add("units", pa.int64(), lambda i: some(randomly.choice([0, -1, 7, 2**53 + 1, -(2**63), 2**63 - 1])))
add("tiny", pa.uint8(), lambda i: randomly.randrange(256))
add("price", pa.float64(), lambda i: some(randomly.choice([0.1, 4.0, -2.5, 1e300, 1e-9, 1 / 3, randomly.random(), float("nan")])), number)
add("weight", pa.float32(), lambda i: some(randomly.choice([0.5, 3.0, -0.25, 1048576.0])), number)
add("tenth", pa.float32(), lambda i: randomly.choice([0.1, 0.7]), number)  # as text 0.1, though a float is not quite
add("ok", pa.bool_(), lambda i: some(randomly.random() < 0.5), lambda b: "true" if b else "false")
add("cost", pa.decimal128(12, 2), lambda i: some(decimal.Decimal(randomly.randrange(-10**6, 10**6)) / 100), lambda d: "%.2f" % d)
add("nothing", pa.null(), lambda i: None)


def write_text(name, names):
    with open(f"{folder}/{name}.csv", "w", encoding="utf-8", newline="") as file:
        quoted = lambda text: '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text
        file.write(",".join(names) + "\n")
        for i in range(count):
            cells = [(columns[n][1][i], columns[n][2]) for n in names]
            file.write(",".join("" if value is None else quoted(text(value)) for value, text in cells) + "\n")


def table_of(names):
    return pa.table({n: pa.array(columns[n][1], columns[n][0]) for n in names})


every = list(columns)
table = table_of(every)
write_text("table", every)
pq.write_table(table, f"{folder}/table_snappy.parquet", compression="snappy", row_group_size=max(1, count // 6))
pq.write_table(table, f"{folder}/table_zstd.parquet", compression="zstd", use_dictionary=False, data_page_version="2.0")
# As others than Arrow write it: Parquet alone knows no zones.
zoneless = [n for n in every if n not in ("local", "fixed")]
write_text("zoneless", zoneless)
pq.write_table(table_of(zoneless), f"{folder}/zoneless.parquet", compression="brotli", store_schema=False)
for name, packing in (("table_lz4.feather", "lz4"), ("table_zstd.feather", "zstd"), ("table_plain.arrow", None)):
    with pa.ipc.new_file(f"{folder}/{name}", table.schema, options=pa.ipc.IpcWriteOptions(compression=packing)) as file:
        file.write_table(table, max_chunksize=max(1, count // 3))
with pa.ipc.new_stream(f"{folder}/table.arrows", table.schema) as file:
    file.write_table(table)

# ORC has neither dictionaries nor clocks nor zones of its own.
plain = [n for n in every if n not in ("who", "local", "fixed", "clock", "tiny", "nothing")]
write_text("plain", plain)
for packing in ("zstd", "snappy", "uncompressed"):
    pa.orc.write_table(table_of(plain), f"{folder}/plain_{packing}.orc", compression=packing, stripe_size=200_000)

nested = pa.table({"who": ["ann", "bob"], "day": ["x", "y"], "tags": [["a"], ["b", "c"]], "where": [{"x": 1}, {"x": 2}]})
pq.write_table(nested, f"{folder}/nested.parquet")
pq.write_table(nested.select(["tags"]), f"{folder}/only_nested.parquet")

shared = ["item", "day", "at", "units", "price", "weight"]
if importlib.util.find_spec("pandas"):
    write_text("pandas", shared)
    frame = table_of(shared).to_pandas(types_mapper={pa.int64(): __import__("pandas").Int64Dtype()}.get)
    frame.to_parquet(f"{folder}/pandas.parquet", index=False)
    frame.to_feather(f"{folder}/pandas.feather")
    frame.to_orc(f"{folder}/pandas.orc", index=False)
if importlib.util.find_spec("polars"):
    import polars

    write_text("polars", shared + ["who"])
    frame = polars.from_arrow(table_of(shared)).with_columns(polars.Series("who", columns["who"][1], dtype=polars.Categorical))
    frame.write_parquet(f"{folder}/polars.parquet", row_group_size=max(1, count // 4))
    frame.write_ipc(f"{folder}/polars.arrow", compression="zstd")
    frame.write_ipc_stream(f"{folder}/polars.arrows")
