import {
  type CallToolResult,
  Client as Agent,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { z } from "zod";
import { fetchWorker } from "./api.ts";
import { PNG } from "../fixtures/jobs.ts";

export const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
/** The parts of segment's answer that tests read. */
export const Found = z.object({
  taskId: z.string(),
  objects: z.array(z.object({ index: z.int() })),
  nextFrom: z.int().nullable(),
});

export const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
/** A picture as an argument of segment. */
export const IMAGE = { base64: btoa(String.fromCharCode(...PNG)), mimeType: "image/png" };

/** The protocol's revisions that the server speaks. */
export const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
type Revision = (typeof REVISIONS)[number];

/** The official client, connected to the Worker with a credential. */
export async function connect(credential: string, revision: Revision = "2026-07-28"): Promise<Agent> {
  const transport = new StreamableHTTPClientTransport(new URL("https://api.test/mcp"), {
    fetch: (url, init) => fetchWorker(new Request(url, init)),
    requestInit: { headers: { authorization: `Bearer ${credential}` } },
  });
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  const agent = new Agent(
    { name: "a test", version: "1" },
    { supportedProtocolVersions: [revision], versionNegotiation: { mode } },
  );
  await agent.connect(transport);
  return agent;
}

export const call = (
  agent: Agent,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> => agent.callTool({ name, arguments: args });

/** Returns a tool's error message. */
export const complaintOf = ({ isError, content: [first] }: CallToolResult): string => {
  expect(isError).toBe(true);
  return first?.type === "text" ? first.text : "";
};
