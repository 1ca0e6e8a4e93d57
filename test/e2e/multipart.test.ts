import { describe, it } from "vitest";
import { expectToArrive } from "../support/network/breaking-line.ts";
import { useSharedStack } from "../support/stack/shared-stack.ts";

/** Larger than the client's single uploads. */
const SIZE = 70_000_001;
/** The long form has a slow line; this one's clock runs with the bytes alone. */
const LINE = { bytesPerSecond: 10_000_000, breaksEverySeconds: 2, isSlow: false };

describe("a large file over a connection that breaks every 20 MB", () => {
  it("arrives whole, and nothing beyond a part is sent twice [4.1-17]", async () => {
    await expectToArrive(await useSharedStack(), LINE, SIZE);
  });
});
