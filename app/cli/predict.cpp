// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_argument.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "app/cli/tensor_output.h"
#include "app/index_reader.h"
#include "app/label_text.h"
#include "app/predict_file.h"
#include "app/predict_table.h"
#include "app/train_test.h"
#include "app/written_values.h"
#include "io/existing_file.h"
#include "io/spooled_stream.h"
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/find_entries.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace cli {
namespace {

using Parts = std::vector<app::ListItem>;

app::IndexReader readerOf(const io::ModelFile& file) { return {file.model.dims, file.modes}; }

struct PredictCommand {
    std::string model, file, output;
    std::vector<std::string> index; ///< once with commas, or once per mode
    std::optional<std::string> top, free;
    TensorArgument known; ///< whose entries are not told again
    bool json = false, force = false;

    void addTo(CLI::App&);
    int run() const;

private:
    int one(const io::ModelFile&) const;
    int best(const io::ModelFile&, const Parts& parts, unsigned freeMode) const;
    int batch(const io::ModelFile&) const;
    int table(const io::ModelFile&, const app::TableChoice&) const;
    void refuseTableOptions(std::string_view without, const std::vector<std::string>& but = {}) const;
    app::TableChoice tableChoice() const;
    std::vector<kernels::Index> knownAlong(const io::ModelFile&, const std::vector<kernels::Index>& at, unsigned freeMode) const;
    std::optional<unsigned> freeMode(const app::IndexReader&, const Parts& parts) const;

    std::vector<CLI::Option*> m_ofTables; ///< of the tensor of --new-only, or the table of --file
};

void PredictCommand::addTo(CLI::App& app)
{
    app.add_option("MODEL", model, "A model file")->required()->type_name("");
    auto* single = app.add_option("--index", index,
                                  "A label or an index (from 1) for each mode. A label wins over an index, and #9 is always index 9. "
                                  "* is the mode to list the best of (--top). Separate them with commas, or give --index once for "
                                  "each mode. Labels that hold commas need double quotes")
                       ->type_name("I,J,...")
                       ->allow_extra_args(false);
    auto* many = app.add_option("--file", file,
                                "Many, from a file or - for standard input: lines with a label or an index for each mode, separated by "
                                "blanks or commas. A label wins over an index, "
                                "and #9 is always index 9. Indices count from 0 where the model was made from a text file that does")
                     ->type_name("F");
    app.add_option("-o,--output", output, "With --file: write the lines with their predictions here (stdout)")
        ->type_name("OUT")
        ->needs(many);
    addForceOption(app, force);
    app.add_option("--top", top, "The K largest predictions along the free mode (10)")->type_name("K")->needs(single);
    app.add_option("--free", free,
                   "The mode --top goes along, by name or number (the one given as *). A name wins over a number, and #2 is always mode 2")
        ->type_name("MODE")
        ->needs(single);
    known.addTo(app, "--new-only",
                "With a free mode: leave out what this tensor (or preset:ID[:SCALE]) has an entry for, its test part's too", true);
    CLI::Option* const fresh = app.get_option("--new-only")->required(false)->type_name("TENSOR")->needs(single);
    for (CLI::Option* reading : app.get_options([](const CLI::Option* option) { return option->get_group() == "Reading the tensor"; }))
        reading->needs(fresh); // alone they would do nothing
    m_ofTables = app.get_options([](const CLI::Option* option) { return option->get_group() == "Making a tensor of a table"; });
    app.add_flag("--json", json, "For programs: \"index\" counts from 0, \"text\" holds the labels, or \"#9\" for an index without one");
    single->excludes(many);
}

Parts partsOf(const std::vector<std::string>& texts)
{
    Parts parts;
    if (texts.size() == 1)
        return app::listItems(texts.front(), ",", "--index");
    for (const std::string& text : texts)
        parts.push_back(app::listItems(text, "", "--index").front());
    return parts;
}

bool isStar(const app::ListItem& part) { return part.text == "*" && !part.quoted; }

std::optional<unsigned> PredictCommand::freeMode(const app::IndexReader& reader, const Parts& parts) const
{
    const auto star = std::find_if(parts.begin(), parts.end(), isStar);
    const auto stars = std::count_if(parts.begin(), parts.end(), isStar);
    const std::optional<unsigned> named = free ? std::optional(reader.mode(*free)) : std::nullopt;
    const auto refuseStars = [](std::string found) {
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"* stands for the one mode that predictions are ranked along",
                              "--index",
                              std::move(found),
                              "one *, at the mode that --free names if it is given",
                              {}});
    };
    if (stars > 1)
        refuseStars(fmt::format("{} of them", stars));
    if (named && star != parts.end() && star != parts.begin() + *named)
        refuseStars(fmt::format("* at mode {} and --free {}", star - parts.begin() + 1, *free));
    if (named)
        return named;
    if (star == parts.end()) {
        if (top)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 "--top needs to know along which mode: write --free MODE, or * for its index.");
        return {};
    }
    return static_cast<unsigned>(star - parts.begin());
}

