/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a campaign divides its budget, and when a replay cannot end in time, with clocks that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/campaign/budget.h"
#include "harness/simulate/replay_pace.h"

static const int64_t second_ns = 1000000000;

static struct making at(int64_t now_s) {
	return (struct making){.now_ns = now_s * second_ns, .begun_ns = 0, .deadline_ns = 60 * second_ns};
}

/* Six layouts of 8 s, each with 5 runs of 0.2 s: by a third of 60 s there are two or three, and more fit into it. */
static void test_slow_layouts(void **state) {
	struct making making;
	(void)state;
	making = at(20);
	assert_true(budget_allows_layout(&making));
	making = at(24);
	assert_false(budget_allows_layout(&making));
	making.layout_ns = 8 * second_ns;
	making.run_ns = second_ns / 5;
	making.missing_runs = 4 * 5;
	making.layout_runs = 5;
	making.layouts = 3;
	assert_true(budget_allows_layout(&making));
	/* Five are made: 6 * 5 runs of 0.21 s take 6.3 s, and half as long again 9.45 s, the layout up to 16 s. At
	 * 60 - 25.45 s they still fit, then not. */
	making.now_ns = 3455 * (second_ns / 100);
	making.missing_runs = 5 * 5;
	assert_true(budget_allows_layout(&making));
	making.now_ns++;
	assert_false(budget_allows_layout(&making));
}

/* A layout of 8 s that begins at 12 s ends by the third of 60 s; another 9 s later, or of unknown cost, begins in it. */
static void test_third(void **state) {
	struct making making = at(12);
	(void)state;
	making.layouts = 1;
	making.layout_ns = 8 * second_ns;
	assert_true(budget_allows_layout(&making));
	making.now_ns++;
	assert_false(budget_allows_layout(&making));
	making.layout_ns = 0;
	assert_true(budget_allows_layout(&making));
}

/* Layouts of 25 s: twice that does not fit behind the first, but a report needs a second. Six runs of 0.99 s, with 10 ms
 * around each and half as long again, take 9 s: from 26 s on there are 34 s for both. */
static void test_second_layout(void **state) {
	struct making making = at(26);
	(void)state;
	making.layout_ns = 25 * second_ns;
	making.run_ns = 99 * (second_ns / 100);
	making.missing_runs = 2 * 30;
	making.layout_runs = 30;
	making.least_runs = 6;
	making.layouts = 1;
	assert_true(budget_allows_layout(&making));
	making.now_ns++;
	assert_false(budget_allows_layout(&making));
	making.now_ns--;
	making.layouts = 2;
	assert_false(budget_allows_layout(&making));
}

/* A trial has the first third of 60 s. Two layouts of 12 s fit into the 25 s from 35 s on; behind 35 s of trial, by hand:
 * 1.5 * (35 + 2 * 12) = 88.5 s. */
static void test_trial(void **state) {
	(void)state;
	assert_int_equal(budget_trial_deadline(5 * second_ns, 65 * second_ns), 25 * second_ns);
	assert_int_equal(budget_trial_deadline(5 * second_ns, INT64_MAX), INT64_MAX);
	assert_true(budget_allows_making(35 * second_ns, 60 * second_ns, 12 * second_ns));
	assert_false(budget_allows_making(35 * second_ns, 60 * second_ns, 13 * second_ns));
	assert_true(budget_allows_making(35 * second_ns, INT64_MAX, 13 * second_ns));
	assert_int_equal(budget_enough_to_make(35 * second_ns, 12 * second_ns), 89);
}

/* 12 contexts have 2 s together: 24 runs of 7 ms in each instead of 5, and no more than ten times as many. */
static void test_short_runs(void **state) {
	(void)state;
	const int64_t millisecond_ns = second_ns / 1000, least_ns = 2 * second_ns / 12;
	assert_int_equal(budget_raise_runs(5, 10, 7 * millisecond_ns, least_ns), 24);
	assert_int_equal(budget_raise_runs(5, 10, millisecond_ns, least_ns), 50);
	assert_int_equal(budget_raise_runs(5, 10, 40 * millisecond_ns, least_ns), 5);
	assert_int_equal(budget_raise_runs(5, 10, 0, least_ns), 5);
	assert_int_equal(budget_raise_runs(5, 10, millisecond_ns, 0), 5);
}

/* 300 s, of which 10 s are spent and half of the rest, 145 s, is the model's until second 155. At second 20, a replay of
 * 540 s, a fifth of whose time is kept back, needs 675 s, to second 695: 540 s more, and twice as much with the runs'
 * half: 1380 s. */
static void test_enough_for_model(void **state) {
	(void)state;
	assert_int_equal(budget_model_deadline(10 * second_ns, 300 * second_ns, true), 155 * second_ns);
	assert_int_equal(
		budget_enough_for_model(20 * second_ns, 155 * second_ns, 540 * second_ns, 300 * second_ns, true), 1380);
	assert_int_equal(
		budget_enough_for_model(20 * second_ns, 300 * second_ns, 540 * second_ns, 300 * second_ns, false), 695);
	char *text = budget_explain_model("to replay takes 540 s", true, 1230);
	assert_string_equal(text,
	                    "to replay takes 540 s; the model may take half of the budget, as the runs need the rest: "
	                    "--budget 1230s has time for that");
	free(text);
}

