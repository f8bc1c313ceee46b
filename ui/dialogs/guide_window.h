// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"

#include <QHash>
#include <QImage>
#include <QStringList>
#include <QWidget>

#include <vector>

class QLineEdit;
class QListWidget;
class QTextBrowser;
class QToolButton;

namespace ui {

/// What a person may want to read about, in the order of the pages, the welcome page first; then what dialogs are for.
enum class GuideTopic { Open, Data, Convergence, Compare, Factors, Predict, Sweep, Run, Find, Generate, Export, Continue, Hands, Import };

/// The heading of the guide's section on it.
QString guideHeading(GuideTopic topic);

/// The user guide as it was installed: a list of contents, the text of all pages with their pictures, a search. A window of its own, so
/// that it stays beside what it tells of.
class GuideWindow : public QWidget {
    Q_OBJECT
public:
    explicit GuideWindow(const QString& file, QWidget* parent = nullptr);

    /// Its first page, in share/doc/polyad beside the program, in the build folder too.
    static QString installedGuide();

    void showTopic(GuideTopic topic) { showHeading(guideHeading(topic)); }
    bool showHeading(const QString& heading); ///< false: there is none of this name
    QString headingInView() const; ///< of the section the text begins with

    QListWidget* contents() const { return m_contents; }
    QTextBrowser* text() const { return m_text; }
    QLineEdit* searchField() const { return m_search; }
    bool hasAllPictures() const { return m_picturesDone; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Heading {
        QString text;
        int level = 0;
        int position = 0; ///< in the document
    };
    struct Picture {
        QString name; ///< as the text has it
        QString file;
        QSize size; ///< as it is shown
    };

    void setUpBar();
    void load(const QString& file);
    void style();
    void styleTables();
    void fillContents();
    void placePictures();
    void readPictures(std::vector<Picture> pictures);
    void follow(const QUrl& link);
    const Heading* headingOf(const QString& file, const QString& section) const;
    void goTo(const Heading& heading);
    void scrollTo(int position);
    void search(bool backward);
    void remember();
    void goBack();

    struct Place {
        QString file;
        int scroll = 0;
    };

    QStringList m_files; ///< that are shown, one after another
    int m_shownPosition = 0; ///< what was last gone to
    std::vector<Heading> m_headings;
    std::vector<Place> m_before; ///< where links and the list of contents were followed from
    QHash<QString, QImage> m_pictures; ///< by file, as large as they are shown
    bool m_picturesDone = false;
    app::BackgroundJob m_reading;
    QToolButton* m_back = nullptr;
    QLineEdit* m_search = nullptr;
    QListWidget* m_contents = nullptr;
    QTextBrowser* m_text = nullptr;
};

} // namespace ui
