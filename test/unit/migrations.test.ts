import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: PROJECT_ROOT, encoding: "utf8" });

/** The migrations of a release, by path. */
const releasedIn = (tag: string): [path: string, sql: string][] =>
  git("ls-tree", "-r", "--name-only", tag, "migrations/")
    .split("\n")
    .filter((path) => path !== "")
    .map((path) => [path, git("show", `${tag}:${path}`)]);

it("migrations only go forward: a released one never changes, and before the first release there is one", () => {
  const tags = git("tag", "--list", "v*")
    .split("\n")
    .filter((tag) => tag !== "");
  const files = readdirSync(join(PROJECT_ROOT, "migrations"));
  if (tags.length === 0)
    expect(files, "without a release, or in a clone without tags: git fetch --tags").toEqual([
      "0001_schema.sql",
    ]);
  for (const [path, sql] of tags.flatMap(releasedIn))
    expect(readFileSync(join(PROJECT_ROOT, path), "utf8"), path).toBe(sql);
});
