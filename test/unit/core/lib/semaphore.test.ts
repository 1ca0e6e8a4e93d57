import { describe, expect, it } from "vitest";
import { Semaphore } from "../../../../src/core/lib/semaphore.ts";

describe("a room", () => {
  it("lets in as many at a time as it has places, and gives what they made", async () => {
    const room = new Semaphore(2, 2);
    const { promise, resolve } = Promise.withResolvers<string>();
    const inside = [room.within("a", () => promise), room.within("b", () => promise)];
    let ran = false;
    const third = await room.within("c", async () => {
      ran = true;
    });
    expect({ third, ran }).toEqual({ third: "full", ran: false });
    resolve("made");
    expect(await Promise.all(inside)).toEqual(["made", "made"]);
    expect(await room.within("c", async () => "after them")).toBe("after them");
  });

  it("has room for others while one owner has all that one may have", async () => {
    const room = new Semaphore(3, 2);
    const { promise, resolve } = Promise.withResolvers<string>();
    const inside = [room.within("a", () => promise), room.within("a", () => promise)];
    expect(await room.within("a", async () => "in")).toBe("full");
    expect(await room.within("b", async () => "in")).toBe("in");
    resolve("made");
    await Promise.all(inside);
    expect(await room.within("a", async () => "in")).toBe("in");
  });

  it("has its place again after one that failed", async () => {
    const room = new Semaphore(1, 1);
    await expect(room.within("a", () => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed");
    expect(await room.within("a", async () => "next")).toBe("next");
  });
});
