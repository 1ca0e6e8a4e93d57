import { describe, expect, it, vi } from "vitest";
import { print } from "../../../../../scripts/shared/database/print.ts";

describe("admin's output", () => {
  const printed = (rows: Parameters<typeof print>[0]["result"]): string => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => {});
    print({ result: rows }, false);
    const text = lines.mock.calls.flat().join("\n");
    lines.mockRestore();
    return text;
  };

  it("shows others' text without terminal control sequences", () => {
    const label = "\u001b]0;owned\u0007\u001b[2J \u202Eyek";
    for (const text of [printed({ label }), printed([{ label }, { label: "plain" }])]) {
      expect(text).toContain("\\u{1b}]0;owned\\u{7}\\u{1b}[2J \\u{202e}yek");
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });
});
