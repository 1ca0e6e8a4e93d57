import { globSync, readFileSync } from "node:fs";

/** The page of the statements. Its first two columns are written by hand; the third is made from the titles of the tests. */
export const PAGE = "docs/contributing/conformance.md";

const TAG = String.raw`A?\d+(?:\.\d+)?-\d+`;
/** A row: the statement's tag, further sections that say the same, and the statement. */
const ROW = new RegExp(String.raw`^(${TAG})((?:, [A\d.]+)*) \| (.+?) \|.*$`, "gm");
/** A test's title that ends in tags, such as `"refuses %s [4.3-2 8-1]"`. */
const TAGGED = new RegExp(String.raw`(["'\`])((?:\\.|(?!\1)[^\\\n])+) \[(${TAG}(?: ${TAG})*)\]\1,`, "g");

/** A file as the page names it: without its suffix, and without the folder where most of them lie or a package's folder of tests. */
const shortName = (file: string): string =>
  file
    .replace(/^test\/(?:worker\/)?/, "")
    .replace(/^([a-z]+)(?:-container)?\/test\//, "$1/")
    .replace(/\.test\.ts$/, "");

/** The tests that carry each tag: their titles, by their files' names. */
export function testsByTag(): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const tests = new Map<string, Map<string, string[]>>();
  for (const file of globSync("{test,*/test}/**/*.test.ts", { exclude: ["node_modules/**"] }).toSorted()) {
    for (const [, , title = "", tags = ""] of readFileSync(file, "utf8").matchAll(TAGGED)) {
      for (const tag of tags.split(" ")) {
        const files = tests.get(tag) ?? new Map<string, string[]>();
        tests.set(tag, files.set(shortName(file), [...(files.get(shortName(file)) ?? []), title]));
      }
    }
  }
  return tests;
}

/** The tags of a page's statements, in its order. */
export const tagsOf = (page: string): string[] => [...page.matchAll(ROW)].map(([, tag = ""]) => tag);

/** The page with its third column made again: of each statement, the tests that carry its tag. */
export function withProofs(page: string): string {
  const tests = testsByTag();
  return page.replace(ROW, (_, tag: string, sections: string, statement: string) => {
    const proofs = [...(tests.get(tag) ?? [])].map(
      ([file, titles]) => `${file}: ${titles.map((title) => `“${title}”`).join(", ")}`,
    );
    const cell = proofs.join("; ").replaceAll("<", "&lt;").replaceAll("|", "\\|");
    return `${tag}${sections} | ${statement} | ${cell}`;
  });
}
