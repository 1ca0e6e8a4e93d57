import { globSync, readFileSync } from "node:fs";
import { PROBLEMS } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";
import { ERRORS_PAGE, withTables } from "../../scripts/errors/tables.ts";
import { ARCHIVE_PROBLEMS } from "../../src/core/archive-problems.ts";
import { ERROR_CATALOGUE } from "../../src/core/errors.ts";
import { SettingsSchema } from "../../src/settings.ts";

const read = (path: string): string => readFileSync(path, "utf8");

describe("the operator's guide", () => {
  it("describes each setting of the Worker in its table", () => {
    const described = [...read("docs/operations.md").matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(
      (row) => row[1],
    );
    expect(described).toEqual(expect.arrayContaining(Object.keys(SettingsSchema.shape)));
  });
});

describe("what to watch", () => {
  it("explains each event that the Worker logs as a warning or an error", () => {
    const sources = globSync("src/**/*.ts").map(read).join("\n");
    const events = new Set(
      [...sources.matchAll(/log\(\s*"(?:warn|error)",\s*"(\w+)"/g)].map((match) => match[1]),
    );
    expect(events.size).toBeGreaterThan(15);
    const page = read("docs/operations.md");
    for (const event of events) expect(page, event).toContain(`\`${event}\``);
  });
});

describe("the errors' page", () => {
  it("has the catalogue's errors, the problems of tasks and those of archives in its tables", () => {
    const page = read(ERRORS_PAGE);
    expect(page, "npm run errors writes the tables anew").toBe(withTables(page));
    const codes = [ERROR_CATALOGUE, PROBLEMS, ARCHIVE_PROBLEMS].flatMap((table) => Object.keys(table));
    for (const code of codes) expect(page).toContain(`\n| \`${code}\` | `);
  });

  it("has codes in snake_case, but for the specification's Unauthorized", () => {
    const codes = [ERROR_CATALOGUE, PROBLEMS, ARCHIVE_PROBLEMS].flatMap((table) => Object.keys(table));
    expect(codes.filter((code) => !/^[a-z]+(?:_[a-z]+)*$/.test(code))).toEqual(["Unauthorized"]);
  });
});
