import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/contract.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly contents?: { readonly value?: string } } | null;
}

/** TypeScript's own language server, which editors ask, for one document that is not on the disk. */
class LanguageServer {
  readonly #child = spawn(join(PROJECT_ROOT, "node_modules", ".bin", "tsc"), ["--lsp", "--stdio"], {
    cwd: join(PROJECT_ROOT, "client"),
    stdio: ["pipe", "pipe", "ignore"],
  });
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #uri = pathToFileURL(join(PROJECT_ROOT, "client", "test", "hovered.ts")).href;
  #id = 0;
  #received = Buffer.alloc(0);

  constructor() {
    this.#child.stdout.on("data", (piece: Buffer) => {
      this.#received = Buffer.concat([this.#received, piece]);
      for (let message = this.#next(); message !== undefined; message = this.#next()) {
        // The server's requests to its client, such as for its configuration, may get nothing.
        if (message.method !== undefined && message.id !== undefined)
          this.#send({ id: message.id, result: null });
        else this.#waiting.get(message.id ?? -1)?.(message);
      }
    });
  }

  #next(): Message | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, end).toString())?.[1]);
    if (end < 0 || this.#received.length < end + 4 + length) return undefined;
    const message: Message = JSON.parse(this.#received.subarray(end + 4, end + 4 + length).toString());
    this.#received = this.#received.subarray(end + 4 + length);
    return message;
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  async #ask(method: string, params: object): Promise<Message> {
    const id = ++this.#id;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    return await answer;
  }

  async open(text: string): Promise<void> {
    const rootUri = pathToFileURL(join(PROJECT_ROOT, "client")).href;
    const capabilities = { textDocument: { hover: { contentFormat: ["markdown"] } } };
    await this.#ask("initialize", { processId: process.pid, rootUri, capabilities });
    this.#send({ method: "initialized", params: {} });
    const textDocument = { uri: this.#uri, languageId: "typescript", version: 1, text };
    this.#send({ method: "textDocument/didOpen", params: { textDocument } });
  }

  /** Text that an editor shows over a place. */
  async hover(line: number, character: number): Promise<string> {
    const position = { line, character };
    const { result } = await this.#ask("textDocument/hover", { textDocument: { uri: this.#uri }, position });
    return result?.contents?.value ?? "";
  }

  close(): void {
    this.#child.kill();
  }
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly summary: string }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
}
const document: Document = JSON.parse(readFileSync(join(PROJECT_ROOT, "docs", "openapi.json"), "utf8"));
const summaries = new Map(
  Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId, summary }) => [operationId, summary] as const),
  ),
);
const operations = Object.keys(ROUTES);
const fields = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
  Object.keys(properties).map((field) => [name, field] as const),
);
const methods = [
  "segment",
  "segmentVideo",
  "submit",
  "submitVideo",
  "job",
  "result",
  "upload",
  "archive",
  "download",
];
const lines = [
  'import { type components, SegmentationClient } from "segmentation-client";',
  'declare const schemas: components["schemas"];',
  "const client = new SegmentationClient();",
  ...operations.map((id) => `void client.api.${id}`),
  ...fields.map(([name, field]) => `void schemas.${name}.${field}`),
  ...methods.map((name) => `void client.${name}`),
];

describe("an editor's hover texts", () => {
  let server: LanguageServer;
  beforeAll(async () => {
    server = new LanguageServer();
    await server.open(lines.join("\n"));
  });
  afterAll(() => server.close());
  const shown = async (line: string): Promise<string> => {
    const at = lines.indexOf(line);
    return await server.hover(at, line.length - 1);
  };

  it.each(operations)("over client.api.%s describes it and its call", async (id) => {
    const text = await shown(`void client.api.${id}`);
    expect(text).toContain(summaries.get(id));
    expect(text).toContain("@example");
    expect(text).toContain(`client.api.${id}(`);
  });

  it("over each field of each object describes it", async () => {
    const texts = await Promise.all(
      fields.map(
        async ([name, field]) => [`${name}.${field}`, await shown(`void schemas.${name}.${field}`)] as const,
      ),
    );
    // The first lines are the field's type.
    const isSilent = ([, text]: readonly [string, string]): boolean =>
      text.replace(/^```[\s\S]*?```/, "").trim() === "";
    expect(texts.length).toBeGreaterThan(150);
    expect(texts.filter(isSilent).map(([name]) => name)).toEqual([]);
  });

  it.each(methods)("over client.%s describes it", async (name) => {
    expect((await shown(`void client.${name}`)).replace(/^```[\s\S]*?```/, "").trim()).not.toBe("");
  });
});
