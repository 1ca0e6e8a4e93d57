import { type ClientOptions, SegmentationClient } from "segmentation-client";
import { addressOf } from "./memory-client.ts";

/** For a service that is fake. */
export const OPTIONS = {
  baseUrl: "http://fake.test/prefix/",
  apiKey: "sk_live_fake",
  retryDelayMs: 1,
} as const;

/** A client whose requests get these answers, one after the other; and its requests. */
export function answering(
  answers: readonly (() => Response | Promise<Response>)[],
  options: Partial<Omit<ClientOptions, "apiKey" | "accessToken">> = {},
) {
  const asked: { url: string; init: RequestInit }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    asked.push({ url: addressOf(url), init });
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error("asked too often");
    return await answer();
  };
  return { client: new SegmentationClient({ ...OPTIONS, fetch, ...options }), asked };
}
