import { fetchWorker, type Client } from "../client/api.ts";

/** One request and its answer, exact to the byte, without the parts that differ between runs: ids, times, signatures. */
export interface Exchange {
  readonly what: string;
  readonly request: string;
  readonly status: number;
  /** Every header by its name, without the growing list of headers that a page's script may read. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The parts that differ between runs, and their replacements. A kind with `#` is numbered in the order of its first appearance.
 */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/sk_live_[\w-]+…?/g, "<secret or prefix>"],
  [/\b(?:acct|job|key)_[0-9a-f]{32}\b/g, "id#"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "uuid#"],
  [/\b(?:cs|cus|bps|ses|sub)_\w+/g, "stripe#"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>"],
  [/X-Amz-(?:Date|Signature|Credential)=[^&"]+/g, "<signature>"],
  [/"nextToken":"[^"]+"/g, `"nextToken":"<token>"`],
];

/** Records exchanges with the Worker. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly #names = new Map<string, string>();

  /** Sends a request with or without a client's key, and records the answer. Returns the parsed body. */
  async send(
    what: string,
    client: Client | null,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any shape there may be
  ): Promise<any> {
    const response = await fetchWorker(
      new Request(`https://api.test${path}`, {
        method,
        headers: {
          ...(client && { authorization: `Bearer ${client.key}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    this.exchanges.push({
      what,
      request: this.#stable(`${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`),
      status: response.status,
      headers: Object.fromEntries(
        [...response.headers]
          .filter(([name]) => name !== "access-control-expose-headers")
          .map(([name, value]) => [name, this.#stable(value)] as const),
      ),
      body: this.#stable(text),
    });
    return text === "" ? null : JSON.parse(text);
  }

  #stable(text: string): string {
    let stable = text;
    for (const [pattern, kind] of VARYING) {
      stable = stable.replaceAll(pattern, (found) => (kind.endsWith("#") ? this.#name(kind, found) : kind));
    }
    return stable;
  }

  #name(kind: string, found: string): string {
    const known = this.#names.get(found);
    if (known !== undefined) return known;
    const ofKind = [...this.#names.values()].filter((name) => name.startsWith(kind)).length;
    const name = `${kind}${ofKind + 1}`;
    this.#names.set(found, name);
    return name;
  }
}
