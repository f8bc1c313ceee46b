// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench_mttkrp_rows.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// What `bench mttkrp` compares; lists as they are given on the command line, none for the usual ones.
struct MttkrpPlan {
    std::optional<std::string> table, formats, ranks, precisions, partitions, threads;
    bool counters = false;

    /// Takes a table's lists where none were given. Throws Error(BadArgument) for a table there is none of.
    void applyTable();
};

/// Of what a table shows, a number for each row.
struct MttkrpFigure {
    const char* title;
    std::optional<double> (*of)(const MttkrpRow&);
    std::string (*text)(double);
    bool ratios; ///< to the first row of the tensor, rank and precision
};

/// Null without a table.
const MttkrpFigure* mttkrpFigure(const MttkrpPlan&);

/// What a table's rows come to: the figure, each as a multiple of the first of its tensor, and the geometric means of these.
std::string mttkrpFigureTable(const MttkrpFigure&, const std::vector<MttkrpRow>&);
nlohmann::ordered_json mttkrpFigureJson(const MttkrpFigure&, const std::vector<MttkrpRow>&);

/// Tensors that a table is of where none is given.
std::vector<std::string> mttkrpTableTensors(kernels::DeviceKind);

/// Lines of the help: a table's name and what it compares.
std::string mttkrpTablesHelp();

} // namespace cli
