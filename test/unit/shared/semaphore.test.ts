import { describe, expect, it } from "vitest";
import { Semaphore } from "../../../src/shared/semaphore.ts";

describe("a room", () => {
  it("admits as many at a time as it has places, and returns their results", async () => {
    const room = new Semaphore(2, 2, 1_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    const inside = [room.within("a", 0, () => promise), room.within("b", 0, () => promise)];
    let ran = false;
    const third = await room.within("c", 0, async () => {
      ran = true;
    });
    expect({ third, ran }).toEqual({ third: "full", ran: false });
    resolve("made");
    expect(await Promise.all(inside)).toEqual(["made", "made"]);
    expect(await room.within("c", 0, async () => "after them")).toBe("after them");
  });

  it("has room for others while one owner has all that one may have", async () => {
    const room = new Semaphore(3, 2, 1_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    const inside = [room.within("a", 0, () => promise), room.within("a", 0, () => promise)];
    expect(await room.within("a", 0, async () => "in")).toBe("full");
    expect(await room.within("b", 0, async () => "in")).toBe("in");
    resolve("made");
    await Promise.all(inside);
    expect(await room.within("a", 0, async () => "in")).toBe("in");
  });

  it("counts the places of each, of which a large one takes several", async () => {
    const room = new Semaphore(5, 5, 1_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    const inside = [room.within("a", 0, () => promise, 3), room.within("b", 0, () => promise)];
    expect(await room.within("c", 0, async () => "in", 2)).toBe("full");
    expect(await room.within("c", 0, async () => "in")).toBe("in");
    resolve("made");
    await Promise.all(inside);
    expect(await room.within("c", 0, async () => "in", 5)).toBe("in");
  });

  it("frees its place after a failure", async () => {
    const room = new Semaphore(1, 1, 1_000);
    await expect(room.within("a", 0, () => Promise.reject(new Error("it failed")))).rejects.toThrow(
      "it failed",
    );
    expect(await room.within("a", 0, async () => "next")).toBe("next");
  });

  it("frees its place once if the platform ended the holder", async () => {
    const room = new Semaphore(1, 1, 1_000);
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const ended = room.within("a", 0, () => late);
    expect(await room.within("b", 999, async () => "in")).toBe("full");
    const { promise: next, resolve: end } = Promise.withResolvers<string>();
    const inside = room.within("a", 1_000, () => next);
    resolve("late");
    await ended;
    expect(await room.within("b", 1_500, async () => "in")).toBe("full");
    end("over");
    expect(await inside).toBe("over");
    expect(await room.within("b", 1_500, async () => "in")).toBe("in");
  });
});
