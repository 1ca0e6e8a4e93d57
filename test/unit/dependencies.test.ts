import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";

const Names = z.record(z.string(), z.string()).default({});
const Package = z.object({
  name: z.string(),
  dependencies: Names,
  devDependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
});

it("every direct dependency has its reason in the table, and the table has no others", () => {
  const packages = globSync(["package.json", "*/package.json", "test/generated-client/package.json"]).map(
    (path) => Package.parse(JSON.parse(readFileSync(path, "utf8"))),
  );
  const own = new Set(packages.map(({ name }) => name));
  const used = packages.flatMap(({ dependencies, devDependencies, optionalDependencies, peerDependencies }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies }),
  );
  const rows = readFileSync("docs/contributing/dependencies.md", "utf8").matchAll(/^\| (`.*?) \| /gm);
  const listed = [...rows].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(new Set(listed)).toEqual(new Set(used.filter((name) => !own.has(name))));
  expect(listed).toHaveLength(new Set(listed).size);
});
