import { createAccount } from "../../../scripts/shared/database/accounts.ts";
import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { type StateFolder, stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import type { Outcome } from "../../../scripts/operate/verify/row.ts";
import { type Target, verifyService } from "../../../scripts/operate/verify/service.ts";
import { type Breakage, BreakingProxy } from "../network/breaking-proxy.ts";
import { startFileServer } from "../network/file-server.ts";
import { queryDatabase } from "./local-database.ts";
import { sample } from "../media/sample.ts";

/** Limits that only a hang exceeds: other tests have work for the same stack. */
export const PATIENT = { queueMs: 300_000, patienceMs: 1_200_000, letGoMs: 300_000 };

/** The smallest jobs that suffice for the rows. */
export const SMALL = { ...PATIENT, pictures: 2, cancelled: 1 };

/** The breakages before the service and before its storage; the rest is an operator's target. */
export interface Broken extends Partial<Omit<Target, "baseUrl">> {
  readonly service?: Breakage;
  readonly storage?: Breakage;
}

const { signal: never } = new AbortController();

/** A stack to verify, unchanged or through proxies that break something. */
export class VerifiedStack {
  readonly baseUrl: string;
  readonly state: StateFolder;
  readonly #closings: (() => unknown)[] = [];

  constructor({ baseUrl, stateDir }: { baseUrl: string; stateDir: string }) {
    this.baseUrl = baseUrl;
    this.state = stateFolder(stateDir);
  }

  /** Creates a new account, so that no test sees the remains of another, or shares its rate. */
  async account(plan: "paid" | "trial" = "paid"): Promise<{ accountId: string; secret: string }> {
    const email = `${crypto.randomUUID()}@example.com`;
    const database = await openLocalDatabase(this.state);
    return await createAccount(database, { email, name: null, plan, keyLabel: "verify" });
  }

  /**
   * Returns the numbers of an account's jobs, uploads and webhook endpoints. Reads the database: the service may refuse by its
   * rate.
   */
  async remains(accountId: string): Promise<unknown[]> {
    const count = (table: string, where = "") =>
      `(SELECT count(*) FROM ${table} WHERE account_id = '${accountId}' ${where})`;
    const sql = `SELECT ${count("jobs")} AS jobs, ${count("uploads", "AND deleted_at IS NULL")} AS uploads,
      ${count("webhook_endpoints", "AND deleted_at IS NULL")} AS endpoints`;
    const [row] = await queryDatabase(this.state.data, sql);
    return Object.values(row ?? {});
  }

  /** Verifies one row while something is broken. */
  async verify(row: string, { service, storage, ...target }: Broken): Promise<readonly Outcome[]> {
    const { baseUrl } = this;
    const storageUrl = storage && (await this.proxied(baseUrl, storage));
    const edit: Breakage["edit"] = (answer, request) => {
      const body = String(answer.body);
      const moved =
        storageUrl === undefined ? body : body.replaceAll(`${baseUrl}/cdn-cgi`, `${storageUrl}/cdn-cgi`);
      return service?.edit?.({ ...answer, body: moved }, request) ?? { ...answer, body: moved };
    };
    const isEdited = storage !== undefined || service?.edit !== undefined;
    const url =
      service || storage ? await this.proxied(baseUrl, { ...service, ...(isEdited && { edit }) }) : baseUrl;
    const apiKey = target.apiKey ?? (await this.account()).secret;
    const given = { state: this.state, form: SMALL, only: [row], ...target };
    return await verifyService({ ...given, apiKey, baseUrl: url }, never);
  }

  /** The address of a proxy before a server. */
  async proxied(target: string, breakage: Breakage): Promise<string> {
    const proxy = await BreakingProxy.start(target, breakage);
    this.#closings.push(() => proxy.stop());
    return proxy.url;
  }

  /** Returns an address on a third-party server: `/refuses` answers 500, `/picture` is a picture. */
  async elsewhere(path: "/refuses" | "/picture"): Promise<string> {
    const server = await startFileServer({
      "/refuses": (response) => response.writeHead(500).end(),
      "/picture": (response) =>
        response.writeHead(200, { "content-type": "image/png" }).end(sample("chelsea")),
    });
    this.#closings.push(() => server.close());
    return server.url(path);
  }

  /** Closes the proxies and servers. */
  async close(): Promise<void> {
    for (const close of this.#closings.splice(0)) await close();
  }
}
