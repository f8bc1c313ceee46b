// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace io {

enum class IndexBase { Auto, Zero, One, PerMode };

/// What a person calls a mode and its indices, in place of what the file says.
struct ModeNaming {
    unsigned mode = 0; ///< from 0
    std::optional<std::string> name;
    std::optional<std::string> labelFile; ///< a label a line, in the order of the indices; "": no labels

    friend bool operator==(const ModeNaming&, const ModeNaming&) = default;
};

struct ReadOptions {
    IndexBase indexBase = IndexBase::Auto;
    kernels::Duplicates duplicates = kernels::Duplicates::Sum;
    bool keepZeros = true;
    std::vector<kernels::Index> dims; ///< declared by the caller; empty: the file's or the largest indices
    std::string layout; ///< "": what the content says; "table" or "dense" on request (HDF5)
    bool doubleValues = false; ///< keep text values as double; else float where that is exact enough
    std::vector<ModeNaming> naming; ///< at most one a mode
    bool namingMustFit = false; ///< a label file that cannot be used ends the load; else a warning says so
    std::uint64_t memoryLimit = 0; ///< bytes; 0: what the machine has free
    kernels::EmptyCells emptyCells = kernels::EmptyCells::Unsaid; ///< unsaid: what the file says
    std::optional<table::Recipe> recipe; ///< for tables: how a tensor is made of one; nothing: as the data propose
    std::vector<kernels::Mode> knownModes; ///< for tables that go with a model: its labels keep their indices

    friend bool operator==(const ReadOptions&, const ReadOptions&) = default;
};

/// What a load found; the Data tab and `polyad-cli info` show it.
struct LoadReport {
    std::string formatId; ///< "tns"
    std::string layout; ///< "FROSTT text, gzip"
    std::string indexBase; ///< "1: no index 0 occurs"
    std::uint64_t fileBytes = 0;
    kernels::Count entriesRead = 0;
    kernels::Count duplicatesMerged = 0; ///< or counted, with Duplicates::Keep
    kernels::Count explicitZeros = 0;
    kernels::Count zerosDropped = 0;
    kernels::Count valuesRounded = 0; ///< to single precision, and print otherwise now
    double seconds = 0;
    bool wasSorted = false;
    std::vector<std::string> labelFiles; ///< [mode]: the file its labels came from; "" or too short: the tensor's own, or none
    bool labelsLeft = false; ///< label files of its folder were not taken, because they did not fit
    std::vector<std::string> notes; ///< sentences worth reading
    std::vector<std::string> warnings; ///< sentences a person should read
};

/// What lines of text that go with a tensor call the first index of each mode, by its report: 0 where it came as such lines that count
/// so, else 1.
std::vector<unsigned> firstIndicesOfLines(const std::string& layout, const std::string& indexBase, unsigned order);
/// A file that goes with a tensor, whose layout and index base are given, counts its indices as that did, even where none of its own tells:
/// the base to read it with once more, which refuses what contradicts it. Nothing where it was read so, or says itself what it counts from.
std::optional<IndexBase> baseLike(const std::string& layout, const std::string& indexBase, const LoadReport&);

struct LoadedTensor {
    kernels::SparseTensor tensor; ///< sorted lexicographically, duplicates dealt with, labels attached
    LoadReport report;
    std::optional<table::Recipe> recipe = {}; ///< that it was made by, here or before it was written; with all that was found out
};

struct WriteOptions {
    std::string header; ///< .tns: "" | "parti" | "sptensor"
    std::string format = {}; ///< "tns"; "": by the path's ending
    std::optional<table::Recipe> recipe = {}; ///< kept where the format has a place for it
};

struct WriteReport {
    kernels::Count entries = 0; ///< in the file: equal coordinates are one
    std::vector<std::string> warnings;
};

/// What a file is recognised by.
struct FileHead {
    std::string_view bytes; ///< the first ones, unpacked, up to 4 KiB
    std::string_view name; ///< the path in lower case
    std::uint64_t fileBytes = 0; ///< as it lies on the disk
};

/// Why a format takes a file for its own: the content decides, the ending only where no content speaks.
enum class Likeness { None, Ending, Content };

/// One way to keep a tensor in a file. Listed once, in add_file_formats(…); of two that fit an ending the first is written.
struct FileFormat {
    std::string id, title;
    std::vector<std::string> extensions; ///< "tns", "tns.gz": for dialogs and to break ties; one with .gz: gzip and zstd are read
    std::function<Likeness(const FileHead&)> looksLike;
    std::function<LoadedTensor(const std::string& path, const ReadOptions&, kernels::Progress&)> read;
    std::function<WriteReport(const std::string& path, const kernels::SparseTensor&, const WriteOptions&, kernels::Progress&)>
        write; ///< may be empty
    std::string purpose; ///< a sentence: what writing it is good for
    /// Of tables: rows and columns of which a recipe makes a tensor. The recipe's dialect is filled in. Empty for tensors.
    std::function<std::unique_ptr<table::Reader>(const std::string& path, table::Recipe&)> openTable = {};
    /// Where only some files of the format are tables: whether this one is. Empty: all are that openTable takes.
    std::function<bool(const std::string& path)> holdsTable = {};
    std::vector<std::string> onlyRead = {}; ///< extensions whose readers expect more than what is written

    std::vector<std::string> writtenExtensions() const; ///< none where nothing is written
};

const std::vector<FileFormat>& fileFormats();
/// By id, or where that is empty by the path's ending; "-", standard output, is a .tns. Null: none.
const FileFormat* formatForWriting(std::string_view path, std::string_view id = {});
/// Whether a name in lower case ends in one of the format's extensions: what looksLike falls back on.
Likeness likenessByEnding(std::string_view name, std::initializer_list<const char*> endings);

/// Reads any tensor file: recognises the format by content, parses, sorts, deals with duplicates and zeros,
/// attaches labels. "FILE.h5:/group" names an HDF5 group, "FILE.npz:array" an array. "-" is standard input, and pipes are read too.
/// Throws io::Error, kernels::OutOfMemory, kernels::Cancelled.
LoadedTensor readTensor(const std::string& path, const ReadOptions&, kernels::Progress&);

/// Writes beside the target and renames; "-" is standard output. Throws io::Error.
WriteReport writeTensor(const std::string& path, const kernels::SparseTensor&, const WriteOptions&, kernels::Progress&);

/// The format a tensor file has by what stands in it; null: by no content, or it cannot be read.
const FileFormat* formatByContent(const std::string& path, kernels::Progress* progress = nullptr);

/// The same for a file whose name may decide, too: what readTensor would read it as.
const FileFormat* formatForReading(const std::string& path);

/// True when the file is a model: one written by us, or a ktensor as text (cheap: looks at its beginning).
bool isModelFile(const std::string& path, kernels::Progress* progress = nullptr);
/// True when it is one that a run can go on from.
bool isCheckpointFile(const std::string& path);

/// Lower-case hex SHA-256 of a file's bytes.
std::string sha256OfFile(const std::string& path, kernels::Progress&);

} // namespace io