/// What a part means. Another thing it might have meant is said.
kernels::Index readPart(const app::IndexReader& reader, unsigned mode, const app::ListItem& part)
{
    const app::IndexReader::Meaning meaning = reader.meaning(mode, part.text);
    if (std::string note = reader.note(mode, part.text, meaning); !note.empty())
        printWarnings({std::move(note)});
    return meaning.index;
}

/// What --new-only leaves out, ascending.
std::vector<kernels::Index> PredictCommand::knownAlong(const io::ModelFile& modelFile, const std::vector<kernels::Index>& at,
                                                       unsigned freeMode) const
{
    std::vector<kernels::Index> indices;
    if (known.text.empty())
        return indices;
    const auto open = known.open(app::Statistics::Skip, &modelFile);
    app::leaveOutUnknown(*open, modelFile.model.dims);
    printWarnings(open->report.warnings);
    for (kernels::SparseTensor* part : {&open->tensor, &open->test}) {
        if (part->entries() == 0)
            continue;
        app::fitDims(*part, modelFile.model.dims, known.text, "the model");
        for (const kernels::Count entry : kernels::entriesAlong(*part, at, freeMode, &Interrupt::progress()))
            indices.push_back(part->indices[freeMode][entry]);
    }
    std::sort(indices.begin(), indices.end());
    return indices;
}

int PredictCommand::best(const io::ModelFile& modelFile, const Parts& parts, unsigned freeModeAt) const
{
    const app::IndexReader reader = readerOf(modelFile);
    std::vector<kernels::Index> at;
    for (unsigned n = 0; n < reader.order(); ++n)
        at.push_back(n == freeModeAt ? 0 : readPart(reader, n, parts[n]));
    const std::size_t k = top ? parseCount("--top", *top, 1) : 10;
    const auto predictions =
        app::WrittenValues(modelFile.input.recipe).top(modelFile.model, at, freeModeAt, k, knownAlong(modelFile, at, freeModeAt));
    if (json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const kernels::Prediction& p : predictions) {
            at[freeModeAt] = p.index;
            list.push_back({{"index", at}, {"text", reader.text(freeModeAt, p.index)}, {"value", p.value}});
        }
        print(list.dump(2) + '\n');
        return fine;
    }
    std::vector<std::vector<std::string>> rows{{"index", "prediction", ""}};
    for (const kernels::Prediction& p : predictions) {
        const std::string number = fmt::format("{}", std::uint64_t{p.index} + 1);
        const std::string label = reader.text(freeModeAt, p.index);
        rows.push_back({number, numberText(p.value), label == number ? "" : label});
    }
    print(tableText(rows, {true, true, false}));
    return fine;
}

int PredictCommand::one(const io::ModelFile& modelFile) const
{
    const app::IndexReader reader = readerOf(modelFile);
    const Parts parts = partsOf(index);
    if (parts.size() != reader.order())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"an index per mode is needed", "--index", fmt::format("{}", parts.size()), fmt::format("{}", reader.order()),
                              "Put labels that hold commas in double quotes, or give --index once for each mode."});
    if (const auto mode = freeMode(reader, parts))
        return best(modelFile, parts, *mode);
    requireEffect("--new-only", !known.text.empty(), false, "without a free mode (* or --free)");
    std::vector<kernels::Index> at;
    std::vector<std::string> texts;
    for (unsigned n = 0; n < reader.order(); ++n) {
        at.push_back(readPart(reader, n, parts[n]));
        texts.push_back(reader.text(n, at.back()));
    }
    const double value = app::WrittenValues(modelFile.input.recipe)(at, kernels::Predictor(modelFile.model)(at));
    if (json)
        print(nlohmann::ordered_json{{"index", at}, {"text", texts}, {"value", value}}.dump() + '\n');
    else
        print(fmt::format("{}  ({})\n", numberText(value), fmt::join(texts, " · ")));
    return fine;
}

