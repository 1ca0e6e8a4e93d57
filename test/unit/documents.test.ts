import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
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
  const page = read("docs/errors.md");

  it("lists the catalogue, each code with its status and sentence", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.*) \|$/gm)].map((row) => row.slice(1, 4));
    const catalogue = Object.entries(ERROR_CATALOGUE).map(([code, [status, message]]) => [
      code,
      String(status),
      message,
    ]);
    expect(rows).toEqual(catalogue);
  });

  it("has codes in snake_case, but for the specification's Unauthorized", () => {
    const others = Object.keys(ERROR_CATALOGUE).filter((code) => !/^[a-z]+(?:_[a-z]+)*$/.test(code));
    expect(others).toEqual(["Unauthorized"]);
  });

  it("explains each code that a task or an archive can end with", () => {
    const sources = globSync(["src/core/job/*.ts", "src/services/*.ts", "inference-container/src/**/*.ts"]);
    const codes = sources.flatMap((path) => [
      ...read(path).matchAll(
        /(?:code: |(?:refused|interrupted)\(\s*)"([a-z_]+)"|[`"](archive_[a-z_]+|all_tasks_failed): /g,
      ),
    ]);
    const named = new Set(codes.map((match) => match[1] ?? match[2] ?? ""));
    expect(named.size).toBeGreaterThan(20);
    for (const code of named) expect(page, code).toContain(`\`${code}\``);
  });
});
