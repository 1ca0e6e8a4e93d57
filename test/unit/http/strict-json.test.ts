import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { strictJson } from "../../../src/http/strict-json.ts";

const refusal = (text: string): string | null => {
  try {
    strictJson(new TextEncoder().encode(text));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const json = fc.json({ maxDepth: 6, stringUnit: "binary" }).filter((text) => {
  let hasLoneSurrogate = false;
  JSON.parse(text, (key, value: unknown) => {
    hasLoneSurrogate ||= !key.isWellFormed() || (typeof value === "string" && !value.isWellFormed());
  });
  return !hasLoneSurrogate;
});

/** The text of a string with some of its characters as escapes. */
const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")}"`;

describe("strict JSON", () => {
  it("accepts everything that JSON.stringify makes of well-formed text", () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(refusal(text)).toBeNull();
      }),
    );
  });

  it("refuses any key that appears twice in one object, in any spelling and place", () => {
    const string = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(string, json, json, fc.nat(8), fc.boolean(), (key, one, other, depth, isEscaped) => {
        const again = isEscaped ? escaped(key) : JSON.stringify(key);
        const twice = `{${JSON.stringify(key)}:${one},${again}:${other}}`;
        const text = `${'[{"a":'.repeat(Math.floor(depth / 2))}${twice}${"}]".repeat(Math.floor(depth / 2))}`;
        expect(refusal(text)).toMatch(/^The key ".*" appears twice in one object\. Send each key once\.$/s);
      }),
    );
  });

  it("accepts the same key in another object", () => {
    expect(refusal('{"a":{"a":[{"a":1},{"a":"a"}]},"b":{"a":"b"}}')).toBeNull();
  });

  it("accepts 16 levels, and no more", () => {
    expect(refusal("[".repeat(16) + "]".repeat(16))).toBeNull();
    expect(refusal("[".repeat(17) + "]".repeat(17))).toContain("levels deep");
  });

  it("refuses everything that JSON.parse refuses", () => {
    fc.assert(
      fc.property(json, fc.nat(), fc.string({ maxLength: 2 }), (text, at, change) => {
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + change + text.slice(place + 1);
        let isJson = true;
        try {
          JSON.parse(changed);
        } catch {
          isJson = false;
        }
        if (!isJson) expect(refusal(changed)).not.toBeNull();
      }),
    );
  });
});
