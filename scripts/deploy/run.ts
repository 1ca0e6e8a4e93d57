import { setTimeout as sleep } from "node:timers/promises";
import { runWrangler } from "../stack/wrangler.ts";
import { checkAccount } from "./check-account.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { checkInference } from "./check-inference.ts";
import { checkSettings } from "./check-settings.ts";
import { type Cloudflare, cloudflareOf, type Wrangler } from "./cloudflare.ts";
import { DEPLOY_HELP, parseDeployArguments, type Configuration, readConfiguration } from "./configuration.ts";
import { type Finding, isDeployable, printFindings } from "./finding.ts";

/** Checks everything that the service needs. */
async function check(
  cloudflare: Cloudflare,
  configuration: Configuration,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const [account, inference] = await Promise.all([
    checkAccount(cloudflare, configuration),
    checkInference(configuration, signal),
  ]);
  return [
    ...checkConfiguration(configuration),
    ...checkSettings(configuration, account.secrets),
    ...account.findings,
    ...inference,
  ];
}

const realWrangler: Wrangler = (args, signal) => runWrangler(args, {}, signal);

/** A domain that is new to the Worker gets its certificate within minutes; an address that exists answers at once. */
const HEALTH_ATTEMPTS = 10;
const HEALTH_PAUSE_MS = 3_000;

/** Whether the deployed Worker says that it has all it needs. */
async function isHealthy({ vars }: Configuration, pauseMs: number, signal: AbortSignal): Promise<boolean> {
  for (let attempt = 1; attempt <= HEALTH_ATTEMPTS; attempt += 1) {
    const response = await fetch(`${String(vars["PUBLIC_URL"])}/healthz`, { signal }).catch(() => null);
    signal.throwIfAborted();
    await response?.body?.cancel();
    if (response?.ok) return true;
    await sleep(pauseMs, undefined, { signal });
  }
  return false;
}

/** What a test puts in place of the real thing. */
export interface DeployOptions {
  readonly wrangler?: Wrangler;
  readonly healthPauseMs?: number;
}

/** Checks, and deploys unless something is missing or the operator only wants to know. Returns the exit code. */
export async function runDeploy(
  args: readonly string[],
  signal: AbortSignal,
  { wrangler = realWrangler, healthPauseMs = HEALTH_PAUSE_MS }: DeployOptions = {},
): Promise<number> {
  const command = parseDeployArguments(args);
  if (command.help) {
    console.log(DEPLOY_HELP);
    return 0;
  }
  const configuration = await readConfiguration(command.config);
  const cloudflare = cloudflareOf(configuration, wrangler, signal);
  const findings = await check(cloudflare, configuration, signal);
  const ready = isDeployable(findings);
  const say = (sentence: string): void => {
    if (!command.json) console.log(sentence);
  };
  if (!command.json) printFindings(findings);
  let deployed = false;
  let healthy: boolean | null = null;
  if (!ready) {
    say("Nothing was deployed. Fix what is missing, then run this again.");
  } else if (command["dry-run"]) {
    say("Nothing is missing. Deploy with: npm run deploy");
  } else {
    // In this order: the Worker that runs reads the migrated database, and the new one needs it.
    say(await cloudflare.run(["d1", "migrations", "apply", "DB", "--remote"]));
    say(await cloudflare.run(["deploy"]));
    deployed = true;
    healthy = await isHealthy(configuration, healthPauseMs, signal);
    const health = `${String(configuration.vars["PUBLIC_URL"])}/healthz`;
    say(
      healthy
        ? `Deployed: ${health} answers 200.`
        : `Deployed, but ${health} does not answer 200. A new domain takes a few minutes; otherwise see ${configuration.command("tail")}`,
    );
  }
  if (command.json) console.log(JSON.stringify({ ready, deployed, healthy, findings }));
  return ready && healthy !== false ? 0 : 1;
}
