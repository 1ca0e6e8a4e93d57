import { invalidInput } from "../errors.ts";
import type { ClientOptions } from "../options.ts";
import { parseUrl } from "./url.ts";

/** The used part of Node's `process`, which other platforms, and their types, may lack. */
declare const process: { readonly env?: Readonly<Record<string, string | undefined>> } | undefined;

/** A variable of the environment, if the program may read it. */
function environment(name: string): string | undefined {
  try {
    return typeof process === "undefined" ? undefined : process.env?.[name];
  } catch {
    // Deno lets a program read only what its user has allowed.
    return undefined;
  }
}

/**
 * The address of the service, without slashes at its end. It may come from a file or a secret, with a line's end.
 * @throws SegmentationError `invalid_input`
 */
export function addressOf({ baseUrl = environment("SEGMENTATION_BASE_URL") }: ClientOptions): string {
  const text = String(baseUrl ?? "").trim();
  if (text === "")
    throw invalidInput("The client has no address. Give it a baseUrl, or set SEGMENTATION_BASE_URL.");
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidInput(`${text} is not an address. One looks like https://segmentation.example.com`);
  if (url.username !== "" || url.password !== "")
    throw invalidInput(`The address ${url.host} contains a password. Give a credential as apiKey.`);
  const address = url.origin + url.pathname.replace(/\/+$/, "");
  if (/[?#]/.test(text))
    throw invalidInput(`The address has to end before its query or fragment. Use ${address}`);
  // Other services' clients expect it; this service's paths already begin with it.
  if (address.endsWith("/v1"))
    throw invalidInput(`${text} is the address with the version. Use ${address.slice(0, -"/v1".length)}`);
  return address;
}

/** Returns the function that gives the credential for a request. @throws SegmentationError `invalid_input` */
export function credentialOf({
  accessToken,
  apiKey = environment("SEGMENTATION_API_KEY"),
}: ClientOptions): () => Promise<string> {
  if (accessToken !== undefined)
    return async () => {
      const token: unknown = await accessToken();
      const text = typeof token === "string" ? token.trim() : "";
      if (text !== "") return text;
      throw invalidInput("accessToken() returned no token. It has to return a text that is not empty.");
    };
  const key = apiKey?.trim();
  if (!key)
    throw invalidInput(
      "The client has no credential. Give it an apiKey or an accessToken, or set SEGMENTATION_API_KEY.",
    );
  const [odd] = /[^!-~]/u.exec(key) ?? [];
  if (odd !== undefined)
    throw invalidInput(
      `The API key contains “${odd}”, as no key does. Was it shortened? Copy the whole key.`,
    );
  return () => Promise.resolve(key);
}

/**
 * The headers that have a value; a later value takes an earlier one's place.
 * @throws SegmentationError `invalid_input`, which does not cite them
 */
export function headersOf(...given: Readonly<Record<string, string | undefined>>[]): Headers {
  const headers = new Headers();
  try {
    for (const [name, value] of given.flatMap(Object.entries))
      if (value !== undefined) headers.set(name, value);
  } catch {
    // The platform's error would cite a token.
    throw invalidInput(
      "A header, key or token has a character that no header of HTTP may have. Use ASCII only.",
    );
  }
  return headers;
}
