import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PROBLEMS } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";
import { withLongForm } from "../support/process/long-form.ts";
import { z } from "zod";
import { ERRORS_PAGE, withErrorTables } from "../../scripts/generate/error-tables.ts";
import { ARCHIVE_PROBLEMS } from "../../src/jobs/rules/archive-problems.ts";
import { ERROR_CATALOGUE } from "../../src/shared/errors.ts";
import { SettingsSchema } from "../../src/settings.ts";

const read = (path: string): string => readFileSync(path, "utf8");
const Scripts = z.object({ scripts: z.record(z.string(), z.string()) });

describe("the documents", () => {
  /** A page without its blocks of code. */
  const proseOf = (path: string): string => read(path).replaceAll(/^ *```.*?^ *```/gms, "");
  /** The anchors of a page's headings, as GitHub makes them. */
  const anchorsOf = (path: string): readonly string[] =>
    [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    );

  it("link only to files and headings that exist", () => {
    const pages = globSync(
      ["*.md", "{client,docs,inference-container,python,samples,scripts,test}/**/*.md"],
      {
        exclude: (path) => ["dist", "node_modules"].includes(basename(path)),
      },
    );
    expect(pages.length).toBeGreaterThan(80);
    const dead = pages.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, path = "", anchor]) => {
          const target = path === "" ? page : join(page, "..", path);
          return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it("run the clone's commands only: no unregistered package of npx, and TypeScript by npx node", () => {
    const pages = [...globSync(["*.md", "{client,docs,inference-container,python,scripts}/**/*.md"])].filter(
      (page) => !page.includes("node_modules"),
    );
    const wrong = pages.flatMap((page) =>
      [...read(page).matchAll(/npx segmentation-client|^ *(?:\w+=\S+ )*node \S+\.ts/gm)].map(
        ([line]) => `${page}: ${line}`,
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("name only long tests and npm scripts that exist", () => {
    const pages = globSync(["*.md", "docs/**/*.md"]).map(read).join("\n");
    const [, table = ""] = /^\| long test .*\n.*\n((?:\|.*\n)+)/m.exec(pages) ?? [];
    const named = [...table.matchAll(/^\| ([a-z, -]+?) (?:\||;)/gm)].flatMap(([, names = ""]) =>
      names.split(", "),
    );
    expect(named.length).toBeGreaterThan(20);
    const asked = [...pages.matchAll(/npm run test:long -- ([a-z-]+)/g)].map(([, name = ""]) => name);
    const files = [
      ...globSync("{test,*/test}/long/**/*.test.ts"),
      ...withLongForm(["{test,*/test}/**/*.test.ts"]),
    ];
    expect([...named, ...asked].filter((name) => !files.some((file) => file.includes(name)))).toEqual([]);
    const scripts = new Set([...pages.matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map(([, name = ""]) => name));
    const { scripts: existing } = Scripts.parse(JSON.parse(read("package.json")));
    expect([...scripts].filter((name) => !(name in existing))).toEqual([]);
  });

  it("name the oldest Node that the bootstrap accepts", () => {
    const [, major, minor] = /OLDEST_HOST = \[(\d+), (\d+)\]/.exec(read("scripts/bootstrap.mjs")) ?? [];
    const oldest = `${major}.${minor}`;
    expect(read("package.json")).toContain(`"node": ">=${oldest}"`);
    for (const page of ["README.md", "CONTRIBUTING.md", "client/README.md", "CHANGELOG.md"])
      expect(read(page), page).toContain(`Node ${oldest}`);
  });
});

describe("the operator's guide", () => {
  it("describes each setting of the Worker in its table", () => {
    const described = [...read("docs/operations/settings.md").matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(
      (row) => row[1],
    );
    expect(described).toEqual(expect.arrayContaining(Object.keys(SettingsSchema.shape)));
  });
});

describe("the monitoring page", () => {
  it("explains each event that the Worker logs as a warning or an error", () => {
    const sources = globSync("src/**/*.ts").map(read).join("\n");
    const events = new Set(
      [...sources.matchAll(/log(?:Sparsely\(\s*platform|\(\s*"(?:warn|error)"),\s*"(\w+)"/g)].map(
        (match) => match[1],
      ),
    );
    expect(events.size).toBeGreaterThan(15);
    const page = read("docs/operations/monitoring.md");
    for (const event of events) expect(page, event).toContain(`\`${event}\``);
  });
});

describe("the errors' page", () => {
  const page = read(ERRORS_PAGE);
  const rowOf = (code: string): string[] =>
    [...page.matchAll(new RegExp(`^\\| \`${code}\` \\| .*$`, "gm"))].map(String);
  const tables = { ...ERROR_CATALOGUE, ...PROBLEMS, ...ARCHIVE_PROBLEMS };

  it("is as `npm run errors` writes it", () => {
    expect(page).toBe(withErrorTables(page));
  });

  it("explains each code that a task or an archive can end with", () => {
    for (const [code, { sentence }] of Object.entries(PROBLEMS))
      expect(rowOf(code)).toContainEqual(expect.stringContaining(` | ${sentence} | `));
    for (const [code, sentence] of Object.entries(ARCHIVE_PROBLEMS))
      expect(rowOf(code)).toEqual([`| \`${code}\` | ${sentence} |`]);
  });

  it("has codes in snake_case, except the specification's Unauthorized [7-15]", () => {
    const odd = Object.keys(tables).filter((code) => !/^[a-z]+(?:_[a-z]+)*$/.test(code));
    expect(odd).toEqual(["Unauthorized"]);
  });
});
