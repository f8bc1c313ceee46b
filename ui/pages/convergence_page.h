// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "ui/models/run_traces.h"

#include <QTimer>
#include <QWidget>

#include <array>
#include <functional>
#include <set>

class QPushButton;
class QVBoxLayout;

namespace ui {

class BarChart;
class Card;
class SegmentedControl;
class TensorScope;
class TraceChart;
struct TraceGroup;
struct TraceSeries;

/// RMSE, MAE, device use and time per iteration of every visible run, live; fit and divergence, too, while one of them measures it.
/// News are only noted when they come; a 100 ms timer draws them.
class ConvergencePage : public QWidget {
    Q_OBJECT
public:
    ConvergencePage(app::Session& session, const TensorScope& scope, QWidget* parent = nullptr);

    void setDevices(const std::vector<kernels::DeviceId>& devices); ///< of the telemetry chart
    void setHighlighted(int runId); ///< -1: none
    void followAgain();
    bool isHeld() const;
    void setBaselinesShown(bool shown);
    TraceChart* rmseChart() const { return m_rmse; }
    TraceChart* maeChart() const { return m_mae; }
    TraceChart* fitChart() const { return m_fit; }
    TraceChart* divergenceChart() const { return m_divergence; }
    BarChart* timesChart() const { return m_times; }
    SegmentedControl* xSwitch() const { return m_xSwitch; }
    SegmentedControl* logSwitch() const { return m_logSwitch; } ///< none, x, y, both
    SegmentedControl* partSwitch() const { return m_partSwitch; }
    Card* rmseCard() const { return m_rmseCard; }
    Card* fitCard() const { return m_fitCard; }
    Card* divergenceCard() const { return m_divergenceCard; }
    Card* timesCard() const { return m_timesCard; }

Q_SIGNALS:
    void saveFailed(const QString& sentence);

private:
    static constexpr double telemetrySeconds = 60; ///< that the device's chart shows

    QWidget* makeControls();
    void setUpCards();
    void linkCharts();
    void draw();
    void drawMetric(TraceChart* chart, TraceMetric metric);
    std::vector<TraceSeries> ownCurves(TraceMetric, TracePart) const;
    void drawFit();
    void drawLevels();
    QString emptyText() const;
    void drawDivergence();
    void setCurves(TraceChart* chart, std::vector<TraceSeries> series);
    void drawTimes();
    void showOwn(Card* card, bool shown);
    bool isOwn(const Card* card) const { return card == m_fitCard || card == m_divergenceCard; }
    void placeCards(QVBoxLayout* page);
    std::vector<TraceGroup> groupsBy(const std::function<QString(const app::Run&)>& text) const;
    void tellGroups();
    void tellDivergences(const QString& meaning);
    void drawTelemetry();
    void describeTelemetry(const app::TelemetryView& view, std::size_t devices);
    std::vector<kernels::DeviceId> measuredDevices() const;
    void axesChanged();
    void showHeld();
    void enlarge(Card* card, bool on);
    std::vector<app::Run*> visibleRuns() const;
    std::array<TraceChart*, 4> traceCharts() const { return {m_fit, m_rmse, m_mae, m_divergence}; } ///< over iterations
    std::array<Card*, 6> cards() const { return {m_fitCard, m_rmseCard, m_maeCard, m_divergenceCard, m_deviceCard, m_timesCard}; }

    app::Session& m_session;
    const TensorScope& m_scope;
    RunTraces m_traces;
    QTimer m_timer;
    bool m_stale = true;
    bool m_baselinesShown = true;
    kernels::DeviceId m_device; ///< the first of those
    std::vector<kernels::DeviceId> m_devices{m_device}; ///< of the next run
    std::function<QString(double x)> m_xHead; ///< what tooltips say of where they stand
    SegmentedControl* m_xSwitch;
    SegmentedControl* m_logSwitch;
    SegmentedControl* m_partSwitch;
    QPushButton* m_follow;
    Card* m_enlarged = nullptr; ///< the one card shown; null: all
    std::set<const Card*> m_ownShown; ///< of fit and divergence, those that a run measures
    Card* m_fitCard;
    Card* m_rmseCard;
    Card* m_maeCard;
    Card* m_divergenceCard;
    Card* m_deviceCard;
    Card* m_timesCard;
    TraceChart* m_fit;
    TraceChart* m_rmse;
    TraceChart* m_mae;
    TraceChart* m_divergence;
    TraceChart* m_deviceUse;
    BarChart* m_times;
};

} // namespace ui
