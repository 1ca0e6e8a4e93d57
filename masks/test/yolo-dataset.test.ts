import { execFileSync, spawnSync } from "node:child_process";
import { yoloDataset } from "@segmentation/masks";
import * as fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";

/** Characters that PyYAML's reader refuses anywhere in a stream (reader.py). */
const NON_PRINTABLE = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** Characters after a backslash, and the number of hexadecimal digits that follow (scanner.py). */
const REPLACEMENTS = new Map(
  Object.entries({
    0: "\0",
    a: "\x07",
    b: "\b",
    t: "\t",
    n: "\n",
    v: "\v",
    f: "\f",
    r: "\r",
    e: "\x1b",
  }).concat(
    Object.entries({ " ": " ", '"': '"', "\\": "\\", "/": "/", "\t": "\t" }),
    Object.entries({ N: "\x85", _: "\xa0", L: "\u2028", P: "\u2029" }),
  ),
);
const DIGITS = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** A line break as PyYAML gives it on: those of ASCII and U+0085 as a line feed. */
const lineBreakOf = (text: string): string => (/[\u2028\u2029]/.test(text) ? text : "\n");

/** Reads a double-quoted scalar as PyYAML does, from after its opening quote. Returns the text and its end. */
function readScalar(stream: string, begin: number): readonly [text: string, end: number] {
  let text = "";
  for (let at = begin; ;) {
    const [plain = ""] = /^[^"\\ \t\r\n\x85\u2028\u2029]*/.exec(stream.slice(at)) ?? [];
    text += plain;
    at += plain.length;
    const character = stream[at];
    if (character === undefined) throw new SyntaxError("the stream ends inside of a scalar");
    if (character === '"') return [text, at + 1];
    if (character === "\\") {
      const escape = stream[at + 1] ?? "";
      const digits = DIGITS.get(escape) ?? 0;
      const code = stream.slice(at + 2, at + 2 + digits);
      const replacement =
        digits > 0 ? String.fromCodePoint(Number.parseInt(code, 16)) : REPLACEMENTS.get(escape);
      if (replacement === undefined || code.length < digits)
        throw new SyntaxError(`unknown escape \\${escape}`);
      text += replacement;
      at += 2 + digits;
      continue;
    }
    // A line that is broken continues after one space, or after as many breaks as there are empty lines.
    const [spaces = ""] = /^[ \t]*/.exec(stream.slice(at)) ?? [];
    const [breaks = ""] = /^(?:[ \t]*(?:\r\n|[\r\n\x85\u2028\u2029]))*[ \t]*/.exec(stream.slice(at)) ?? [];
    const [first, ...rest] = (breaks.match(/\r\n|[\r\n\x85\u2028\u2029]/g) ?? []).map(lineBreakOf);
    if (first === undefined) text += spaces;
    else text += (first !== "\n" ? first : rest.length === 0 ? " " : "") + rest.join("");
    at += breaks.length;
  }
}

/** The class names in a `data.yaml`, as PyYAML reads them. A scalar in quotes is always a text. @throws SyntaxError */
function namesIn(stream: string): string[] {
  const [refused] = NON_PRINTABLE.exec(stream) ?? [];
  if (refused !== undefined)
    throw new SyntaxError(`special characters are not allowed: ${refused.codePointAt(0)?.toString(16)}`);
  const head = "train: images\nval: images\nnames:\n";
  expect(stream.startsWith(head)).toBe(true);
  const names: string[] = [];
  for (let at = head.length; at < stream.length;) {
    const key = `  ${names.length}: "`;
    if (!stream.startsWith(key, at)) throw new SyntaxError(`no name ${names.length}`);
    const [name, end] = readScalar(stream, at + key.length);
    if (stream[end] !== "\n") throw new SyntaxError(`something behind the name ${names.length}`);
    names.push(name);
    at = end + 1;
  }
  return names;
}

const HARD = [
  "\x7f",
  "\x85",
  "\u2028",
  "\u2029",
  "\x80",
  "\xa0",
  "\ufeff",
  "\ufffe",
  "\uffff",
  "\0",
  "\x1b",
  "\t",
];
const NAMES = HARD.flatMap((character) => [character, `a${character}b`, ` ${character} `]).concat(
  [
    '"',
    "\\",
    '\\"',
    "\\n",
    "'",
    " ",
    "  lead",
    "trail  ",
    "a\nb",
    "a\r\nb",
    "a\n\n b",
    "",
    "猫",
    "🐈",
    "\ud800",
  ],
  ["yes", "no", "on", "null", "~", "1", "1.5", "0x1f", "1e3", "2026-11-23", ".inf", "true", "<<", "=", "- a"],
  ["a: b", "a #b", "#b", "&a", "*a", "!a", "%a", "@a", "`a", "{a}", "[a]", "---", "...", "?", ",", "|", ">"],
);

const texts = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: "binary" }),
  fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
);

it("the dataset of labels for YOLO names its classes by their numbers, for any prompts [A4-9]", () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), (names) => {
      expect(load(yoloDataset(names))).toEqual({
        train: "images",
        val: "images",
        names: Object.fromEntries(names.entries()),
      });
    }),
    { numRuns: 30 },
  );
});

it("the dataset's text is as a person would write it", () => {
  expect(yoloDataset(["cat", 'a "red" cup', "猫", "no", "\u0085"])).toBe(
    'train: images\nval: images\nnames:\n  0: "cat"\n  1: "a \\"red\\" cup"\n  2: "猫"\n  3: "no"\n  4: "\\u0085"\n',
  );
});

describe("class names that PyYAML reads", () => {
  it("are those that were written: control characters, breaks, quotes, spaces, words that would be other values", () => {
    expect(namesIn(yoloDataset(NAMES))).toEqual(NAMES);
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), (names) => {
        expect(namesIn(yoloDataset(names))).toEqual(names);
      }),
      { numRuns: 300 },
    );
  });

  it("would be refused or changed if written by JSON alone", () => {
    const written = (name: string): string =>
      `train: images\nval: images\nnames:\n  0: ${JSON.stringify(name)}\n`;
    expect(() => namesIn(written("a\x7fb"))).toThrow("special characters are not allowed: 7f");
    expect(() => namesIn(written("\uffff"))).toThrow("special characters are not allowed: ffff");
    expect(namesIn(written("a\x85b"))).toEqual(["a b"]);
    expect(namesIn(written("a \x85\x85 b"))).toEqual(["a\nb"]);
    expect(namesIn(written("a \u2028 b"))).toEqual(["a\u2028b"]);
  });

  it("are the same for PyYAML itself, if the machine has it", () => {
    if (spawnSync("python3", ["-c", "import yaml"]).status !== 0)
      return console.log("This machine has no PyYAML: the test uses its own reader.");
    const script =
      "import json, sys, yaml; json.dump(list(yaml.safe_load(sys.stdin.buffer)['names'].values()), sys.stdout)";
    const names: unknown = JSON.parse(
      execFileSync("python3", ["-c", script], { input: yoloDataset(NAMES), encoding: "utf8" }),
    );
    expect(names).toEqual(NAMES);
  });
});
