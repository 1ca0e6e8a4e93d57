import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alarmTime } from "../../../src/shared/alarm.ts";
import { nextWake as jobWake } from "../../../src/jobs/rules/lifecycle.ts";
import type { JobState } from "../../../src/jobs/rules/state.ts";
import { claimTask, extendTask, takeDueTasks, tickTasks } from "../../../src/jobs/rules/tasks.ts";
import { nextWake as endpointWake } from "../../../src/webhooks/rules/endpoint.ts";
import { at } from "../../support/at.ts";
import { policy } from "../../support/job-policy.ts";
import { accepted, BEGIN, DAY, imageJob, SECOND } from "../../support/a-job.ts";

/** Maximum delay of the platform's alarms. */
const MOST_LATE_MS = 60 * SECOND;

/** An object with one alarm. */
interface Model<State> {
  readonly start: State;
  readonly wakeAt: (state: State, setFor: number | null, now: number) => number;
  readonly change: (state: State, now: number) => State;
  readonly ring: (state: State, now: number) => State;
  /** Returns how long the object's oldest work has been overdue, in milliseconds. */
  readonly overdue: (state: State, now: number) => number;
}

/** A change of the object `afterMs` after its last change, and the delay of an alarm that is set then. */
interface Step {
  readonly afterMs: number;
  readonly lateMs: number;
}

/** Returns the maximum time for which an object's work is overdue, in this many changes that repeat the steps. */
const checking =
  <State>(model: Model<State>) =>
  (steps: readonly Step[], count: number): number =>
    longestOverdue(model, steps, count);

function longestOverdue<State>(model: Model<State>, steps: readonly Step[], count: number): number {
  let { start: state } = model;
  let [now, longest] = [BEGIN, 0];
  const alarm: { setFor: number | null; ringsAt: number } = { setFor: null, ringsAt: Infinity };
  const commit = (next: State, lateMs: number): void => {
    state = next;
    const wakeAt = model.wakeAt(state, alarm.setFor, now);
    if (wakeAt === alarm.setFor) return;
    alarm.setFor = wakeAt;
    alarm.ringsAt = Math.max(wakeAt, now) + lateMs;
  };
  const passUntil = (time: number): void => {
    now = time;
    longest = Math.max(longest, model.overdue(state, now));
  };
  commit(state, 0);
  for (let i = 0; i < count; i += 1) {
    const { afterMs, lateMs } = at(steps, i % steps.length);
    const changesAt = now + afterMs;
    while (alarm.ringsAt <= changesAt) {
      passUntil(alarm.ringsAt);
      alarm.setFor = null;
      commit(model.ring(state, now), lateMs);
    }
    passUntil(changesAt);
    commit(model.change(state, now), lateMs);
  }
  return longest;
}

const [DEAD, BUSY] = ["dead", "busy"];
const claim = (state: JobState, taskId: string, now: number): JobState =>
  claimTask(state, taskId, policy, now).state;
const leases = ({ tasks }: JobState) =>
  tasks.flatMap(({ taskId, step }) => (step.at === "leased" ? [{ taskId, ...step }] : []));

/** One holder of the job's two tasks reports progress at each change; the other never reports. */
const job: Model<JobState> = {
  start: claim(claim(accepted(imageJob([DEAD, BUSY])), DEAD, BEGIN), BUSY, BEGIN),
  wakeAt: (state, setFor, now) => jobWake(state, policy, setFor, now),
  change: (state, now) => {
    const { lease = 0 } = leases(state).find(({ taskId }) => taskId === BUSY) ?? {};
    return extendTask(state, BUSY, lease, { done: 0, total: 1 }, policy, now).state;
  },
  ring: (state, now) => {
    const { state: sent, taskIds } = takeDueTasks(tickTasks(state, policy, now), policy, now);
    return taskIds.reduce((held, taskId) => claim(held, taskId, now), sent);
  },
  overdue: (state, now) => Math.max(0, ...leases(state).map(({ deadline }) => now - deadline)),
};

