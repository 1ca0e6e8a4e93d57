import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path/posix";
import { describe, expect, it } from "vitest";

/** The features of `src/`, each of which imports only from those before it; the files in `src/` compose them. */
const FEATURES = [
  "shared",
  "billing",
  "accounts",
  "uploads",
  "jobs",
  "segment",
  "models",
  "gateway",
  "archives",
  "webhooks",
  "shares",
  "operator",
  "runtime",
  "http",
  "integrations",
];

const PACKAGES: Readonly<Record<string, string>> = {
  "@segmentation/masks": "masks/src/index.ts",
  "@segmentation/protocol": "protocol/src/index.ts",
  "segmentation-client": "client/src/index.ts",
};

/** A file, and a file that it imports. */
type Import = readonly [from: string, to: string];

const importsIn = (file: string, text: string): Import[] =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"?]+)/g)].flatMap(([, name = ""]) => {
    const to = name.startsWith(".") ? join(dirname(file), name) : PACKAGES[name];
    return to === undefined ? [] : [[file, to] as const];
  });

const sources = new Map(
  globSync([
    "{src,scripts}/**/*.{ts,tsx}",
    "{studio,client,inference-container,evaluation,masks,protocol}/src/**/*.{ts,tsx}",
  ]).map((file) => [file, readFileSync(file, "utf8")]),
);
const imports = [...sources].flatMap(([file, text]) => importsIn(file, text));

/** Returns the two sibling folders that an import connects, with their whole content; null within a folder. */
function siblingsOf([from, to]: Import): Import | null {
  const [a, b] = [from.split("/"), to.split("/")];
  const i = a.findIndex((name, at) => name !== b[at]);
  if (i === -1 || i >= a.length - 1 || i >= b.length - 1) return null;
  return [a.slice(0, i + 1).join("/"), b.slice(0, i + 1).join("/")];
}

/** The edges "folder -> folder" of all cycles: an edge that nothing leads to, or that leads nowhere, is in none. */
function cycles(all: readonly Import[]): string[] {
  let edges = [...new Set(all.flatMap((one) => siblingsOf(one)?.join(" -> ") ?? []))];
  for (;;) {
    const [from, to] = [0, 1].map((end) => new Set(edges.map((edge) => edge.split(" -> ")[end])));
    const left = edges.filter((edge) => {
      const [a, b] = edge.split(" -> ");
      return to?.has(a) === true && from?.has(b) === true;
    });
    if (left.length === edges.length) return left;
    edges = left;
  }
}

/** Returns the position of a file's feature in their order; -1 for a file outside of a feature. */
const placeOf = (file: string): number => FEATURES.indexOf(/^src\/(\w+)\//.exec(file)?.[1] ?? "");

const upward = (all: readonly Import[]): Import[] =>
  all.filter(([from, to]) => placeOf(from) !== -1 && placeOf(to) > placeOf(from));

describe("folders", () => {
  it("import each other in one direction only", () => {
    expect(cycles(imports)).toEqual([]);
  });

  it("form a cycle if one more import closes it, of a type or of a package", () => {
    const type = importsIn(
      "src/shared/fixture.ts",
      'import type {\n  Job,\n} from "../jobs/rules/state.ts";',
    );
    expect(cycles([...imports, ...type])).toContain("src/shared -> src/jobs");
    const named = importsIn("masks/src/fixture.ts", 'export * from "segmentation-client";');
    expect(cycles([...imports, ...named])).toContain("masks -> client");
  });
});

describe("the features of src/", () => {
  it("are in one order, and import only from those before them", () => {
    const folders = globSync("src/*/").map((folder) => basename(folder));
    expect(folders.toSorted()).toEqual(FEATURES.toSorted());
    expect(upward(imports)).toEqual([]);
    const fixture = importsIn("src/http/fixture.ts", 'import { sessions } from "../integrations/jobs.ts";');
    expect(upward(fixture)).toEqual(fixture);
  });
});

describe("SQL", () => {
  const SQL = /\b(?:SELECT\s|INSERT INTO|DELETE FROM|UPDATE \w+ SET|json_each\()/;
  const STORE = /^src\/(?:\w+\/store|shared\/storage)\//;

  it("is in stores only", () => {
    const withSql = [...sources].filter(([file, text]) => file.startsWith("src/") && SQL.test(text));
    expect(withSql.length).toBeGreaterThan(20);
    expect(withSql.flatMap(([file]) => (STORE.test(file) ? [] : [file]))).toEqual([]);
  });
});

describe("the repository", () => {
  const GENERATED =
    /^client\/src\/(?:contract|api\/operations)\.ts$|^python\/src\/segmentation_client\/(?:api|models)\.py$/;
  const files = globSync("*/**/*.{ts,tsx,css,mjs,py}", {
    exclude: (path) => /^(?:node_modules|dist|\..*)$/.test(path),
  }).filter((file) => !GENERATED.test(file));

  it("has no file of more than 350 lines that people write", () => {
    expect(files.length).toBeGreaterThan(1_500);
    expect(files.filter((file) => readFileSync(file, "utf8").split("\n").length > 351)).toEqual([]);
  });

  it("has no folder of more than 20 files", () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    expect([...folders].flatMap(([folder, own]) => (own.length > 20 ? [folder] : []))).toEqual([]);
  });
});
