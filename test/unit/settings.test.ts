import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SettingsSchema } from "../../src/settings.ts";

describe("the operator's guide", () => {
  it("describes each setting of the Worker in its table", () => {
    const guide = readFileSync("docs/operations.md", "utf8");
    const described = [...guide.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map((row) => row[1]);
    expect(described).toEqual(expect.arrayContaining(Object.keys(SettingsSchema.shape)));
  });
});
