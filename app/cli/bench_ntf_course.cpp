// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_ntf_course.h"

#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/run_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

using kernels::IterationRecord;
using nlohmann::ordered_json;

struct Course {
    kernels::RunConfig config;
    std::string reason; ///< why there are no iterations, or no more
    std::vector<IterationRecord> history;
};

Course courseOf(const kernels::RunConfig& asked, const app::OpenTensorPtr& open, app::TrainTestCache& cache, kernels::Progress& progress)
{
    Course course{asked, {}, {}};
    const std::uint64_t before = progress.done();
    try {
        kernels::RunControl control;
        const Interrupt::Watch watch(control);
        IterationCounter counter(progress);
        kernels::Progress splitting;
        const kernels::RunResult result = app::executeRun(app::resolveFor(asked, *open), open, cache, counter, control, splitting).result;
        progress.throwIfCancelled(); // a stopped run is no measurement
        course.history = result.history;
        course.reason = result.failure;
        if (course.reason.empty() && course.history.size() < asked.stopping.iterations)
            course.reason = fmt::format("out of time after {} of {} iterations", course.history.size(), asked.stopping.iterations);
    } catch (const kernels::Error& error) { // what others measured is not thrown away
        course.reason = error.what();
    }
    progress.set(before + asked.stopping.iterations); // of what was refused, too
    return course;
}

/// 1, 2, 5, 10 and so on, and the last one.
std::vector<std::uint64_t> milestones(std::uint64_t last)
{
    std::vector<std::uint64_t> list;
    for (std::uint64_t ten = 1; ten <= last; ten *= 10)
        for (const std::uint64_t times : {1, 2, 5})
            if (times * ten <= last)
                list.push_back(times * ten);
    if (list.back() != last)
        list.push_back(last);
    return list;
}

const IterationRecord& bestOf(const Course& course)
{
    const auto isBelow = [](const IterationRecord& a, const IterationRecord& b) {
        return a.testRmse < b.testRmse || (std::isfinite(a.testRmse) && !std::isfinite(b.testRmse));
    };
    return *std::min_element(course.history.begin(), course.history.end(), isBelow);
}

std::string tableOf(const std::vector<Course>& courses, std::uint64_t iterations)
{
    const std::vector<std::uint64_t> shown = milestones(iterations);
    std::vector<std::vector<std::string>> table{{"method", "precision", "R", "iteration"}};
    for (const std::uint64_t iteration : shown)
        table.front().push_back(fmt::format("{}{}", iteration == 1 ? "after " : "", iteration));
    for (const char* const text : {"best", "after", "in"})
        table.front().emplace_back(text);
    std::string notes;
    for (const Course& course : courses) {
        const std::string method = methodOf(course.config), precision(toString(course.config.precision));
        const unsigned rank = course.config.ranks.front();
        if (!course.reason.empty())
            notes += fmt::format("{} {} {}: {}\n", method, precision, rank, course.reason);
        if (course.history.empty())
            continue;
        const IterationRecord &last = course.history.back(), &best = bestOf(course);
        table.push_back({method, precision, std::to_string(rank), secondsText(last.elapsed / static_cast<double>(last.iteration))});
        for (const std::uint64_t iteration : shown)
            table.back().push_back(iteration <= course.history.size() ? numberText(course.history[iteration - 1].testRmse) : "");
        table.back().insert(table.back().end(), {numberText(best.testRmse), std::to_string(best.iteration), secondsText(best.elapsed)});
    }
    std::vector<bool> right(table.front().size(), true);
    right[0] = right[1] = false;
    return (table.size() > 1 ? tableText(table, right) : "") + (notes.empty() ? "" : '\n' + notes);
}

ordered_json jsonOf(const BenchSubject& subject, const Course& course)
{
    ordered_json object = rowJson(subject, course.config);
    if (!course.reason.empty())
        object["reason"] = course.reason;
    for (const IterationRecord& record : course.history) {
        ordered_json one{{"iteration", record.iteration}, {"seconds", record.elapsed}};
        for (const auto& [key, value] : {std::pair{"test_rmse", record.testRmse}, {"test_divergence", record.testDivergence}})
            if (std::isfinite(value))
                one[key] = value;
        object["course"].push_back(one);
    }
    return object;
}

} // namespace

NtfSection ntfCourses(const BenchSubject& subject, const app::OpenTensorPtr& open, const std::vector<kernels::RunConfig>& configs,
                      std::uint64_t iterations, double secondsLimit)
{
    kernels::Progress& progress = Interrupt::progress();
    app::TrainTestCache cache;
    std::vector<Course> courses;
    {
        const StageLine line(progress);
        progress.setEntries(0); // those that were read
        progress.begin("running", configs.size() * iterations);
        courses = rowsOf(configs, [&](kernels::RunConfig config) {
            config.stopping = {iterations, 0, 1, secondsLimit}; // never early: every iteration is shown
            return courseOf(config, open, cache, progress);
        });
    }
    NtfSection section;
    section.stopped = courses.size() < configs.size();
    section.text = benchHead(subject, fmt::format("test RMSE of runs of {}", countText(iterations, "iteration", "iterations")))
        + tableOf(courses, iterations) + stoppedText(courses.size(), configs.size());
    for (const Course& course : courses)
        section.rows.push_back(jsonOf(subject, course));
    return section;
}

} // namespace cli
