import { SegmentationClient } from "../../node/client.ts";
import { Failure, usageFailure } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { readConfig } from "./config-file.ts";

/**
 * Normalizes a service's address: its key is stored under this form.
 * @throws Failure with exit code 2 if it is not an HTTP URL
 */
function normalUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usageFailure(
      `${text} is not the address of a service. An address looks like https://segmentation.example.com`,
    );
  return new URL(text).href.replace(/\/$/, "");
}

/** The service's address: the option's, the environment's, or that of the last `login`. @throws Failure with exit code 2 */
export async function baseUrlOf(terminal: Terminal, option: string | undefined): Promise<string> {
  const given = option ?? (terminal.env["SEGMENTATION_BASE_URL"] || (await readConfig(terminal.env)).baseUrl);
  if (given === undefined)
    throw usageFailure(
      "No service is configured. Run `segmentation-client login --base-url https://…` once, or set SEGMENTATION_BASE_URL.",
    );
  return normalUrl(given);
}

/** Retries while a person waits: few, to report a failure soon. */
export const A_MOMENT = 2;
/** Retries during work that takes hours: enough to outlast a network outage of minutes. */
export const LONG_WORK = 9;

/**
 * The client with the user's key: the environment's, or the key that `login` stored for this address.
 * @param maxRetries the number of retries of a request whose connection fails
 */
export async function clientOf(
  terminal: Terminal,
  { "base-url": option }: { readonly "base-url"?: string | undefined },
  maxRetries = A_MOMENT,
): Promise<SegmentationClient> {
  const baseUrl = await baseUrlOf(terminal, option);
  const apiKey = terminal.env["SEGMENTATION_API_KEY"] || (await readConfig(terminal.env)).keys[baseUrl];
  if (apiKey === undefined)
    throw new Failure(
      `There is no API key for ${baseUrl}. Run \`segmentation-client login --base-url ${baseUrl}\`, or set SEGMENTATION_API_KEY.`,
    );
  return new SegmentationClient({ baseUrl, apiKey: apiKey.trim(), maxRetries });
}
