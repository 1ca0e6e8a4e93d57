import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { fieldsOf } from "./covered-fields.ts";
import { HANDED_ON } from "./handed-on.ts";
import { Case } from "./serve-cases.ts";

const read = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(PROJECT_ROOT, path), "utf8"));

/** The hand-written sources of both clients. The generated ones have every operation. */
const SOURCES = globSync(["client/src/**/*.ts", "python/src/**/*.py"], {
  cwd: PROJECT_ROOT,
  exclude: ["client/src/contract.ts", "client/src/api/operations.ts", "python/src/**/{models,api}.py"],
});

it("the clients' cases have every field of the API that a client interprets", async () => {
  const cases = z.array(Case).parse(await read("client/test/cases/cases.json"));
  const texts = await Promise.all(SOURCES.map((path) => readFile(join(PROJECT_ROOT, path), "utf8")));
  const words = new Set(texts.flatMap((text) => text.match(/\w+/g) ?? []));
  const inPython = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const isNamed = (id: string): boolean => words.has(id) || words.has(inPython(id));
  const { all, covered } = fieldsOf(await read("docs/openapi.json"), cases, isNamed);
  const names = Object.keys(HANDED_ON);
  const isOf = (field: string, name: string): boolean => field === name || field.startsWith(`${name}.`);
  const mayRead = (field: string): boolean =>
    field.startsWith("header ") || isNamed(field.split(/[.?]/).at(-1) ?? "");
  const without = [...all].filter((field) => !covered.has(field) && mayRead(field));
  const missing = without.filter((field) => !names.some((name) => isOf(field, name)));
  expect(missing, "write a case, or say in handed-on.ts why no client looks at the field").toEqual([]);
  const stale = names.filter((name) => !without.some((field) => isOf(field, name)));
  expect(stale, "the API lacks these, no client names them, or a case has them").toEqual([]);
});
