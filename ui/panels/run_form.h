// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "kernels/base/registry.h"
#include "kernels/operations/divergence.h"

#include <QFrame>
#include <QTimer>

#include <map>
#include <optional>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace ui {

class EmptyCellsQuestion;
class FileField;
class ParameterEditor;
class SegmentedControl;

/// The right side: the next run. Built from the registry; what cannot work is disabled and says why.
class RunForm : public QFrame {
    Q_OBJECT
public:
    explicit RunForm(app::Session& session, QWidget* parent = nullptr);

    /// Shows what was last chosen for this tensor, else its suggested run, else the registry's defaults.
    void setTensor(const app::OpenTensorPtr& tensor);
    /// Overwrites all fields ("duplicate settings").
    void setConfig(const kernels::RunConfig& config);
    /// What the fields say; throws kernels::Error for text that is no number or out of range.
    kernels::RunConfig config() const;
    bool isReady() const { return m_ready; } ///< a tensor is there and the fields make a run
    bool settle(); ///< checks at once what would be checked when the typing pauses; whether it is ready then
    QString problem() const; ///< the sentence shown when they do not
    std::vector<kernels::DeviceId> devices() const; ///< one, or several that share a run
    kernels::DeviceId device() const { return devices().front(); }
    /// The controls that the chosen algorithm has, folded away or not.
    QList<QWidget*> fields() const;
    void showField(QWidget* field); ///< unfolds what hides it, and gives it the focus

Q_SIGNALS:
    void startRequested();
    void queueRequested();
    void sweepRequested();
    void commandRequested();
    void readyChanged(bool ready);
    void deviceChanged();

private:
    enum TestPart { ownTestPart, testFile, noTestPart }; ///< data of the combo box

    // run_form_fields.cpp: building and filling
    void setUpFields();
    void setUpAdvanced(QWidget* body, QVBoxLayout* layout);
    void setUpFooter();
    QWidget* field(const QString& label, QWidget* control);
    void describeModel();
    void explainFields(); ///< run_form_help.cpp: what "What's this?" says
    void addAlgorithm(const kernels::AlgorithmInfo&);
    void fillAlgorithms(); ///< those that suit the tensor's empty cells first
    void fillDevices();
    void addDevices(const std::vector<kernels::DeviceId>&);
    void selectDevices(const std::vector<kernels::DeviceId>&);
    void algorithmChanged();
    void rebuildParameters();

    // run_form_presets.cpp: whose parameters they are
    void fillPresets();
    void applyPreset(int index);
    void showPreset();
    bool showsSuggestion() const; ///< parameters are those that come with the tensor
    kernels::RunConfig defaults() const; ///< of the chosen algorithm and device
    kernels::ParameterMap presetParameters(int index) const;

    // run_form_divergence.cpp: which divergence the tensor's values ask for
    void showAdvice(const kernels::RunConfig* chosen); ///< null: the fields make no config
    QString valueRefusal(const kernels::RunConfig& chosen) const;

    // run_form_reading.cpp: what the fields say
    const kernels::AlgorithmInfo& info() const;
    kernels::Choice choice() const;
    kernels::SplitConfig split() const;
    void readParameters(kernels::RunConfig&) const;
    std::string startModel(const kernels::RunConfig&) const;

    // run_form.cpp: showing and checking
    void replaceTensor(const app::OpenTensorPtr& tensor); ///< the same one, of which something else is said now
    void propose(); ///< an algorithm that suits the tensor, unless the person chose one that does
    void showEmptyCells();
    void edited();
    void updateSupport();
    void updateDevices(const kernels::AlgorithmInfo&);
    void validate();
    void setReady(bool ready, const QString& problem, const QString& estimate);
    void remember();
    void offerTestParts(const kernels::SplitConfig& chosen);

    app::Session& m_session;
    app::OpenTensorPtr m_tensor;
    std::optional<kernels::DivergenceAdvice> m_divergence; ///< of that tensor; nothing: not asked for yet
    std::map<int, kernels::RunConfig> m_perTensor;
    std::vector<std::vector<kernels::DeviceId>> m_deviceChoices; ///< items of the combo box
    bool m_filling = false;
    bool m_ready = false;
    kernels::Objective m_objective = kernels::Objective::Observed; ///< of the algorithm that is chosen
    kernels::EmptyCells m_emptyCells = kernels::EmptyCells::Unsaid; ///< of the tensor: what was said, else what is likely
    bool m_algorithmChosen = false; ///< by the person; else it is the one proposed
    bool m_precisionChosen = false; ///< by the person; else it is the one the algorithm prefers on the device
    bool m_deviceChosen = false; ///< by the person; else a GPU is proposed once it is known
    kernels::RunConfig m_base; // settings without a field (threads, memory limit) travel through
    QTimer m_check;

    QLabel* m_emptyHint = nullptr;
    QScrollArea* m_scroll = nullptr;
    QWidget* m_footer = nullptr;
    EmptyCellsQuestion* m_question = nullptr;
    QComboBox* m_algorithm = nullptr;
    QLabel* m_summary = nullptr;
    QComboBox* m_preset = nullptr;
    QWidget* m_presetField = nullptr;
    QComboBox* m_variant = nullptr;
    QWidget* m_variantField = nullptr;
    QComboBox* m_format = nullptr;
    QComboBox* m_device = nullptr;
    SegmentedControl* m_precision = nullptr;
    QLineEdit* m_rank = nullptr;
    QLineEdit* m_coreRank = nullptr;
    QWidget* m_coreRankField = nullptr;
    QLineEdit* m_testSplit = nullptr;
    QWidget* m_testSplitField = nullptr;
    QComboBox* m_testPart = nullptr; ///< in its place where there is a test part to choose
    QWidget* m_testPartField = nullptr;
    QLineEdit* m_seed = nullptr;
    QLineEdit* m_iterations = nullptr;
    QLineEdit* m_tolerance = nullptr;
    QLineEdit* m_patience = nullptr;
    QCheckBox* m_deterministic = nullptr;
    QGridLayout* m_parameterGrid = nullptr;
    QGridLayout* m_advancedGrid = nullptr;
    QLabel* m_advice = nullptr; ///< on the divergence
    QToolButton* m_more = nullptr;
    QWidget* m_advanced = nullptr;
    FileField* m_startModel = nullptr;
    QWidget* m_startModelField = nullptr; ///< shown where a run starts from one
    std::vector<ParameterEditor*> m_parameters;
    QLabel* m_mismatch = nullptr; ///< of the algorithm and the empty cells
    QLabel* m_problem = nullptr;
    QLabel* m_estimate = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_queue = nullptr;
    QPushButton* m_sweep = nullptr;
    QPushButton* m_command = nullptr;
};

} // namespace ui
