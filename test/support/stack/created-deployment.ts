import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runDeploy } from "../../../scripts/operate/deploy/run.ts";
import { prepare, type Situation, fake, world } from "./deployment.ts";
import type { FakeAccount } from "./wrangler/account.ts";

/** A signal that never fires. */
export const { signal: never } = new AbortController();

const ADDRESSES = [
  "--domain",
  "segmentation.example.com",
  "--inference-url",
  "https://inference.example.com",
];

/** The clone's state before an operator has changed anything. */
export const AS_CLONED = ["database", "route", "publicUrl", "endpoint", "inference"] as const;
/** The credentials of the storage. */
export const KEYS = { S3_ACCESS_KEY_ID: "the-key-id", S3_SECRET_ACCESS_KEY: "the-secret-key" };

/** The calls that change an account, apart from the deployment itself. */
export const CHANGES =
  /^(?:d1 create|queues create|r2 bucket (?:create|cors set|notification create|lifecycle add)|secret bulk)/;

/** A clone and an account, in which the command can be run several times. */
export async function cloneWith(account: FakeAccount, situation: Situation = { skipped: AS_CLONED }) {
  const folder = await prepare(situation);
  const { wrangler, calls } = fake(account);
  const read = (name: string) => readFile(join(folder.path, name), "utf8").catch(() => null);
  return {
    account,
    calls,
    folder,
    own: () => read("wrangler.operator.toml"),
    env: () => read("wrangler.operator.env"),
    run: (
      args: readonly string[],
      { answers = null as null | ((question: string) => string), signal = never, onCall = () => {} } = {},
    ) => {
      calls.length = 0;
      world.printed = "";
      return runDeploy(["--config", folder.config, ...args], signal, {
        healthPatienceMs: 0,
        operator: { ask: answers === null ? null : async (question) => answers(question) },
        wrangler: (words, ...rest) => {
          onCall();
          signal.throwIfAborted();
          return wrangler(words, ...rest);
        },
      });
    },
  };
}

/** The arguments that create everything without a question. */
export const create = ["--create", "--yes", ...ADDRESSES];
