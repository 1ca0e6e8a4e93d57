import { afterEach, describe, expect, it, vi } from "vitest";
import { issueLeaseToken, readLeaseToken } from "../../../../src/core/jobs/lease-token.ts";
import { signToken } from "../../../../src/core/lib/signed-token.ts";

const SECRET = "a secret for leases";
const CLAIMS = { job: "job_1", task: "a.png", lease: 3 };
const END = 1_800_000_000_000;

const at = (now: number) => vi.useFakeTimers({ now, toFake: ["Date"] });
afterEach(() => {
  vi.useRealTimers();
});

describe("a lease's bearer token", () => {
  it("speaks for one lease of one task of one job, and for nothing else", async () => {
    at(END - 1);
    expect(await readLeaseToken(SECRET, await issueLeaseToken(SECRET, CLAIMS, END))).toEqual(CLAIMS);
  });

  it("is worthless from its end on", async () => {
    at(END - 1);
    const token = await issueLeaseToken(SECRET, CLAIMS, END);
    at(END);
    expect(await readLeaseToken(SECRET, token)).toBeNull();
  });

  it("is worthless when it is forged, or was signed for another purpose", async () => {
    at(END - 1);
    expect(await readLeaseToken(SECRET, await issueLeaseToken("another", CLAIMS, END))).toBeNull();
    expect(await readLeaseToken(SECRET, await signToken(SECRET, "cursor", CLAIMS))).toBeNull();
    expect(await readLeaseToken(SECRET, "x")).toBeNull();
  });

  it.each([{ ...CLAIMS, lease: 0 }, { ...CLAIMS, lease: 1.5 }, { job: "job_1", task: "a.png" }, {}])(
    "is worthless when it names no lease: %j",
    async (claims) => {
      expect(await readLeaseToken(SECRET, await signToken(SECRET, "lease", claims))).toBeNull();
    },
  );
});
