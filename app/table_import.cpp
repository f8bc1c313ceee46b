// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_import.h"

#include "app/messages.h"
#include "app/tensor_source.h"
#include "io/several_tensors.h"
#include "io/table/import.h"
#include "io/table/table_format.h"

#include <QFileInfo>

#include <algorithm>

namespace app {

using io::table::Recipe;
using io::table::Survey;

struct TableImport::Outcome {
    std::shared_ptr<OpenTensor> tensor;
    Recipe recipe;
    QString rowFailure; ///< empty: no row stopped it
};

namespace {

bool fits(const Recipe& recipe, const Survey& survey)
{
    const auto has = [&](const std::string& name) {
        return std::any_of(survey.columns.begin(), survey.columns.end(), [&](const auto& column) { return column.name == name; });
    };
    return !recipe.modes.empty() && (recipe.value.empty() || has(recipe.value))
        && std::all_of(recipe.modes.begin(), recipe.modes.end(), [&](const auto& mode) { return has(mode.column); })
        && std::all_of(recipe.filters.begin(), recipe.filters.end(), [&](const auto& filter) { return has(filter.column); });
}

} // namespace

TableImport::TableImport(QObject* parent)
    : QObject(parent)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(300);
    connect(&m_pause, &QTimer::timeout, this, &TableImport::count);
    connect(&m_looking, &BackgroundJob::failed, this, [this](const QString& sentence) {
        m_failure = sentence;
        m_failedAtRow = false;
        setFigures(Figures::Failed);
        Q_EMIT surveyed();
    });
    connect(&m_counting, &BackgroundJob::failed, this, [this](const QString& sentence) {
        m_failure = sentence;
        m_failedAtRow = false;
        setFigures(Figures::Failed);
    });
}

void TableImport::open(const QString& path, const Recipe& chosen)
{
    close();
    m_path = path;
    m_fileBytes = static_cast<quint64>(std::max<qint64>(0, QFileInfo(path).size()));
    m_dialect = chosen.dialect.chosen();
    look(chosen);
}

void TableImport::close()
{
    m_pause.stop();
    m_looking.cancel();
    m_counting.cancel();
    m_path.clear();
    m_survey.reset();
    m_tensor.reset();
    m_recipe = m_tensorsRecipe = {};
    m_failure.clear();
    m_parts.clear();
    m_asksForPart = false;
    m_keepsChoices = false;
    Q_EMIT surveyed();
    setFigures(Figures::None);
}

void TableImport::setDialect(const io::table::Dialect& dialect)
{
    m_dialect = dialect;
    Recipe chosen;
    chosen.dialect = dialect;
    chosen.part = m_recipe.part;
    chosen.query = m_recipe.query;
    chosen.badRows = m_recipe.badRows;
    m_keepsChoices = true;
    look(chosen);
}

void TableImport::look(const Recipe& chosen)
{
    m_pause.stop();
    m_counting.cancel();
    m_asksForPart = false;
    setFigures(Figures::None);
    m_looking.start([this, path = m_path.toStdString(), chosen](kernels::Progress& progress) {
        const auto survey = std::make_shared<Survey>();
        try {
            *survey = io::table::survey(path, chosen, progress);
        } catch (const io::SeveralTensors& several) {
            survey->parts = several.groups();
            return std::function<void()>([this, survey] { takeParts(survey->parts); });
        }
        return std::function<void()>([this, survey] { takeSurvey(survey); });
    });
}

void TableImport::choosePart(const std::string& part)
{
    if (part == m_recipe.part && m_survey)
        return;
    Recipe chosen;
    chosen.part = part;
    m_dialect = {};
    m_keepsChoices = false;
    m_survey.reset();
    m_tensor.reset();
    m_recipe = chosen;
    Q_EMIT surveyed();
    look(chosen);
}

/// A person is to choose one.
void TableImport::takeParts(const std::vector<std::string>& parts)
{
    m_parts = parts;
    m_asksForPart = true;
    m_survey.reset();
    m_recipe = {};
    Q_EMIT surveyed();
    setFigures(Figures::None);
}

void TableImport::takeSurvey(const std::shared_ptr<Survey>& survey)
{
    Recipe recipe = survey->proposal;
    if (m_keepsChoices && fits(m_recipe, *survey)) {
        recipe = m_recipe;
        recipe.dialect = survey->proposal.dialect;
    }
    m_keepsChoices = false;
    m_survey = survey;
    m_parts = survey->parts;
    m_recipe = std::move(recipe);
    Q_EMIT surveyed();
    countSoon();
}

void TableImport::setRecipe(const Recipe& recipe)
{
    if (recipe == m_recipe)
        return;
    m_recipe = recipe;
    Q_EMIT recipeChanged();
    countSoon();
}

std::shared_ptr<OpenTensor> TableImport::tensor() const { return m_tensor && m_tensorsRecipe == m_recipe ? m_tensor : nullptr; }

void TableImport::countSoon()
{
    m_counting.cancel();
    m_pause.stop();
    if (tensor())
        return setFigures(Figures::Known);
    if (m_fileBytes > m_most && m_recipe.modes.size() >= 2)
        return setFigures(Figures::OnRequest);
    m_pause.start();
    setFigures(Figures::Counting);
}

void TableImport::count()
{
    m_pause.stop();
    io::ReadOptions options;
    options.recipe = m_recipe;
    m_counting.start([this, path = m_path.toStdString(), options](kernels::Progress& progress) {
        Outcome outcome{nullptr, *options.recipe, {}};
        try {
            outcome.tensor = openTensorFile(path, options, Statistics::Compute, progress);
        } catch (const io::table::UnreadableRow& error) {
            outcome.rowFailure = messageFor(error);
        }
        return [this, outcome] { takeOutcome(outcome); };
    });
    setFigures(Figures::Counting);
}

void TableImport::takeOutcome(const Outcome& outcome)
{
    if (!outcome.tensor) {
        m_failure = outcome.rowFailure;
        m_failedAtRow = true;
        return setFigures(Figures::Failed);
    }
    m_tensor = outcome.tensor;
    m_tensorsRecipe = outcome.recipe;
    setFigures(Figures::Known);
}

void TableImport::stopCounting()
{
    m_pause.stop();
    m_counting.cancel();
    setFigures(Figures::OnRequest);
}

void TableImport::setFigures(Figures figures)
{
    m_figures = figures;
    if (figures != Figures::Failed)
        m_failure.clear();
    Q_EMIT figuresChanged();
}

} // namespace app
