import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Name,
  python,
  shellJson,
  shellPath,
  shellWord,
  typescript,
} from "../../../src/export/code/literal.ts";

const SIGNS = "'\"\\$`!#&|;<>(){}[]*?~\n\r\t\0 -=%,a\u2028é";

/** Texts that people type or paste, and names of files, with everything that a shell or a language could take for something else. */
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom(...SIGNS.split("")) }),
);
/** No argument of a program has a NUL. */
const argument = nasty.map((text) => text.replaceAll("\0", ""));

/** Values that JSON has, without negative zero. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

/** Has one bash read all words, each as an argument. */
function wordsInBash(words: readonly string[], script = ""): string[] {
  const command = `${script}\nprintf '%s\\0' ${words.join(" ")}`;
  const out = execFileSync("bash", ["-s"], { input: command, encoding: "utf8", maxBuffer: 2 ** 26 });
  return out.split("\0").slice(0, -1);
}

/** Values of an arbitrary, drawn by the run's seed. */
const draw = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
  fc.sample(arbitrary, { numRuns: 300, seed: Number(process.env["SEED"]) });

describe("texts in a shell", () => {
  it("arrive in bash unchanged, with any characters", () => {
    const texts = draw(argument);
    expect(wordsInBash(texts.map(shellWord))).toEqual(texts);
  });

  it("arrive as the JSON that contains them", () => {
    const values = draw(fc.record({ prompts: fc.array(nasty), more: json }));
    expect(wordsInBash(values.map(shellJson)).map((text) => JSON.parse(text))).toEqual(values);
  });

  it("take variables of the shell in", () => {
    const [text = ""] = wordsInBash(
      [shellJson({ prompt: "it's $TASK_1", tasks: [new Name("TASK_1")] })],
      "TASK_1='one two'",
    );
    expect(JSON.parse(text)).toEqual({ prompt: "it's $TASK_1", tasks: ["one two"] });
  });

  it("are not read as options if they are files", () => {
    expect(shellPath("-rf.png")).toBe("./-rf.png");
    expect(shellPath("cat's.png")).toBe(String.raw`'cat'\''s.png'`);
  });
});

describe("values in a language", () => {
  it("are the same in JavaScript", () => {
    fc.assert(
      fc.property(nasty, fc.array(json), (text, list) => {
        const value: unknown = runInNewContext(`(${typescript({ text, list: [...list, text] })})`);
        expect(JSON.stringify(value)).toBe(JSON.stringify({ text, list: [...list, text] }));
      }),
    );
  });

  it("are the same in Python", () => {
    const values = draw(fc.record({ text: nasty, json }));
    const program = `import json\nfor value in [\n${values.map((value) => `${python(value)},\n`).join("")}]: print(json.dumps(value))`;
    const out = execFileSync("python3", ["-"], { input: program, encoding: "utf8", maxBuffer: 2 ** 26 });
    const read = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(read).toEqual(values);
  });

  it("are on one line if they fit, and on one line each if not", () => {
    expect(typescript({ threshold: 0.4, tasks: new Name("tasks") })).toBe("{ threshold: 0.4, tasks }");
    expect(python({ prompts: ["a", null, true] })).toBe('{"prompts": ["a", None, True]}');
    expect(python(["a".repeat(50), "b".repeat(50)])).toBe(
      `[\n    "${"a".repeat(50)}",\n    "${"b".repeat(50)}",\n]`,
    );
  });
});
