import { globSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/operations.ts";

/** The exported functions of each file of a feature's operations. The operator's operations are not part of the API. */
const rooms = await Promise.all(
  globSync(["src/*/operations/**/*.ts", "src/*/operations.ts"], { exclude: ["src/operator/**"] }).map(
    async (file) => {
      const room: Record<string, unknown> = await import(/* @vite-ignore */ resolve(file));
      return { file, functions: Object.keys(room).filter((name) => typeof room[name] === "function") };
    },
  ),
);

describe("operations of the features", () => {
  it.each(Object.keys(OPERATIONS))("has one room for %s, which exports a function of that name", (id) => {
    expect(rooms.filter(({ functions }) => functions.includes(id))).toHaveLength(1);
  });
});
