import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

/** Runs vitest in a separate process, for a test. Returns its output and its exit code. */
export async function runVitest(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<{ code: unknown; out: string }> {
  const ofThisRun = Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"));
  const child = spawn(join(PROJECT_ROOT, "node_modules", ".bin", "vitest"), ["run", ...args], {
    cwd: PROJECT_ROOT,
    env: { ...Object.fromEntries(ofThisRun), ...settings, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  const [[code], ...printed] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out: printed.join("\n") };
}
