import { existsSync, globSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";

const ROOMS = "src/services/operations";
const roomOf = (operationId: string): string =>
  `${ROOMS}/${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

describe("src/services/operations", () => {
  it.each(Object.keys(OPERATIONS))("has a room for %s, which exports a function of that name", async (id) => {
    expect(existsSync(roomOf(id))).toBe(true);
    const room: Record<string, unknown> = await import(/* @vite-ignore */ resolve(roomOf(id)));
    expect(room[id]).toBeTypeOf("function");
  });

  it("has no other file", () => {
    expect(globSync(`${ROOMS}/**`, { withFileTypes: true }).filter((entry) => entry.isFile())).toHaveLength(
      Object.keys(OPERATIONS).length,
    );
  });
});
