import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endMarked } from "../../../scripts/shared/marked-processes.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { readIfPresent } from "../../../scripts/shared/state/private-file.ts";
import { giveMigratedData } from "./migrated-data.ts";
import { StackAddress, stackMark, stateFolder } from "../../../scripts/shared/state/state-folder.ts";

export interface SpawnOptions {
  readonly stateDir: string;
  /** Added to the environment. Without PORT, the stack uses any free one. */
  readonly env?: Readonly<Record<string, string>>;
  /** The script that starts the stack, from the project's folder; `scripts/local/start.ts` by default. */
  readonly launcher?: string;
}

/** A stack in separate processes, as an operator would start it in a terminal. */
export interface SpawnedStack extends StackAddress {
  /** Kills all processes of the stack at once (SIGKILL), like a power cut. Resolves when all are gone. */
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM to the launcher and returns its exit code. */
  readonly stop: () => Promise<number | null>;
}

function signalGroup(leader: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (leader.pid !== undefined) process.kill(-leader.pid, signal);
  } catch {
    // The whole group has ended already.
  }
}

/**
 * Runs the launcher in its own process group and waits until it is ready.
 * @throws Error with its output if it ends instead
 */
export async function spawnStack({
  stateDir,
  env,
  launcher: script = join("scripts", "local", "start.ts"),
}: SpawnOptions): Promise<SpawnedStack> {
  const state = stateFolder(stateDir);
  await mkdir(state.path, { recursive: true });
  await giveMigratedData(state);
  // A killed stack leaves its ready.json behind.
  await rm(state.ready, { force: true });
  const printed = join(state.path, "start.log");
  const log = openSync(printed, "w");
  const launcher = spawn(process.execPath, [join(PROJECT_ROOT, script)], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, PORT: "0", ...env, STATE_DIR: state.path },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  let isOver = false;
  const ended = once(launcher, "exit").then(([code]: unknown[]) => {
    isOver = true;
    return typeof code === "number" ? code : null;
  });

  const kill = async (): Promise<void> => {
    signalGroup(launcher, "SIGKILL");
    await ended;
    await endMarked(stackMark(state));
  };
  const stop = async (): Promise<number | null> => {
    launcher.kill("SIGTERM");
    return await ended;
  };

  for (;;) {
    const address = await readIfPresent(state.ready);
    if (address !== null) return { ...StackAddress.parse(JSON.parse(address)), kill, stop };
    if (isOver) throw new Error(`The stack did not start:\n${await readFile(printed, "utf8")}`);
    await sleep(100);
  }
}
