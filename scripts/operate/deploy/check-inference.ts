import { isLoopback } from "../../../src/shared/public-url.ts";
import { messageOf } from "../../shared/error-parts.ts";
import type { Configuration } from "../../shared/cloudflare/configuration.ts";
import { type Finding, warning } from "./finding.ts";

const PATIENCE_MS = 10_000;

/** Requests an address: null for 200, else a description of its answer. */
async function problemAt(url: string, signal: AbortSignal): Promise<string | null> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    await response.body?.cancel();
    return response.ok ? null : `answers ${response.status}`;
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `does not answer (${messageOf(cause)})`;
  }
}

/** Asks the inference service whether it is there, and then whether its model is ready. */
export async function checkInference({ vars }: Configuration, signal: AbortSignal): Promise<Finding[]> {
  const url = vars["INFERENCE_URL"];
  // An address that nobody outside could reach is named among the settings.
  if (typeof url !== "string" || !URL.canParse(url) || isLoopback(url)) return [];
  for (const path of ["/healthz", "/readyz"]) {
    const address = url.replace(/\/+$/, "") + path;
    const problem = await problemAt(address, signal);
    if (problem === null) continue;
    return [
      warning(
        "inference service",
        `${address} ${problem}: tasks would wait`,
        "start it or correct INFERENCE_URL; if only Cloudflare may reach it, ignore this",
      ),
    ];
  }
  return [];
}
