import { ABSENT_JOB, EVERY_ANSWER } from "../shared-proofs.ts";
import { section } from "../statement.ts";

const FREED = "e2e/waiting: are let go as soon as their connections close, and the others hear of the end";
const ONE_END =
  "unit/core/jobs/events: have exactly one `end`, the last, if the job ends, and else none; also if the connection breaks";

/** Waiting instead of polling: section 1 of the additions. */
export const ADDED_WAITING = section(
  "A1",
  [
    "With `Prefer: wait=N`, retrieveJob is answered when the job has ended or N seconds have passed, with `Preference-Applied: wait=N`.",
    "jobs/waiting: is answered when the job has ended, and says that it waited",
    "jobs/waiting: is answered with the job as it is when the time has passed",
    "jobs/waiting: goes on waiting if the JobObject ends meanwhile",
  ],
  [
    "So is retrieveJobDownload, when the archive is ready or has failed.",
    "jobs/waiting: is answered when the archive is ready",
    "jobs/waiting: is answered when the archive has failed",
    "jobs/waiting: is answered with the archive as it is when the time has passed",
  ],
  [
    "N is 1 to 60: a larger one is cut to 60, a value that is no number is ignored.",
    "unit/core/jobs/waiters: of %j is %j",
    "jobs/waiting: is answered at once of a job that has ended, with a wait that is cut to 60",
    "jobs/waiting: is answered at once, and without a word of it, where the value is no number",
  ],
  [
    "The JobObject holds the request: nothing is read of the database meanwhile, and a client that goes away is freed.",
    "jobs/waiting: cost no call of the database while they wait, and each is answered at its own job's end",
    "jobs/waiting: are forgotten at once when they go away",
    FREED,
  ],
  [
    "streamJobEvents answers with text/event-stream.",
    "operations/streamJobEvents: tells the job's status at once and at each change, and the last as `end`; then it closes",
    EVERY_ANSWER,
  ],
  [
    "`status` is the job's status, at once and at each change.",
    "operations/streamJobEvents: tells the job's status at once and at each change, and the last as `end`; then it closes",
    "operations/streamJobEvents: tells what changes of a task, under the same version of the job",
    "unit/core/jobs/events: begin with its status and tell each one that differs, in the end the last",
  ],
  [
    "`progress` is the share of the work that is done, at most four times a second.",
    "operations/streamJobEvents: tells how far the job is, and of many reports at once the last",
    "unit/core/jobs/events: tell progress at most four times in any second, and when nothing more comes how far the job is",
  ],
  [
    "`end` is the last status, after which the stream closes; it comes once.",
    "operations/streamJobEvents: tells of a job that has ended its status, and then the end",
    "operations/streamJobEvents: ends with the job that its account cancels",
    "operations/streamJobEvents: closes without an `end` if the job is deleted, and then there is no such job",
    ONE_END,
  ],
  [
    "The id of an event is the job's version; Last-Event-ID continues, over the end of the JobObject and a restart too.",
    "operations/streamJobEvents: goes on by Last-Event-ID after its connection broke, with what has changed meanwhile and one end",
    "operations/streamJobEvents: outlives the JobObject, by Last-Event-ID: no `end` is lost and none comes twice",
    "operations/streamJobEvents: answers who has heard the `end`, so that no client connects for ever; and nobody else",
    "e2e/restore: no job accepted since loses anything, the loss is told of, and relist mends it",
    "unit/core/jobs/events: have an id that never falls, the job's version; only `end` has the last",
  ],
  [
    "A comment line every 15 seconds keeps proxies from closing.",
    "operations/streamJobEvents: sends a comment when it has told nothing for 15 seconds, and closes after an hour",
  ],
  [
    "At most 10 streams a job and 100 an account: 429. What a crash leaves counted is forgotten by itself.",
    "operations/streamJobEvents: refuses a job's eleventh stream, until one of the ten is gone",
    "operations/streamJobEvents: refuses an account's hundred and first stream, until one of the hundred is gone; others may go on",
    "operations/streamJobEvents: forgets the streams of an object that died, at the latest when what it said of them no longer holds",
  ],
  ["A foreign job has no events, as a missing one has none: 404.", ABSENT_JOB],
);
