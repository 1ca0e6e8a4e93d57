import { generateApiKey } from "../../../../src/accounts/rules/api-key.ts";
import { goodClaims, rawToken } from "../client/access-tokens.ts";
import { fetchWorker } from "../client/api.ts";
import type { Meter } from "./meter.ts";

const ORIGIN = "https://api.test";
const OPEN = ["/", "/healthz", "/docs", "/openapi.json", "/landing.css", "/nothing", "/v1/nothing"];
const CLOSED = [
  "/v1/jobs",
  "/v1/account/overview",
  "/internal/operator/stuck-jobs",
  "/internal/leases/outputs",
];

/** A stranger without a credential who tries every abuse: see `hour`. */
export class Stranger {
  readonly #meter: Meter;
  readonly #webhooks: readonly Request[];
  /** The answers so far: the status and how many. */
  readonly answers = new Map<string, number>();

  /** @param webhooks real webhooks in a stranger's hands */
  constructor(meter: Meter, webhooks: readonly Request[]) {
    this.#meter = meter;
    this.#webhooks = webhooks;
  }

  /** Tries each kind of abuse several times; this many random credentials at once, from one address. */
  async hour(credentials: number): Promise<void> {
    for (let i = 0; i < credentials; i += 1) await this.#ask("GET", "/v1/account", this.#credential(i));
    for (const path of OPEN)
      for (const method of ["GET", "OPTIONS", "POST", "PUT"]) await this.#ask(method, path);
    for (const path of CLOSED) await this.#ask("POST", path, { body: "x".repeat(300_000) });
    await this.#ask("POST", "/webhooks/stripe", { body: "x".repeat(1_100_000) });
    for (const signature of ["", "t=1,v1=00", `t=${Math.floor(Date.now() / 1_000)},v1=${"0".repeat(64)}`])
      await this.#ask("POST", "/webhooks/stripe", { body: "{}", headers: { "stripe-signature": signature } });
    for (const webhook of this.#webhooks) await this.#send(webhook.clone());
  }

  #credential(number: number): RequestInit {
    const token = rawToken({ alg: "ES256", kid: `kid-${number}` }, goodClaims(), "A".repeat(86));
    return { headers: { authorization: `Bearer ${number % 2 === 0 ? generateApiKey() : token}` } };
  }

  async #ask(method: string, path: string, init: RequestInit = {}): Promise<void> {
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", "203.0.113.7");
    await this.#send(new Request(ORIGIN + path, { ...init, method, headers }));
  }

  async #send(request: Request): Promise<void> {
    this.#meter.now.requests += 1;
    const response = await fetchWorker(request);
    const answer = String(response.status);
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    await response.body?.cancel();
  }
}
