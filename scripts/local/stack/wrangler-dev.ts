import { existsSync } from "node:fs";
import { join } from "node:path";
import { openDatabaseFile } from "../../shared/database/database.ts";
import { DEFAULT_CONFIG, readConfiguration } from "../../shared/cloudflare/configuration.ts";
import { operatorFileOf } from "../../shared/cloudflare/operator-file.ts";
import { Failure } from "../../shared/command-line.ts";
import { isLoopback } from "../../../src/shared/public-url.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { developmentAccount } from "./development-account.ts";
import { type StateFolder, stateFolder } from "../../shared/state/state-folder.ts";
import { CHECKED } from "../../shared/cloudflare/wrangler.ts";

/** The folder in which `wrangler dev` keeps its data by default. */
const state: StateFolder = { ...stateFolder(".wrangler"), data: join(PROJECT_ROOT, ".wrangler", "state") };

/**
 * Prepares the data that `wrangler dev` in a clone needs in addition to .env: the tables of its database, and an account with an
 * API key. Does nothing for a local stack, which has both.
 */
export async function prepareWranglerDev(signal: AbortSignal): Promise<void> {
  if (process.env["SEGMENTATION_STACK"] !== undefined) return;
  const database = await openDatabaseFile(state, "DB", signal);
  const { apiKey } = await developmentAccount(state, database);
  console.log(`The API key of a paid account: ${apiKey}
Jobs wait until an inference service runs. Start it in another terminal: npm run inference`);
}

/** Refuses an unconfigured deployment: its Worker would answer every request with 500. @throws Failure */
export async function refuseUnconfigured(config = join(PROJECT_ROOT, DEFAULT_CONFIG)): Promise<void> {
  if (process.env[CHECKED] !== undefined || existsSync(operatorFileOf(config))) return;
  const { vars } = await readConfiguration(config, { operator: false });
  const { PUBLIC_URL: address } = vars;
  if (typeof address === "string" && !isLoopback(address)) return;
  throw new Failure(
    "This clone is not configured for a deployment. Run `npm run deploy`, which says what is missing (docs/operations/deploy.md).",
  );
}
