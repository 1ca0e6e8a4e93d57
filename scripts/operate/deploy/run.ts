import { Failure, usageError } from "../../shared/command-line.ts";
import { waitForOk } from "../../shared/wait-for.ts";
import { runWrangler } from "../../shared/cloudflare/wrangler.ts";
import { isVerified, verificationText, withProgress } from "../verify/print.ts";
import type { Outcome } from "../verify/row.ts";
import { verifyService } from "../verify/service.ts";
import { checkAccount, readAccounts } from "./check-account.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { checkInference } from "./check-inference.ts";
import { checkSettings } from "./check-settings.ts";
import { containerArguments } from "./containers.ts";
import { type Cloudflare, cloudflareOf, type Wrangler } from "./cloudflare.ts";
import {
  accountDatabases,
  DEPLOY_HELP,
  parseDeployArguments,
  type Configuration,
  readConfiguration,
} from "../../shared/cloudflare/configuration.ts";
import { keepSentence } from "./secrets.ts";
import { checkOptional, createMissing, type Created, setAddresses } from "./create.ts";
import { type Operator, operatorAt } from "../../shared/operator.ts";
import { type Finding, isDeployable, printFindings } from "./finding.ts";

/** Checks everything that the service needs. */
async function check(
  cloudflare: Cloudflare,
  configuration: Configuration,
  accounts: readonly string[] | null,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const [account, inference] = await Promise.all([
    checkAccount(cloudflare, configuration, accounts),
    checkInference(configuration, signal),
  ]);
  return [
    ...checkConfiguration(configuration),
    ...checkSettings(configuration, account),
    ...account.findings,
    ...inference,
  ];
}

const realWrangler: Wrangler = (args, signal, input) => runWrangler(args, {}, signal, input);

/** A domain that is new to the Worker gets its certificate within minutes; an address that exists answers at once. */
const HEALTH_PATIENCE_MS = 30_000;
const HEALTH_PAUSE_MS = 3_000;

/** The parts that a test replaces. */
export interface DeployOptions {
  readonly wrangler?: Wrangler;
  readonly healthPatienceMs?: number;
  readonly operator?: Operator;
  readonly verify?: typeof verifyService;
}

/** The commands that follow a first deployment. */
const nextSteps = (url: string): string => `Next:
  npm run admin -- create-account --email you@example.com --plan paid --remote
  SEGMENTATION_API_KEY=sk_live_… npm run verify -- --url ${url}`;

/** Asks if the operator wants the service verified now, for units of the account whose key is in the environment. */
async function wantsVerification({ ask }: Operator): Promise<boolean> {
  if (ask === null || !process.env["SEGMENTATION_API_KEY"]) return false;
  return /^y/i.test(
    await ask("Verify the service with SEGMENTATION_API_KEY now, for at most 200 units? [y/N]"),
  );
}

/** Checks, and deploys unless something is missing or the operator only wants to know. Returns the exit code. */
export async function runDeploy(
  args: readonly string[],
  signal: AbortSignal,
  options: DeployOptions = {},
): Promise<number> {
  const command = parseDeployArguments(args);
  if (command.help) {
    console.log(DEPLOY_HELP);
    return 0;
  }
  try {
    return await deploy(command, signal, options);
  } catch (error) {
    // The run may have generated secrets before it was interrupted.
    const keep = command.create && !command.json ? await keepSentence(command.config) : "";
    if (keep !== "") console.log(keep.trimEnd());
    throw error;
  }
}

async function deploy(
  command: ReturnType<typeof parseDeployArguments>,
  signal: AbortSignal,
  {
    wrangler = realWrangler,
    healthPatienceMs = HEALTH_PATIENCE_MS,
    operator = operatorAt(signal),
    verify = verifyService,
  }: DeployOptions,
): Promise<number> {
  const say = (sentence: string): void => {
    if (!command.json) console.log(sentence);
  };
  if (command.create && !command.yes && operator.ask === null)
    throw usageError("--create asks before each step. Run it in a terminal, or add --yes.");
  const before = await readConfiguration(command.config);
  const accounts = await readAccounts(cloudflareOf(before, wrangler, signal));
  const look = async () => {
    const configuration = await readConfiguration(command.config);
    const cloudflare = cloudflareOf(configuration, wrangler, signal);
    return { configuration, cloudflare, findings: await check(cloudflare, configuration, accounts, signal) };
  };
  let created: Created | null = null;
  if (command.create) {
    const asked = command.yes ? { ask: null } : operator;
    if (accounts === null)
      throw new Failure("Wrangler is not logged in to Cloudflare. First: npx wrangler login");
    await setAddresses(before, command, asked, say);
    created = await createMissing(look, asked, say, signal);
  }
  const { configuration, cloudflare, findings: found } = await look();
  const findings = command.create ? [...found, ...checkOptional(configuration)] : found;
  const ready = isDeployable(findings);
  if (!command.json) printFindings(findings);
  const keep = command.create ? await keepSentence(configuration.base) : "";
  let deployed = false;
  let healthy: boolean | null = null;
  let verified: readonly Outcome[] | null = null;
  if (!ready) {
    const rest = command.create ? "" : " npm run deploy -- --create makes what it can of it.";
    say(`${keep}Nothing was deployed. Do what the arrows say, then run this again.${rest}`);
  } else if (command["dry-run"]) {
    say("Nothing is missing. Deploy with: npm run deploy");
  } else {
    // In this order: the Worker that runs reads the migrated database, and the new one needs it.
    for (const { binding } of accountDatabases(configuration))
      say(await cloudflare.run(["d1", "migrations", "apply", binding, "--remote"]));
    say(await cloudflare.run(["deploy", ...containerArguments(configuration, new Date())]));
    deployed = true;
    const url = String(configuration.vars["PUBLIC_URL"]);
    const health = `${url}/healthz`;
    healthy = await waitForOk(health, healthPatienceMs, signal, HEALTH_PAUSE_MS);
    say(
      healthy
        ? `Deployed: ${health} answers 200.`
        : `Deployed, but ${health} does not answer 200. A new domain takes a few minutes; otherwise see ${configuration.command("tail")}`,
    );
    const apiKey = process.env["SEGMENTATION_API_KEY"] ?? "";
    if (healthy && (command.verify || (!command.json && (await wantsVerification(operator))))) {
      const target = { baseUrl: url, apiKey, state: null, config: command.config };
      verified = await (command.json
        ? verify(target, signal)
        : withProgress(process.stderr, (onRow) => verify({ ...target, onRow }, signal)));
      say(verificationText(verified));
      if (keep !== "") say(keep.trimEnd());
    } else {
      say(keep + nextSteps(url));
    }
  }
  if (command.json) {
    const plain = findings.map(({ severity, what, problem, mend }) => ({ severity, what, problem, mend }));
    console.log(
      JSON.stringify({
        ready,
        deployed,
        healthy,
        findings: plain,
        ...(created && { created }),
        ...(verified && { verified }),
      }),
    );
  }
  return ready && healthy !== false && isVerified(verified ?? []) ? 0 : 1;
}
