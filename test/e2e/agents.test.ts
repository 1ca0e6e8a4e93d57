import {
  Client as Agent,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { CookieJar } from "tough-cookie";
import { beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../inference-container/test/support/form.ts";
import { z } from "zod";
import { CALLBACK_PATH, CLIENT_ID } from "../../scripts/local/fakes/identity/names.ts";
import { browse } from "../../scripts/operate/sign-in.ts";
import { present } from "../support/at.ts";
import { sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";
import { readStrictly } from "../support/zip/strict-zip.ts";

const Found = z.object({
  jobId: z.string(),
  taskId: z.string(),
  status: z.literal("success"),
  width: z.literal(600),
  height: z.literal(400),
  objects: z.array(
    z.object({
      prompt: z.string().optional(),
      region: z.int().optional(),
      confidence: z.number(),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      area: z.number().positive(),
      maskUrl: z.url().optional(),
    }),
  ),
});

describe("an agent, by the official client of the Model Context Protocol", () => {
  let stack: SharedStack;
  let agent: Agent;
  beforeAll(async () => {
    stack = await useSharedStack();
    agent = new Agent({ name: "a test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const authorization = `Bearer ${stack.apiKey}`;
    const transport = new StreamableHTTPClientTransport(new URL(`${stack.baseUrl}/mcp`), {
      requestInit: { headers: { authorization } },
    });
    await agent.connect(transport);
    return () => agent.close();
  });

  it("finds the spoon in a picture that it sends, points at the saucer, and exports COCO [A20-1]", async () => {
    const base64 = Buffer.from(sample("coffee")).toString("base64");
    const image = { base64, mimeType: "image/png" };
    const answer = await agent.callTool({ name: "segment", arguments: { image, prompts: ["spoon"] } });
    const { taskId, jobId, objects } = Found.parse(answer.structuredContent);
    expect(objects[0]).toMatchObject({ prompt: "spoon", confidence: expect.closeTo(0.9, 0) });
    expect(answer.content[0]).toMatchObject({ type: "image", mimeType: "image/png" });
    const mask = await fetch(objects[0]?.maskUrl ?? "");
    expect([mask.status, mask.headers.get("content-type")]).toEqual([200, "image/png"]);

    const points = [{ x: 120, y: 280, label: 1 }];
    const pointed = await agent.callTool({ name: "segment", arguments: { image: { taskId }, points } });
    const [saucer] = Found.parse(pointed.structuredContent).objects;
    expect(saucer).toMatchObject({ region: 0 });
    const [x = 0, y = 0, width = 0, height = 0] = saucer?.box ?? [];
    expect(x <= 120 && 120 < x + width && y <= 280 && 280 < y + height).toBe(true);

    const exported = await agent.callTool({ name: "export", arguments: { jobId } });
    const { downloadUrl } = z.object({ downloadUrl: z.url() }).parse(exported.structuredContent);
    const archived = readStrictly(new Uint8Array(await (await fetch(downloadUrl)).arrayBuffer()));
    expect([...archived.keys()]).toContain(`annotations/${taskId}.json`);
  });

  it.runIf(isLong)("is one of two hundred calls at once, all of which are answered [A20-5]", async () => {
    const calls = Array.from({ length: 200 }, () => agent.callTool({ name: "list_jobs", arguments: {} }));
    const answers = await Promise.all(calls);
    expect(answers.filter(({ isError }) => isError === true)).toEqual([]);
  });

  it("needs only the address: it finds the provider, has a person sign in there, and calls tools with the token [A20-4]", async () => {
    const address = new URL(`${stack.baseUrl}/mcp`);
    const host = new Host(`${stack.identityUrl}${CALLBACK_PATH}`);
    const signingIn = new StreamableHTTPClientTransport(address, { authProvider: host });
    const stranger = new Agent({ name: "a host", version: "1" });
    await expect(stranger.connect(signingIn)).rejects.toThrow(UnauthorizedError);
    const page = present(host.page, "page to sign in");
    expect(page.origin).toBe(stack.identityUrl);
    expect(page.searchParams.get("resource")).toBe(address.href);

    const jar = new CookieJar();
    const form = { email: `${crypto.randomUUID()}@example.com` };
    const asked = await browse(jar, page.href);
    const { url } = await browse(jar, asked.url.href, { form, until: host.redirectUrl });
    await signingIn.finishAuth(url.searchParams);
    await stranger.connect(new StreamableHTTPClientTransport(address, { authProvider: host }));
    const { isError, structuredContent } = await stranger.callTool({ name: "usage", arguments: {} });
    expect([isError, structuredContent]).toEqual([
      undefined,
      expect.objectContaining({ access: expect.objectContaining({ mode: "trial" }) }),
    ]);
    await stranger.close();
  });
});

/** State that a host of agents keeps for the official client while a person signs in. */
class Host implements OAuthClientProvider {
  readonly clientMetadata;
  /** Address to which the person is sent. */
  page: URL | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  readonly redirectUrl: string;
  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { redirect_uris: [redirectUrl] };
  }
  clientInformation = () => ({ client_id: CLIENT_ID });
  redirectToAuthorization = (page: URL) => void (this.page = page);
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.#tokens = tokens);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  discoveryState = () => this.#discovered;
  saveDiscoveryState = (discovered: OAuthDiscoveryState) => void (this.#discovered = discovered);
}
