import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { Failure } from "../command-line.ts";
import { messageOf } from "../error-parts.ts";
import type { Mark } from "../marked-processes.ts";
import { PROJECT_ROOT } from "../root.ts";
import { unwritable } from "./unwritable.ts";

/** The paths of one local stack's files, except the model. */
export interface StateFolder {
  readonly path: string;
  /** D1, R2 and Durable Objects, and files that depend on them. Delete this folder to start afresh. */
  readonly data: string;
  readonly logs: string;
  readonly lock: string;
  readonly secrets: string;
  readonly workerEnvironment: string;
  /** The state of the fakes, to which accounts in the database refer. */
  readonly identity: string;
  readonly billing: string;
  readonly ready: string;
}

/** The paths in a state folder, by default `.local` in the project. Creates nothing. */
export function stateFolder(folder = ".local"): StateFolder {
  const path = resolve(PROJECT_ROOT, folder);
  return {
    path,
    data: join(path, "data"),
    logs: join(path, "logs"),
    lock: join(path, "lock"),
    secrets: join(path, "secrets.json"),
    workerEnvironment: join(path, "worker.env"),
    identity: join(path, "data", "identity.json"),
    billing: join(path, "data", "billing.json"),
    ready: join(path, "ready.json"),
  };
}

/** Creates the missing folders, readable only by their owner. Does not change existing ones. */
export async function createStateFolder(state: StateFolder): Promise<void> {
  try {
    for (const folder of [state.path, state.data, state.logs]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
  } catch (error) {
    const reason = unwritable(error, state.path);
    if (reason instanceof Failure) throw reason;
    throw new Failure(
      `The state folder ${state.path} cannot be created (${messageOf(error)}). Set STATE_DIR to another folder.`,
    );
  }
}

/** The mark that every process of the folder's stack carries. */
export function stackMark(state: StateFolder): Mark {
  return { SEGMENTATION_STACK: state.path };
}

/** The address and credentials for an API client. `ready.json` in the state folder has them while the stack is up. */
export const StackAddress = z.object({
  baseUrl: z.url(),
  apiKey: z.string(),
  inferenceUrl: z.url(),
  /** The URLs of the fakes that run. */
  identityUrl: z.url().optional(),
  billingUrl: z.url().optional(),
});
export type StackAddress = Readonly<z.infer<typeof StackAddress>>;
