import { isLoopback } from "../../../src/shared/public-url.ts";
import { usageError } from "../../shared/command-line.ts";
import { messageOf } from "../../shared/error-parts.ts";
import type { Operator } from "../../shared/operator.ts";
import { WranglerFailure } from "../../shared/cloudflare/wrangler.ts";
import { type Cloudflare, sentenceOf } from "./cloudflare.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";
import { type Finding, optional } from "./finding.ts";
import { costSentence } from "../../shared/cloudflare/container-prices.ts";
import { addContainers, type ContainerOptions, hasContainerBinding } from "./containers.ts";
import { addToOperatorFile } from "../../shared/cloudflare/operator-file.ts";

/** The facts that only the operator knows. */
export interface Given extends ContainerOptions {
  readonly domain?: string | undefined;
  readonly "inference-url"?: string | undefined;
  readonly inference?: string | undefined;
}

const isDomain = (text: string): boolean =>
  /^[a-z0-9.-]+\.[a-z]{2,}$/.test(text) && URL.parse(`https://${text}`)?.host === text;
const isServiceUrl = (text: string): boolean => URL.parse(text)?.protocol === "https:" && !isLoopback(text);

/** The requirement of an address. */
const A_DOMAIN = "a host name of a zone of your account, such as segmentation.example.com";
const A_SERVICE_URL =
  "an https URL of another machine, because tokens and signed URLs go there. Put TLS in front of the service: a Cloudflare Tunnel, or a proxy with a certificate";

/** An address from the command line, or from the person who is asked until the answer is one; null if there is none yet. */
async function addressOf(
  given: string | undefined,
  option: string,
  question: string,
  isGood: (text: string) => boolean,
  need: string,
  { ask }: Operator,
): Promise<string | null> {
  if (given !== undefined) {
    if (isGood(given)) return given;
    throw usageError(`${option} cannot be ${given}. It must be ${need}.\nSee: npm run deploy -- --help`);
  }
  if (ask === null) return null;
  for (let reason = ""; ; reason = `It must be ${need}. `) {
    const answer = await ask(`${question} ${reason}(Enter: not yet)`);
    if (answer === "") return null;
    if (isGood(answer)) return answer;
  }
}

const CLOUDFLARE = "cloudflare";

const isUnset = (value: unknown): boolean => typeof value !== "string" || isLoopback(value);

/** Writes the addresses that are not set yet and that the operator knows. @throws Failure, a usage error */
export async function setAddresses(
  configuration: Configuration,
  given: Given,
  operator: Operator,
  say: (sentence: string) => void,
): Promise<void> {
  const { vars, route, routes, base } = configuration;
  const isRouted = route !== undefined || routes.length > 0;
  if (isUnset(vars["PUBLIC_URL"])) {
    const question = "Which domain is the service to have, in a zone of this account?";
    const domain = await addressOf(given.domain, "--domain", question, isDomain, A_DOMAIN, operator);
    if (domain !== null) {
      const top = isRouted ? {} : { routes: [{ pattern: domain, custom_domain: true }] };
      await addToOperatorFile(base, { top, vars: { PUBLIC_URL: `https://${domain}` } });
    }
  }
  const { inference, "inference-url": givenUrl } = given;
  const hasUrl = !isUnset(vars["INFERENCE_URL"]) && vars["INFERENCE_URL"] !== "";
  if (inference === CLOUDFLARE) {
    await addContainers(configuration, given, !hasUrl && givenUrl === undefined, operator, say);
    if (givenUrl === undefined) return;
  }
  if (hasUrl || (givenUrl === undefined && hasContainerBinding(configuration))) return;
  const question = `At which URL does the inference service answer? Or ${CLOUDFLARE}, for Cloudflare Containers: ${costSentence("standard-3")}.`;
  const isAnswer = (text: string) => text === CLOUDFLARE || isServiceUrl(text);
  const url = await addressOf(givenUrl, "--inference-url", question, isAnswer, A_SERVICE_URL, operator);
  if (url === CLOUDFLARE) await addContainers(configuration, given, true, operator, say);
  else if (url !== null) await addToOperatorFile(base, { vars: { INFERENCE_URL: url } });
}

/** The outcome of the creations. */
export interface Created {
  /** The questions about the parts that were created. */
  readonly made: readonly string[];
  /** The questions about the others, with the reason. */
  readonly failed: readonly { readonly what: string; readonly reason: string }[];
}

/**
 * Creates the missing parts: those of the findings, then those found only afterward (a bucket's rules), until nothing is missing.
 * The account alone decides what is missing, so an interrupted run can simply be repeated. A failure stops nothing else.
 */
export async function createMissing(
  look: () => Promise<{ findings: readonly Finding[]; cloudflare: Cloudflare }>,
  { ask }: Operator,
  say: (sentence: string) => void,
  signal: AbortSignal,
): Promise<Created> {
  const met = new Set<string>();
  const made: string[] = [];
  const failed: { what: string; reason: string }[] = [];
  for (;;) {
    const { findings, cloudflare } = await look();
    const creations = new Map(
      findings.flatMap(({ creation }) => (creation === undefined ? [] : [[creation.question, creation]])),
    );
    const fresh = [...creations.values()].filter(({ question }) => !met.has(question));
    if (fresh.length === 0) return { made, failed };
    for (const { question, run } of fresh) {
      met.add(question);
      if (ask !== null && !/^(?:y|yes)?$/i.test(await ask(`${question} [Y/n]`))) continue;
      const what = question.replace(/\?$/, "");
      try {
        await run(cloudflare);
        made.push(what);
        say(`✓ ${what}`);
      } catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof WranglerFailure ? sentenceOf(error.output) : messageOf(error);
        failed.push({ what, reason });
        say(`✗ ${what}: ${reason}`);
      }
    }
  }
}

/** The optional parts that only the operator can set up. */
export function* checkOptional({ vars, file }: Configuration): Generator<Finding> {
  if (vars["OIDC_ISSUER"] === undefined) {
    yield optional(
      "sign-in",
      "people cannot sign in; npm run admin makes accounts and keys",
      `set OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL in [vars] of ${file} to your identity provider's (docs/authentication.md)`,
    );
  }
  if (vars["STRIPE_PRICE_ID"] === undefined) {
    yield optional(
      "payment",
      "nobody can subscribe; npm run admin -- set-plan says who is paid",
      `set STRIPE_PRICE_ID in [vars] of ${file}, and put STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET into the environment of npm run deploy -- --create (docs/billing.md)`,
    );
  }
}
