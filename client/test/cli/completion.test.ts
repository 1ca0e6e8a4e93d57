import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isOnPath } from "../../../test/support/node/on-path.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCli } from "./support/run-cli.ts";

/** What each shell offers for the last of some words, by its own completion system. */
const SHELLS = {
  bash: (script: string, words: readonly string[]): string =>
    execFileSync(
      "bash",
      [
        "-c",
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _segmentation_client; printf "%s\\n" "${COMPREPLY[@]}"',
        "bash",
        script,
        ...words,
      ],
      { encoding: "utf8" },
    ),
  // Its completion system needs a terminal: one of its own (zpty), in which Tab is pressed.
  zsh: (script: string, words: readonly string[]): string =>
    execFileSync("zsh", ["-f", join(import.meta.dirname, "support/complete.zsh"), script, words.join(" ")], {
      encoding: "utf8",
    }),
  fish: (script: string, words: readonly string[]): string =>
    execFileSync("fish", ["--no-config", "-c", `source ${script}; complete -C "${words.join(" ")}"`], {
      encoding: "utf8",
    }).replaceAll(/\t.*$/gm, ""),
} as const;
type Shell = keyof typeof SHELLS;

describe.each(["bash", "zsh", "fish"] as const)("completion in %s", (shell: Shell) => {
  let folder: string;
  let script: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "completion-"));
    script = join(folder, "script");
    await writeFile(script, (await runCli(["completion", shell])).out);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** What is offered, or null if the machine has no such shell. */
  const offered = (...words: string[]): string[] | null => {
    if (!isOnPath(shell)) {
      console.log(`This machine has no ${shell}: completion is not tested there.`);
      return null;
    }
    return SHELLS[shell](script, ["segmentation-client", ...words])
      .split(/\s+/)
      .filter((word) => word !== "");
  };

  it("offers every command", () => {
    const words = offered("");
    if (words !== null) expect(words).toEqual(expect.arrayContaining(Object.keys(COMMANDS)));
  });

  it("offers a command's options, an option's values, and a command's words", () => {
    const options = offered("segment", "--re");
    if (options === null) return;
    expect(options.toSorted()).toEqual(["--region", "--retry-failed"]);
    expect(offered("segment", "--format", "c")?.toSorted()).toEqual(["coco", "cutout"]);
    expect(offered("keys", "re")).toEqual(["revoke"]);
  });

  it("offers files where a command takes them", async () => {
    const path = join(folder, "photo.jpg");
    await writeFile(path, "");
    const files = offered("segment", join(folder, "pho"));
    // zsh offers the last part of a path, and has completed the rest by then.
    if (files !== null) expect(path.endsWith(files.at(-1) ?? "none")).toBe(true);
  });
});