static void test_words(void **state) {
	(void)state;
	char *used_up = budget_describe_end(false, ""), *both = budget_describe_end(false, "to record takes 9 s"),
		 *model = budget_describe_end(true, "to record takes 9 s");
	assert_string_equal(used_up, "no: the time budget was used up");
	assert_string_equal(both, "no: the time budget was used up, and too short for the model: to record takes 9 s");
	/* Time is left where only the model has none. */
	assert_string_equal(model, "no: the time budget was too short for the model: to record takes 9 s");
	free(used_up);
	free(both);
	free(model);
}

static void test_no_budget(void **state) {
	struct making making = at(1000);
	(void)state;
	making.deadline_ns = INT64_MAX;
	assert_true(budget_allows_layout(&making));
	assert_int_equal(budget_model_deadline(5, INT64_MAX, true), INT64_MAX);
	assert_true(budget_allows_recording(5, INT64_MAX, INT64_MAX));
}

static void test_model(void **state) {
	(void)state;
	assert_int_equal(budget_model_deadline(10 * second_ns, 60 * second_ns, true), 35 * second_ns);
	assert_int_equal(budget_model_deadline(10 * second_ns, 60 * second_ns, false), 60 * second_ns);
	assert_true(budget_allows_recording(10 * second_ns, 35 * second_ns, 99 * second_ns));
	assert_false(budget_allows_recording(10 * second_ns, 35 * second_ns, 101 * second_ns));
}

/* By hand: 33 layouts take 60 s; of 30 s, 24 s are used, for 24 / 60 * 33 = 13.2 layouts, or 6.6 of each of two
 * programs. No time, or too little for one, gives none; more time than it takes gives all. */
static void test_layouts_to_replay(void **state) {
	(void)state;
	assert_int_equal(budget_layouts_to_replay(30 * second_ns, 60 * second_ns, 33, 1), 13);
	assert_int_equal(budget_layouts_to_replay(30 * second_ns, 60 * second_ns, 33, 2), 6);
	assert_int_equal(budget_layouts_to_replay(second_ns, 60 * second_ns, 33, 1), 0);
	assert_int_equal(budget_layouts_to_replay(0, 60 * second_ns, 33, 1), 0);
	assert_int_equal(budget_layouts_to_replay(-second_ns, 60 * second_ns, 33, 1), 0);
	assert_int_equal(budget_layouts_to_replay(600 * second_ns, 60 * second_ns, 33, 1), 33);
}

/* Of a large replay, less than a fiftieth is done in a quarter of the time: that tells as well. */
static void test_quarter(void **state) {
	(void)state;
	struct replay_pace pace;
	replay_pace_init(&pace, 10 * second_ns, 30 * second_ns, 100000);
	assert_true(replay_pace_advance(&pace, 100, 14 * second_ns));
	assert_false(replay_pace_advance(&pace, 0, 15 * second_ns));
	assert_int_equal(pace.expected_ns, 5000 * second_ns);
	replay_pace_init(&pace, 10 * second_ns, 30 * second_ns, 100000);
	assert_true(replay_pace_advance(&pace, 0, 29 * second_ns));
}

/* A fiftieth tells the time of the whole; less of it does after five seconds. */
static void test_foresight(void **state) {
	(void)state;
	struct replay_pace pace;
	replay_pace_init(&pace, 10 * second_ns, 0, 10000);
	assert_true(replay_pace_advance(&pace, 100, 11 * second_ns));
	assert_int_equal(replay_pace_foresee(&pace, 14 * second_ns), 0);
	assert_int_equal(replay_pace_foresee(&pace, 15 * second_ns), 500 * second_ns);
	assert_true(replay_pace_advance(&pace, 100, 11 * second_ns));
	assert_int_equal(replay_pace_foresee(&pace, 11 * second_ns), 50 * second_ns);
}

/* By hand: (0.65 + 6 * 0.31) * 1.5 = 3.765 s; nothing spent and one run of 0.99 s, with 10 ms around it, 1.5 s. */
static void test_enough(void **state) {
	(void)state;
	assert_int_equal(budget_enough_seconds(65 * (second_ns / 100), 3 * (second_ns / 10), 6), 4);
	assert_int_equal(budget_enough_seconds(0, 99 * (second_ns / 100), 1), 2);
	assert_int_equal(budget_enough_seconds(10 * second_ns, 2 * second_ns, 6), 34);
}

