import { SegmentationError } from "../../errors.ts";
import type { SegmentationClient } from "../../node/client.ts";
import { numberOf } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { harmless } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import { receive, type Received } from "./receive.ts";

export interface ListenOptions {
  readonly port?: string | undefined;
  readonly url?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Prints events as they arrive, until Ctrl-C. The endpoint is that of the secret in the environment, or an endpoint that it
 * creates and deletes afterwards.
 */
export async function listen(
  client: SegmentationClient,
  terminal: Terminal,
  options: ListenOptions,
): Promise<number> {
  const { signal, env } = terminal;
  let secret = env["SEGMENTATION_WEBHOOK_SECRET"] || undefined;
  const isOwn = secret === undefined;
  const port = numberOf("port", options.port, { least: 0, most: 65_535, isWhole: true }) ?? 0;
  const receiver = await receive(
    port,
    () => secret,
    (received) => printReceived(terminal, received, options.json === true),
  );
  let endpointId: string | undefined;
  try {
    const url = options.url ?? `http://127.0.0.1:${receiver.port}`;
    if (isOwn) {
      const request = { url, description: "segmentation-client webhooks listen" };
      const created = await client.api.createWebhookEndpoint(request, { signal }).catch((error: unknown) => {
        const isForbidden = error instanceof SegmentationError && error.code === "url_forbidden";
        if (!isForbidden || options.url !== undefined) throw error;
        throw usageFailure(
          `The service sends no events to ${url}. Give the public address of this machine, such as a tunnel's: --url https://…`,
        );
      });
      ({ endpointId } = created.endpoint);
      secret = created.secret;
    }
    terminal.report(`Listening at ${url} (port ${receiver.port}). Press Ctrl-C to stop.`);
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
      if (signal.aborted) resolve();
    });
    return 0;
  } finally {
    await receiver.close();
    if (endpointId !== undefined) await client.api.deleteWebhookEndpoint({ endpointId });
  }
}

function printReceived({ print, report }: Terminal, received: Received, isJson: boolean): void {
  if ("refused" in received) return report(`Rejected a request: ${received.refused}.`);
  const { id, isAgain, body } = received;
  if (isJson) return print(body);
  const {
    type,
    timestamp,
    data,
  }: { type: string; timestamp: string; data: { jobId?: string; endpointId?: string } } = JSON.parse(body);
  const about = data.jobId ?? data.endpointId ?? "";
  print(harmless(`${timestamp}  ${type}  ${about}  ${id}${isAgain ? "  (again)" : ""}`));
}
