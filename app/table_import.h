// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/open_tensor.h"
#include "io/table/survey.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace app {

/// A table on its way to a tensor: a first look, what a person chooses, and what comes of it. Reads in the background.
class TableImport : public QObject {
    Q_OBJECT
public:
    enum class Figures {
        None, ///< nothing is known of the file yet
        OnRequest, ///< the file is large: count() reads it
        Counting, ///< or about to
        Known,
        Failed, ///< failure() says why
    };

    explicit TableImport(QObject* parent = nullptr);

    /// Looks at a file. What the recipe leaves open is proposed.
    void open(const QString& path, const io::table::Recipe& chosen = {});
    void close();
    bool isOpen() const { return !m_path.isEmpty(); }
    const QString& path() const { return m_path; }
    quint64 fileBytes() const { return m_fileBytes; }

    const io::table::Survey* survey() const { return m_survey.get(); } ///< null: not known, or the file cannot be read
    const io::table::Recipe& recipe() const { return m_recipe; }
    void setRecipe(const io::table::Recipe&); ///< figures follow after a moment
    const io::table::Dialect& chosenDialect() const { return m_dialect; } ///< without what was found out
    void setDialect(const io::table::Dialect&); ///< looks at the file once more; choices stay where the columns do

    Figures figures() const { return m_figures; }
    /// Sheets or tables of the file, to choose from; empty: it is just a table. Without a survey none is chosen yet.
    const std::vector<std::string>& parts() const { return m_parts; }
    bool asksForPart() const { return m_asksForPart; }
    void choosePart(const std::string&); ///< looks at it; what was chosen of another one goes

    const QString& failure() const { return m_failure; }
    bool failedAtRow() const { return m_failedAtRow; } ///< which can be skipped
    std::shared_ptr<OpenTensor> tensor() const; ///< as the recipe makes it; null: not known
    const OpenTensor* lastTensor() const { return m_tensor.get(); } ///< may be of an older recipe
    BackgroundJob::State progress() const { return m_counting.state(); }
    void count(); ///< now, whatever the file's size
    void stopCounting();
    void countByItselfUpTo(quint64 bytes) { m_most = bytes; }

Q_SIGNALS:
    void surveyed(); ///< survey() and recipe() are others
    void recipeChanged();
    void figuresChanged();

private:
    struct Outcome;
    void look(const io::table::Recipe& chosen);
    void takeParts(const std::vector<std::string>& parts);
    void takeSurvey(const std::shared_ptr<io::table::Survey>& survey);
    void countSoon();
    void takeOutcome(const Outcome&);
    void setFigures(Figures);

    QString m_path;
    quint64 m_fileBytes = 0;
    quint64 m_most = 200'000'000;
    std::shared_ptr<const io::table::Survey> m_survey;
    io::table::Recipe m_recipe;
    io::table::Dialect m_dialect;
    std::vector<std::string> m_parts;
    bool m_asksForPart = false;
    std::shared_ptr<OpenTensor> m_tensor;
    io::table::Recipe m_tensorsRecipe; ///< that m_tensor was asked for with
    Figures m_figures = Figures::None;
    QString m_failure;
    bool m_failedAtRow = false;
    bool m_keepsChoices = false; ///< when the next survey comes
    QTimer m_pause;
    BackgroundJob m_looking, m_counting;
};

} // namespace app
