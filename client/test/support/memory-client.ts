import { SegmentationClient, type ClientOptions } from "segmentation-client";
import { type FakeOptions, type FakeService, fakeService } from "./fake-service.ts";

/** A client of a fake service in the same process, without a network between them. */
export function memoryClient(
  play: FakeOptions = {},
  options: Partial<Omit<ClientOptions, "apiKey" | "accessToken">> = {},
): { readonly client: SegmentationClient; readonly service: FakeService } {
  const service = fakeService(play);
  const client = new SegmentationClient({
    baseUrl: "http://fake.test",
    apiKey: "sk_live_fake",
    fetch: memoryFetch(service),
    retryDelayMs: 1,
    ...options,
  });
  return { client, service };
}

/** Asks the app as a network would: a file has its length, and an aborted request fails. */
export const memoryFetch =
  ({ app }: FakeService): typeof fetch =>
  async (url, init) => {
    const headers = new Headers(init?.headers);
    if (init?.body instanceof Blob) headers.set("content-length", String(init.body.size));
    init?.signal?.throwIfAborted();
    if (addressOf(url).startsWith("data:")) return await fetch(url, init);
    return await app.fetch(new Request(url, { ...init, headers }));
  };

/** The bytes of a picture, for the service only their sum. */
export const picture = (number: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, number]);

/** A file that begins as a video does. */
export const clip = (name: string): File => new File([new TextEncoder().encode("\0\0\0\x18ftypisom")], name);

/** The fake service's sum of `picture(number)`. */
export const sumOfPicture = (number: number): number => picture(number).reduce((sum, byte) => sum + byte, 0);

/** The address of a request, as the client gives it to `fetch`. */
export const addressOf = (url: string | URL | Request): string =>
  url instanceof Request ? url.url : String(url);
