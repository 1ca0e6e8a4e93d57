import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endMarked } from "../../../scripts/shared/marked-processes.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { readIfPresent } from "../../../scripts/stack/private-file.ts";
import { StackAddress } from "../../../scripts/stack/start-stack.ts";
import { stackMark, stateFolder } from "../../../scripts/stack/state-folder.ts";

export interface SpawnOptions {
  readonly stateDir: string;
  /** Added to the environment; PORT is any free one unless it is set here. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A stack in processes of its own, as an operator's terminal would start it. */
export interface SpawnedStack extends StackAddress {
  /** SIGKILL for every process of the stack at once, as a power cut would; resolves when all are gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM to the launcher; gives its exit code. */
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
 * Runs `scripts/start.ts` in a process group of its own and waits until it is ready.
 * Rejects with what it printed when it ends instead.
 */
export async function spawnStack({ stateDir, env }: SpawnOptions): Promise<SpawnedStack> {
  const state = stateFolder(stateDir);
  await mkdir(state.path, { recursive: true });
  // A killed stack leaves its address behind.
  await rm(state.ready, { force: true });
  const printed = join(state.path, "start.log");
  const log = openSync(printed, "w");
  const launcher = spawn(process.execPath, [join(PROJECT_ROOT, "scripts", "start.ts")], {
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