/// The rows of a table like the one that the model was made from.
int PredictCommand::table(const io::ModelFile& modelFile, const app::TableChoice& choice) const
{
    const bool toScreen = output.empty() || output == io::standardStream;
    app::TablePredictor from = app::tablePredictor(modelFile);
    from.choice = choice;
    const app::PredictedRows done = toScreen ? app::predictTable(from, file, printData, Interrupt::progress())
                                             : app::predictTableTo(from, file, output, Interrupt::progress());
    if (const std::string note = done.note(); !note.empty())
        printWarnings({note});
    if (!toScreen)
        print(fmt::format("wrote {}: {}\n", output, countText(done.rows - done.unknown, "prediction", "predictions")));
    return fine;
}

void PredictCommand::refuseTableOptions(std::string_view without, const std::vector<std::string>& but) const
{
    for (const CLI::Option* option : m_ofTables)
        if (std::find(but.begin(), but.end(), option->get_name()) == but.end())
            requireEffect(option->get_name().c_str(), option->count() > 0, false, without);
}

/// How the table of --file is read. What becomes of its columns, the model knows.
app::TableChoice PredictCommand::tableChoice() const
{
    refuseTableOptions("with --file, whose columns are those of the model's table",
                       {"--separator", "--decimal", "--thousands", "--header-row", "--day-first", "--encoding", "--from", "--query"});
    const std::optional<io::table::Recipe> recipe = known.table.recipe();
    return {recipe ? recipe->dialect : io::table::Dialect(), known.table.part, known.table.query};
}

int PredictCommand::batch(const io::ModelFile& modelFile) const
{
    refuseOverwriting("--output", output, {file, model});
    io::refuseLosing(output, force ? io::Existing::Replace : io::Existing::Keep, "--output " + output);
    const app::TableChoice choice = tableChoice();
    if (app::isTableFor(modelFile.input.recipe, file, choice))
        return table(modelFile, choice);
    refuseTableOptions("with lines of indices");
    const std::vector<kernels::Index>& dims = modelFile.model.dims;
    app::IndexReader reader(dims, modelFile.modes,
                            io::firstIndicesOfLines(modelFile.input.layout, modelFile.input.indexBase, static_cast<unsigned>(dims.size())));
    if (output.empty() || output == io::standardStream) {
        const app::Predicted done =
            app::predictLines(modelFile.model, reader, file, printData, Interrupt::progress(), app::WrittenValues(modelFile.input.recipe));
        printWarnings(done.notes);
        if (done.lines == 0)
            printWarnings({fmt::format("{} holds no indices: nothing is predicted", file)});
        return fine;
    }
    const app::Predicted done =
        app::predictFile(modelFile.model, reader, file, output, Interrupt::progress(), app::WrittenValues(modelFile.input.recipe));
    printWarnings(done.notes);
    print(fmt::format("wrote {}: {}\n", output, countText(done.lines, "prediction", "predictions")));
    return fine;
}

int PredictCommand::run() const
{
    if (index.empty() && file.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument, "Say what to predict: --index I,J,... or --file F.");
    if (!index.empty() && known.text.empty())
        refuseTableOptions("with --index, unless --new-only names a table");
    const io::ModelFile modelFile = readModelArgument(model);
    return index.empty() ? batch(modelFile) : one(modelFile);
}

} // namespace

void addPredict(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("predict", "Ask a model: one entry, the best along a mode, or a file of them");
    auto command = std::make_shared<PredictCommand>();
    command->addTo(*sub);
    sub->footer("Examples:\n"
                "  polyad-cli predict model.h5 --index 3,14,15\n"
                "  polyad-cli predict model.h5 --index ABE,ORD,08:00\n"
                "  polyad-cli predict model.h5 --index '#3,\"ORD Chicago, IL\",08:00'\n"
                "  polyad-cli predict model.h5 --index 'ABE,*,08:00' --top 5\n"
                "  polyad-cli predict model.h5 --index 'ABE,*,08:00' --new-only flights.tns\n"
                "  polyad-cli predict model.h5 --file queries.txt --output answers.txt");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
