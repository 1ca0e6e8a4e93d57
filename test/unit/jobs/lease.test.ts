import { afterEach, describe, expect, it, vi } from "vitest";
import { issueLeaseToken, leaseOfKey, readLeaseToken, taskKey } from "../../../src/jobs/rules/lease.ts";
import { signToken } from "../../../src/shared/signed-token.ts";
import fc from "fast-check";
import { service } from "../../support/secrets.ts";
import { TaskKey } from "@segmentation/protocol";

const SECRETS = service("a secret for leases");
const CLAIMS = { job: "job_1", task: "a.png", lease: 3 };
const END = 1_800_000_000_000;

const at = (now: number) => vi.useFakeTimers({ now, toFake: ["Date"] });
afterEach(() => {
  vi.useRealTimers();
});

describe("a lease's bearer token", () => {
  it("is valid for one lease of one task of one job, and for nothing else", async () => {
    at(END - 1);
    expect(await readLeaseToken(SECRETS, await issueLeaseToken(SECRETS, CLAIMS, END))).toEqual(CLAIMS);
  });

  it("is worthless from its end on", async () => {
    at(END - 1);
    const token = await issueLeaseToken(SECRETS, CLAIMS, END);
    at(END);
    expect(await readLeaseToken(SECRETS, token)).toBeNull();
  });

  it("is worthless when it is forged, or was signed for another purpose", async () => {
    at(END - 1);
    expect(await readLeaseToken(SECRETS, await issueLeaseToken(service("another"), CLAIMS, END))).toBeNull();
    expect(await readLeaseToken(SECRETS, await signToken(SECRETS, "cursor", CLAIMS))).toBeNull();
    expect(await readLeaseToken(SECRETS, "x")).toBeNull();
  });

  it.each([{ ...CLAIMS, lease: 0 }, { ...CLAIMS, lease: 1.5 }, { job: "job_1", task: "a.png" }, {}])(
    "is worthless when it names no lease: %j",
    async (claims) => {
      expect(await readLeaseToken(SECRETS, await signToken(SECRETS, "lease", claims))).toBeNull();
    },
  );
});

it("gives each lease of each task a distinct key in the protocol's form", () => {
  const jobId = fc.stringMatching(/^job_[0-9a-f]{32}$/);
  const taskId = fc.uuid().map((uuid) => `${uuid}.png`);
  const lease = fc.record({ jobId, taskId, lease: fc.integer({ min: 1 }) });
  fc.assert(
    fc.property(
      fc.uniqueArray(lease, { maxLength: 10, selector: (each) => JSON.stringify(each) }),
      (leases) => {
        const keys = leases.map((each) => taskKey(each.jobId, each.taskId, each.lease));
        expect(new Set(keys).size).toBe(leases.length);
        for (const key of keys) expect(TaskKey.safeParse(key).success).toBe(true);
      },
    ),
  );
  const keys = [
    taskKey("job_1", "a.png", 1),
    taskKey("job_1", "a.png", 2),
    taskKey("job_1", "b.png", 1),
    taskKey("job_2", "a.png", 1),
  ];
  expect(new Set(keys).size).toBe(4);
});

describe("a task key", () => {
  it("names its lease", () => {
    expect(leaseOfKey(taskKey("job_1", "a.png", 3))).toEqual(CLAIMS);
  });

  it.each(["", "job_1", "job_1.a.png", "job_1.a.png.0", "job_1.a.png.x"])("names none if it is %j", (key) => {
    expect(leaseOfKey(key)).toBeNull();
  });
});
