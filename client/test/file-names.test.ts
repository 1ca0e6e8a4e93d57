import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { stemOf, uniqueNames } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { pythonWith } from "../../test/support/clients/python.ts";
import { FileNames, isSafe, nameOfPath } from "../src/results/file-names.ts";

const namesFor = (names: readonly string[]): string[] => [
  ...uniqueNames(new Map(names.map((name, i) => [`id-${i + 1}`, name]))).values(),
];

/** Replaces `{d×3}` by `ddd`. */
const expanded = (text: string): string =>
  text.replaceAll(/\{([^{}×]+)×(\d+)\}/gu, (_, part: string, times: string) => part.repeat(Number(times)));
const Texts = z.array(z.string().transform(expanded));
const CASES = z
  .array(z.strictObject({ name: z.string(), given: Texts, files: Texts }))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "cases/file-names.json"), "utf8")));

/** Parts of short and long names, with characters that file systems refuse or change. */
const unit = fc.constantFrom(
  "a",
  "A",
  "\u0301",
  "é",
  "字",
  "😀",
  "\u200d",
  "🏽",
  "ß",
  "ſ",
  "İ",
  "K",
  "ﬁ",
  " ",
  ".",
  "/",
  "\\",
  ":",
  "\0",
  "-2",
  "nul",
  "\udcff",
);
const wanted = fc.array(
  fc
    .tuple(fc.string({ unit, maxLength: 8 }), fc.constantFrom(1, 1, 40))
    .map(([text, times]) => text.repeat(times)),
  { maxLength: 12 },
);

const python = pythonWith("httpx");
/** Gives lists of names to the client for Python. */
function namesInPython(lists: readonly (readonly string[])[]): unknown {
  const program =
    "import json, sys, segmentation_client as sc\n" +
    'named = lambda names: sc.unique_names({f"id-{i + 1}": name for i, name in enumerate(names)})\n' +
    "print(json.dumps([list(named(names).values()) for names in json.load(sys.stdin)]))";
  const env = { ...process.env, PYTHONPATH: join(PROJECT_ROOT, "python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  return JSON.parse(
    execFileSync(python ?? "", ["-c", program], { env, input: JSON.stringify(lists), encoding: "utf8" }),
  );
}

describe("the names of files in a folder", () => {
  it.each(CASES)("$name", ({ given, files }) => {
    expect(namesFor(given)).toEqual(files);
  });

  it.skipIf(python === null)("are the same in Python", () => {
    const lists = [...CASES.map(({ given }) => given), ...fc.sample(wanted, 60)];
    expect(namesInPython(lists)).toEqual(lists.map(namesFor));
  });

  it("are distinct names that every file system accepts, with room for a suffix", () => {
    fc.assert(
      fc.property(wanted, (names) => {
        const files = namesFor(names);
        expect(new Set(files.map((file) => file.normalize("NFD").toUpperCase())).size).toBe(names.length);
        for (const file of files) {
          expect(Buffer.byteLength(`${file}.json.part`)).toBeLessThanOrEqual(255);
          expect(file).toMatch(/^[^./\\:\0][^/\\:\0]*(?<![. ])$/);
          expect(file).not.toMatch(/^nul(?:\.|$)/i);
          expect(String(Buffer.from(file))).toBe(file);
          expect(isSafe(file)).toBe(true);
        }
      }),
    );
  });

  it("are paths if folders are wanted, and never lead outside", () => {
    const names = new FileNames(["deep/photo.png"]);
    const given = [
      "Deep/PHOTO.png",
      "deep/../../photo.png",
      "/x//y.png",
      `${"d".repeat(300)}/a.png`,
      "con/a.png",
    ];
    expect(given.map((name) => names.take(name))).toEqual([
      "Deep/PHOTO-2.png",
      "deep/_/_/photo.png",
      "_/x/_/y.png",
      `${"d".repeat(240)}/a.png`,
      "_con/a.png",
    ]);
  });

  it("have a stem, with anything before or after the dots", () => {
    expect(["a.b.jpg", "a", ".env"].map(stemOf)).toEqual(["a.b", "a", ".env"]);
  });
});

it.each([
  ["/photos/caf%C3%A9.png", "café.png"],
  ["/photos/a%20b+c.png", "a b+c.png"],
  ["/photos/a%2Fb.png", "b.png"],
  ["/caf%E9.png", "caf\ufffd.png"],
  ["/100%.png", "100%.png"],
  ["/photos/", undefined],
  ["/", undefined],
])("the file at a URL's path %s is called %s", (path, name) => {
  expect(nameOfPath(path)).toBe(name);
});