/* 10,000 executions by a deadline of 50 s. */
static void test_pace(void **state) {
	struct replay_pace pace;
	(void)state;
	/* A hundredth in two seconds is too little to tell by; two hundredths in two foresee 100 s. */
	replay_pace_init(&pace, 0, 50 * second_ns, 10000);
	assert_true(replay_pace_advance(&pace, 100, 2 * second_ns));
	assert_false(replay_pace_advance(&pace, 100, 2 * second_ns));
	assert_int_equal(pace.expected_ns, 100 * second_ns);
	assert_false(replay_pace_advance(&pace, 5000, 3 * second_ns));
	/* 49 s are in time. Behind the half only the deadline counts. */
	replay_pace_init(&pace, 0, 50 * second_ns, 10000);
	assert_true(replay_pace_advance(&pace, 1000, 49 * second_ns / 10));
	assert_true(replay_pace_advance(&pace, 4500, 28 * second_ns));
	assert_true(replay_pace_advance(&pace, 1, 50 * second_ns));
	assert_false(replay_pace_advance(&pace, 1, 50 * second_ns + 1));
	/* Without a deadline it goes on; a replay that began again is done at most once. */
	replay_pace_init(&pace, 0, 0, 10000);
	assert_true(replay_pace_advance(&pace, 15000, 1000 * second_ns));
	assert_true(replay_pace_share(&pace) == 1);
}

/* A run of 100 executions of which 10 are the head, in 4 layouts: the head counts four times, wherever chunks are cut. */
static void test_work(void **state) {
	struct replay_work work = {.lanes = 4, .executions = 100, .head = 10};
	(void)state;
	assert_int_equal(replay_work_planned(&work), 520);
	assert_int_equal(replay_work_advance(&work, 0), 0);
	assert_int_equal(replay_work_advance(&work, 6), 4 * (6 + 3 * 6));
	assert_int_equal(replay_work_advance(&work, 10), 4 * (10 + 3 * 4));
	assert_int_equal(replay_work_advance(&work, 84), 336);
	/* Without a head; and a run that is shorter than its head. */
	work = (struct replay_work){.lanes = 16, .executions = 100};
	assert_int_equal(replay_work_planned(&work), 1600);
	assert_int_equal(replay_work_advance(&work, 7), 112);
	work = (struct replay_work){.lanes = 1, .executions = 5, .head = 10};
	assert_int_equal(replay_work_planned(&work), 20);
	assert_int_equal(replay_work_advance(&work, 5), 20);
}

static void assert_few(const char *expected, int64_t run_ns, int64_t left_ns, struct plan_size size) {
	char *text = budget_describe_few(run_ns, left_ns, &size);
	if (!expected)
		assert_null(text);
	else
		assert_string_equal(text, expected);
	free(text);
}

/* A run costs 10 ms beside its duration. By hand: 60 s / 1 s, 33 layouts of 5 runs; two programs; two passes. */
static void test_few(void **state) {
	const struct plan_size size = {33 * 5, 33, 5}, pair = {2 * 33 * 5, 33, 5}, passes = {2 * 9, 9, 1};
	(void)state;
	assert_few(
		"one run takes at least 0.99 s, so that the budget holds about 60 runs of the 165 planned: 1 of 5 of each of "
		"the 33 layouts",
		990 * second_ns / 1000, 60 * second_ns, size);
	assert_few(
		"one run takes at least 0.99 s, so that the budget holds about 80 runs of the 330 planned: 1 of 5 of each of "
		"the 33 layouts",
		990 * second_ns / 1000, 80 * second_ns, pair);
	assert_few(
		"one run takes at least 2 s, so that the budget holds about 7 runs of the 18 planned: one of each of 3 of the 9 "
		"layouts",
		1990 * second_ns / 1000, 15 * second_ns, passes);
	assert_few(
		"one run takes at least 2 s, so that the budget holds about 1 run of the 165 planned: one of each of 1 of the "
		"33 layouts",
		1990 * second_ns / 1000, 3 * second_ns, size);
	/* Enough, nearly enough, and nothing to do; a budget without a run is refused at its end. */
	assert_few(NULL, second_ns, 200 * second_ns, size);
	assert_few(NULL, 990 * second_ns / 1000, 132 * second_ns, size);
	assert_few(NULL, second_ns, 10 * second_ns, (struct plan_size){0, 33, 5});
	assert_few(NULL, 9 * second_ns, 3 * second_ns, size);
	assert_few(NULL, second_ns, -second_ns, size);
}

/* An audit of 20 s gave a trigger 3 s of it, and that needs 4: 27 s give it 4. A part of 2 s that needs 1, but ended
 * before its runs: longer than the 20 s that were given. */
static void test_whole_budget(void **state) {
	(void)state;
	static const int64_t second = INT64_C(1000000000);
	assert_int_equal(budget_scale_to_whole(4, 3 * second, 20 * second), 27);
	assert_int_equal(budget_scale_to_whole(1, 2 * second, 20 * second), 21);
	assert_int_equal(budget_scale_to_whole(4, 3 * second, 0), 4);
	assert_int_equal(budget_scale_to_whole(4, 3 * second, 3 * second), 4);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_budget),
		cmocka_unit_test(test_layouts_to_replay),
		cmocka_unit_test(test_foresight),
		cmocka_unit_test(test_quarter),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_slow_layouts),
		cmocka_unit_test(test_no_budget),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_enough),
		cmocka_unit_test(test_third),
		cmocka_unit_test(test_second_layout),
		cmocka_unit_test(test_trial),
		cmocka_unit_test(test_short_runs),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_enough_for_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
