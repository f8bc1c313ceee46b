// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/device_list.h"

#include <QtTest>

#include <set>

using namespace kernels;

class RegistryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void idsAreUniqueAndFound()
    {
        std::set<std::string> ids;
        for (const AlgorithmInfo& info : algorithms()) {
            QVERIFY(ids.insert(info.id).second);
            QCOMPARE(&algorithm(info.id), &info);
        }
        QVERIFY(ids.count("fasttucker-plus") == 1);
        for (const TensorFormatInfo& info : tensorFormats())
            QCOMPARE(&tensorFormat(info.id), &info);
    }

    void unknownIdsAreRefusedWithTheKnownOnes()
    {
        try {
            algorithm("slowtucker");
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::BadArgument);
            QVERIFY(std::string(e.what()).find("fasttucker-plus") != std::string::npos);
        }
        try {
            algorithm("fastucker");
            QFAIL("accepted");
        } catch (const Error& e) {
            QVERIFY2(std::string(e.what()).ends_with(". Did you mean \"fasttucker\"?"), e.what());
        }
        QVERIFY_EXCEPTION_THROWN(tensorFormat("zip"), Error);
    }

    /// And no two mean the same name.
    void papersNamesAreFound()
    {
        for (const AlgorithmInfo& info : algorithms()) {
            QCOMPARE(&algorithmNamed(info.id).info, &info);
            QVERIFY(algorithmNamed(info.id).variant.empty());
            QCOMPARE(&algorithmNamed(info.paperName).info, &info);
            for (const AlgorithmVariant& variant : info.variants) {
                QCOMPARE(info.variantNamed(variant.id), variant.id);
                if (variant.paperName.empty())
                    continue;
                QCOMPARE(info.variantNamed(variant.paperName), variant.id);
                QCOMPARE(&algorithmNamed(variant.paperName).info, &info);
                QCOMPARE(algorithmNamed(variant.paperName).variant, variant.id);
            }
            for (const AlgorithmPreset& preset : info.presets) {
                QCOMPARE(info.preset(preset.id), &preset);
                QCOMPARE(info.preset(preset.title), &preset);
                QCOMPARE(algorithmOfPreset(preset.title), &info);
            }
            QVERIFY(!info.preset("guess"));
            QCOMPARE(info.variantNamed("guess"), std::string("guess"));
        }
        QVERIFY_EXCEPTION_THROWN(algorithmNamed(""), Error);
        QVERIFY(!algorithmOfPreset("paper")); // of many
    }

    void everyAlgorithmIsDescribedCompletely()
    {
        for (const AlgorithmInfo& info : algorithms()) {
            QVERIFY(!info.title.empty() && !info.summary.empty() && !info.equation.empty() && !info.family.empty());
            QVERIFY(!info.variants.empty() && !info.formats.empty());
            for (const std::string& format : info.formats)
                QCOMPARE(tensorFormat(format).id, format);
            RunConfig config;
            config.algorithm = info.id;
            config.format = info.formats.front();
            QVERIFY2(info.divergenceHint(resolve(config, {5, 5, 5})).ends_with('.'), info.id.c_str());
            std::set<std::string> parameters;
            for (const ParameterSpec& spec : info.parameters) {
                QVERIFY2(parameters.insert(spec.id).second, spec.id.c_str());
                QVERIFY2(!spec.label.empty() && !spec.help.empty(), spec.id.c_str());
                checkParameter(spec, spec.defaultValue); // throws, and so fails, for a default outside its own range
                QCOMPARE(info.parameter(spec.id), &spec);
            }
            QVERIFY(!info.parameter("no such parameter"));
        }
    }

    void presetsFitTheirSchema()
    {
        for (const AlgorithmInfo& info : algorithms())
            for (const AlgorithmPreset& preset : info.presets) {
                withDefaults(info.parameters, preset.parameters);
                QVERIFY(std::any_of(info.variants.begin(), info.variants.end(), [&](const auto& v) { return v.id == preset.variant; }));
            }
    }

    void noTwoPresetsAreTheSame()
    {
        for (const AlgorithmInfo& info : algorithms())
            for (const AlgorithmPreset& one : info.presets)
                for (const AlgorithmPreset& other : info.presets)
                    QVERIFY2(&one == &other || one.variant != other.variant || one.parameters != other.parameters,
                             (info.id + ": " + one.id + " and " + other.id).c_str());
    }

    /// What a condition asks for exists, and with it the parameter has an effect.
    void conditionsOfParametersCanBeMet()
    {
        int conditions = 0;
        for (const AlgorithmInfo& info : algorithms())
            for (const ParameterSpec& spec : info.parameters) {
                RunConfig config;
                for (const ParameterCondition& condition : spec.onlyWhen)
                    for (const std::string& value : condition.values()) {
                        ++conditions;
                        const std::string& setting = condition.setting;
                        const ParameterSpec* const other = info.parameter(setting);
                        if (setting == "variant") {
                            QVERIFY2(std::any_of(info.variants.begin(), info.variants.end(), [&](const auto& v) { return v.id == value; }),
                                     value.c_str());
                            config.variant = value;
                        } else if (setting == "precision") {
                            QVERIFY2(precisionFromString(value), value.c_str());
                            config.precision = *precisionFromString(value);
                        } else if (setting == "deterministic") {
                            QVERIFY2(value == "true" || value == "false", value.c_str());
                            config.deterministic = value == "true";
                        } else {
                            QVERIFY2(other && other != &spec, setting.c_str());
                            config.parameters[setting] = parseParameter(*other, value);
                        }
                    }
                QVERIFY2(info.hasEffect(spec, config), spec.id.c_str());
            }
        QVERIFY(conditions > 0);
    }

    /// Where several values will do, each of them does, and the refusal names them all.
    void conditionsMayNameSeveralValues()
    {
        const AlgorithmInfo& info = algorithm("fastertucker");
        const ParameterSpec& split = *info.parameter("split");
        RunConfig config;
        for (const char* variant : {"bcsf-reuse", "full"}) {
            config.variant = variant;
            QVERIFY2(info.hasEffect(split, config), variant);
        }
        config.variant.clear(); // coo
        QCOMPARE(info.hasEffect(split, config).reason,
                 std::string("split has no effect with variant=coo: choose variant=bcsf-reuse or full, or leave split out."));
        config.variant = "full";
        config.deterministic = true;
        QCOMPARE(info.hasEffect(split, config).reason,
                 std::string("split has no effect with deterministic=true: choose deterministic=false, or leave split out."));
    }

    void parametersWithoutEffectAreRefused()
    {
        RunConfig config;
        config.parameters["sort-mode"] = std::int64_t{1}; // the default: as good as left out
        resolve(config, {5, 5, 5});
        config.parameters["sort-mode"] = std::int64_t{2};
        try {
            resolve(config, {5, 5, 5});
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::BadArgument);
            QCOMPARE(std::string(e.what()),
                     std::string("sort-mode has no effect with entry-order=auto: choose entry-order=sorted, or leave sort-mode out."));
        }
        config.parameters["entry-order"] = std::string("sorted");
        resolve(config, {5, 5, 5});
    }

    void everyRefusedChoiceHasAReason()
    {
        for (const AlgorithmInfo& info : algorithms())
            for (const DeviceId& device : {DeviceId{}, DeviceId{DeviceKind::Cuda, 0}})
                for (const TensorFormatInfo& format : tensorFormats())
                    for (const Precision precision : allPrecisions()) {
                        const Support support = info.supports({info.variants.front().id, format.id, precision, device});
                        QVERIFY(support || support.reason.ends_with('.'));
                    }
    }

    void fastTuckerPlusRunsInFp32AndFp64()
    {
        const AlgorithmInfo& info = algorithm("fasttucker-plus");
        const auto supported = [&](Precision p, DeviceId d) { return bool(info.supports({"calculate", "coo", p, d})); };
        for (const DeviceId& device : {DeviceId{}, DeviceId{DeviceKind::Cuda, 0}}) {
            QVERIFY(supported(Precision::Fp32, device));
            QVERIFY(supported(Precision::Fp64, device));
        }
        QVERIFY(!supported(Precision::Fp16, DeviceId{}));
        QVERIFY(!info.supports({"calculate", "csf", Precision::Fp32, DeviceId{}}));
    }

    void cpuIsTheFirstDevice()
    {
        const auto all = devices();
        QVERIFY(!all.empty());
        QVERIFY(all.front().id == DeviceId{});
        QVERIFY(all.front().processors >= 1);
        QVERIFY(all.front().memoryTotal > 0);
        QVERIFY(freeMemory(DeviceId{}).value_or(0) > 0);
        QVERIFY(all.front().problem.empty());
        QVERIFY(!all.front().name.empty());
    }

    /// With a CUDA device there is no reason; without one there is a sentence, also as the error.
    void absentCudaDevicesAreExplained()
    {
        const std::string reason = cudaAbsenceReason();
        QCOMPARE(reason.empty(), devices().size() > 1);
        if (!reason.empty()) {
            QVERIFY2(reason.starts_with("no CUDA device: "), reason.c_str());
            QCOMPARE(reason.find('\n'), std::string::npos);
        }
        try {
            device(DeviceId{DeviceKind::Cuda, 1000});
            QFAIL("accepted");
        } catch (const Error& e) {
            QCOMPARE(e.kind(), ErrorKind::NoDevice);
        }
        QVERIFY_EXCEPTION_THROWN(makeBackEnd("fasttucker-plus", Precision::Fp32, DeviceId{DeviceKind::Cuda, 1000}), Error);
    }

    void backEndsAreFoundByAlgorithmAndDevice()
    {
        for (const AlgorithmInfo& info : algorithms())
            QVERIFY2(backEnds().find(info.id, DeviceKind::Cpu), info.id.c_str());
        QVERIFY(!backEnds().find("slowtucker", DeviceKind::Cpu));
        QVERIFY_EXCEPTION_THROWN(makeBackEnd("slowtucker", Precision::Fp32, DeviceId{}), Error);
    }
};

QTEST_GUILESS_MAIN(RegistryTest)
#include "tst_registry.moc"
