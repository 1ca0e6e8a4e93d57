import { globSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";

/** The functions that each file of src/services/operations exports. */
const rooms = await Promise.all(
  globSync("src/services/operations/**/*.ts").map(async (file) => {
    const room: Record<string, unknown> = await import(/* @vite-ignore */ resolve(file));
    return { file, functions: Object.keys(room).filter((name) => typeof room[name] === "function") };
  }),
);

describe("src/services/operations", () => {
  it.each(Object.keys(OPERATIONS))("has one room for %s, which exports a function of that name", (id) => {
    expect(rooms.filter(({ functions }) => functions.includes(id))).toHaveLength(1);
  });

  it("has no file without an operation", () => {
    const operations = Object.keys(OPERATIONS);
    const others = rooms.filter(({ functions }) => !functions.some((name) => operations.includes(name)));
    expect(others.map(({ file }) => file)).toEqual([]);
  });
});
