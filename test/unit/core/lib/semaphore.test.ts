import { describe, expect, it } from "vitest";
import { Semaphore } from "../../../../src/core/lib/semaphore.ts";

describe("a room", () => {
  it("lets in as many at a time as it has places, and gives what they made", async () => {
    const room = new Semaphore(2);
    const { promise, resolve } = Promise.withResolvers<string>();
    const inside = [room.within(() => promise), room.within(() => promise)];
    let ran = false;
    const third = await room.within(async () => {
      ran = true;
    });
    expect({ third, ran }).toEqual({ third: "full", ran: false });
    resolve("made");
    expect(await Promise.all(inside)).toEqual(["made", "made"]);
    expect(await room.within(async () => "after them")).toBe("after them");
  });

  it("has its place again after one that failed", async () => {
    const room = new Semaphore(1);
    await expect(room.within(() => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed");
    expect(await room.within(async () => "next")).toBe("next");
  });
});
