import fc from "fast-check";

/** The inference service's answer to an offered task. */
export type Offer = "takes it" | "is full" | "refuses it" | "takes it without an answer";

/** A report of a present or past holder. */
export type Report = "progress" | "success" | "failed" | "failed for good" | "returned";

/** A part that can fail for a while. */
export type Part = "database" | "queues";

/**
 * Any event of a job after its acceptance: in any order, any number of times, about any task and by any holder, even after its
 * deletion.
 */
export type Event =
  | { readonly kind: "message"; readonly task: number; readonly offer: Offer }
  | { readonly kind: "report"; readonly holder: number; readonly report: Report; readonly masks: number }
  | { readonly kind: "time"; readonly seconds: number }
  | { readonly kind: "crash" | "delete" | "same request again" | "archive asked for" | "archive message" }
  | { readonly kind: "cancel"; readonly by: "account" | "operator" }
  | { readonly kind: "outage" | "end of outage"; readonly part: Part };

const offers: fc.Arbitrary<Offer> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Offer>("takes it") },
  { weight: 2, arbitrary: fc.constant<Offer>("is full") },
  { weight: 1, arbitrary: fc.constant<Offer>("refuses it") },
  { weight: 1, arbitrary: fc.constant<Offer>("takes it without an answer") },
);

const reports = fc.constantFrom<Report>(
  "progress",
  "success",
  "success",
  "failed",
  "failed for good",
  "returned",
);

const DAY = 86_400;
/** Some moments, a lease, waits between attempts, and now and then the day after which a task is given up. */
const seconds = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(1, 5, 59, 61, 700) },
  { weight: 1, arbitrary: fc.constantFrom(DAY / 2, DAY + 1) },
);

const part = fc.constantFrom<Part>("database", "queues");

export const anyEvent = (tasks: number): fc.Arbitrary<Event> =>
  fc.oneof(
    {
      weight: 24,
      arbitrary: fc.record({ kind: fc.constant("message" as const), task: fc.nat(tasks - 1), offer: offers }),
    },
    {
      weight: 24,
      arbitrary: fc.record({
        kind: fc.constant("report" as const),
        // Mostly one of the last holders: the others lost their leases long ago.
        holder: fc.oneof({ weight: 4, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(40) }),
        report: reports,
        masks: fc.integer({ min: 1, max: 3 }),
      }),
    },
    { weight: 12, arbitrary: fc.record({ kind: fc.constant("time" as const), seconds }) },
    { weight: 3, arbitrary: fc.constant({ kind: "crash" as const }) },
    // Rare, because few events affect a job after them.
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("cancel" as const),
        by: fc.constantFrom("account" as const, "operator" as const),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "delete" as const }) },
    { weight: 3, arbitrary: fc.constant({ kind: "same request again" as const }) },
    { weight: 3, arbitrary: fc.constant({ kind: "archive asked for" as const }) },
    { weight: 3, arbitrary: fc.constant({ kind: "archive message" as const }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("outage" as const), part }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("end of outage" as const), part }) },
  );
