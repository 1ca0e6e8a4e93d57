import { BASE64_PLACEHOLDER, SegmentRequest } from "../segment/contract/segment.ts";
import type { Sought } from "../segment/operations/segment.ts";
import { REGION_FORMS, regionOfText } from "../segment/rules/region-text.ts";
import { ServiceError } from "../shared/errors.ts";
import type { FormPart } from "./multipart.ts";
import { validBody } from "./read-request.ts";
import { quoted } from "./strict-json.ts";

/** More than the prompts and regions of any job. */
const MOST_FIELDS = 1_000;

const NUMBERS: ReadonlySet<string> = new Set(["threshold", "maskThreshold"]);
const BOOLEANS: ReadonlySet<string> = new Set(["generatePreview", "rle"]);

const invalid = (message: string): ServiceError => new ServiceError("invalid_request", message);

const tooLarge = (): ServiceError =>
  new ServiceError("body_too_large", "The fields of the form are too many, or too large. Send fewer.");

async function utf8(name: string, chunks: readonly Uint8Array[]): Promise<string> {
  try {
    const bytes = await new Blob([...chunks]).arrayBuffer();
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(`${quoted(name)}: is not UTF-8.`);
  }
}

/** The fields of a form, in addition to its picture. */
export class SegmentFields {
  readonly #mostBytes: number;
  readonly #texts = new Map<string, string[]>();
  #bytes = 0;
  #fields = 0;

  /** @param mostBytes maximum size of all fields */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Reads a field. @throws ServiceError invalid_request, body_too_large. */
  async add(part: FormPart): Promise<void> {
    this.#fields += 1;
    const chunks: Uint8Array[] = [];
    for (let bytes = await part.read(); bytes !== null; bytes = await part.read()) {
      this.#bytes += bytes.length;
      if (this.#bytes > this.#mostBytes) throw tooLarge();
      chunks.push(bytes);
    }
    if (this.#fields > MOST_FIELDS) throw tooLarge();
    const texts = this.#texts.get(part.name) ?? [];
    texts.push(await utf8(part.name, chunks));
    this.#texts.set(part.name, texts);
  }

  /** Returns the fields, checked like those of JSON. @throws ServiceError invalid_request. */
  sought(): Sought {
    const body = new Map<string, unknown>([["image", { base64: BASE64_PLACEHOLDER }]]);
    for (const [name, texts] of this.#texts) {
      if (name === "prompt") body.set("prompts", texts);
      else if (name === "region") body.set("regions", texts.map(regionOf));
      else if (NUMBERS.has(name)) body.set(name, numberOf(name, only(name, texts)));
      else if (BOOLEANS.has(name)) body.set(name, booleanOf(name, only(name, texts)));
      else
        throw invalid(
          `${quoted(name)} is not a field of this form. It takes image, prompt, region, ${[...NUMBERS, ...BOOLEANS].join(", ")}.`,
        );
    }
    const { image: _, ...sought } = validBody(SegmentRequest, Object.fromEntries(body));
    return sought;
  }
}

function only(name: string, [text = "", ...more]: readonly string[]): string {
  if (more.length > 0) throw invalid(`${name}: appears more than once.`);
  return text;
}

function numberOf(name: string, text: string): number {
  if (!/^\s*\d+(?:\.\d+)?\s*$/.test(text)) throw invalid(`${name}: must be a number.`);
  return Number(text);
}

function booleanOf(name: string, text: string): boolean {
  if (text !== "true" && text !== "false") throw invalid(`${name}: must be true or false.`);
  return text === "true";
}

function regionOf(text: string): object {
  const region = regionOfText(text);
  if (region === null) throw invalid(`region: ${quoted(text)} is none. Send ${REGION_FORMS}.`);
  return region;
}