/** An event arrives at each change; the alarm sends all. The state is the time at which the first delivery was due. */
const endpoint: Model<number | null> = {
  start: null,
  wakeAt: (dueAt, setFor, now) => {
    const pending = { dueAt, isHeld: false, failingSince: null, oldestAt: BEGIN };
    return endpointWake(pending, 30 * DAY, setFor, now);
  },
  change: (dueAt, now) => dueAt ?? now,
  ring: () => null,
  overdue: (dueAt, now) => now - (dueAt ?? now),
};

/** Overdue work that fails at every alarm; the state is the time of the last alarm. */
const failing: Model<{ readonly triedAt: number; readonly extendedAt: number }> = {
  start: { triedAt: BEGIN, extendedAt: BEGIN },
  wakeAt: ({ extendedAt }, setFor, now) =>
    alarmTime([BEGIN, extendedAt + 60 * SECOND], { setFor, overdueMs: 10 * SECOND }, now),
  change: ({ triedAt }, now) => ({ triedAt, extendedAt: now }),
  ring: ({ extendedAt }, now) => ({ triedAt: now, extendedAt }),
  overdue: ({ triedAt }, now) => now - triedAt,
};

/** Steps whose changes are at most this far apart. */
const anySteps = (mostApartMs: number) =>
  fc.array(
    fc.record({
      afterMs: fc.integer({ min: 1, max: mostApartMs }),
      lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: MOST_LATE_MS })),
    }),
    { minLength: 1, maxLength: 50, size: "max" },
  );

describe("an alarm that the platform may be late with", () => {
  it.each([
    ["takes back each lease of a busy job", checking(job), 20 * SECOND, 300, 0],
    ["sends to an endpoint that keeps receiving events", checking(endpoint), 90, 3_000, 100],
    ["comes again for what fails in a busy object", checking(failing), 9 * SECOND, 300, 10_000],
  ])("%s in time, but for its own delay", (_, overdueAfter, mostApartMs, count, graceMs) => {
    fc.assert(
      fc.property(anySteps(mostApartMs), (steps) => {
        expect(overdueAfter(steps, count)).toBeLessThanOrEqual(graceMs + MOST_LATE_MS);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the time of an alarm", () => {
  const now = BEGIN;
  const time = fc.integer({ min: now - DAY, max: now + DAY });
  const overdueMs = 60 * SECOND;

  it("is the set one, once that has come", () => {
    fc.assert(
      fc.property(fc.array(time), fc.integer({ min: 0, max: DAY }), (deadlines, ago) => {
        expect(alarmTime(deadlines, { setFor: now - ago, overdueMs }, now)).toBe(now - ago);
      }),
    );
  });

  it("is the first deadline if none has passed, and moves with it", () => {
    const later = fc.integer({ min: now + 1, max: now + DAY });
    fc.assert(
      fc.property(fc.array(later), fc.option(later), (deadlines, setFor) => {
        expect(alarmTime(deadlines, { setFor, overdueMs, retryAt: 0 }, now)).toBe(Math.min(...deadlines));
      }),
    );
  });

  it.each([
    ["soon", null, undefined, 60],
    ["as soon as it is set for already", 20, undefined, 20],
    ["soon, if it is set for later", 90, undefined, 60],
    ["at its retry", 20, 500, 500],
    ["soon, if its retry has passed", null, 0, 60],
  ])("is, for a deadline that has passed, %s", (_, setFor, retry, expected) => {
    const state = {
      setFor: setFor === null ? null : now + setFor * SECOND,
      overdueMs,
      ...(retry !== undefined && { retryAt: now + retry * SECOND }),
    };
    for (const deadline of [now, now - DAY])
      expect(alarmTime([now + DAY, deadline], state, now)).toBe(now + expected * SECOND);
  });
});
