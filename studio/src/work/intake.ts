/** What a file says that it is. A browser knows no type of some files that the service may know. */
export type FileKind = "image" | "video" | "unknown" | "other";

/** What a file's MIME type says of it. */
export function kindOf({ type }: { readonly type: string }): FileKind {
  if (type === "" || type === "application/octet-stream") return "unknown";
  const [kind] = type.split("/");
  return kind === "image" || kind === "video" ? kind : "other";
}

/** What a person gives: a file, or the address of one. */
export type Given = File | URL;

/** What becomes of what was given. */
export interface Taken {
  readonly type: "image" | "video";
  readonly accepted: readonly Given[];
  /** What is not taken, in a sentence each. */
  readonly refused: readonly string[];
}

/** What the address of a clip ends with. */
const CLIP_ADDRESS = /\.(?:mp4|m4v|mov|webm|mkv|avi)$/i;

const CLIP_IS_ALONE = "A clip needs its own job. Start a new one for it.";

const nameOf = (given: Given): string => (given instanceof URL ? given.href : given.name);

function kindOfGiven(given: Given): FileKind {
  if (!(given instanceof URL)) return kindOf(given);
  return CLIP_ADDRESS.test(given.pathname) ? "video" : "unknown";
}

/**
 * Sorts what a person gives to a work of that type. A clip is a job of its own: it is taken alone, and only if the work has
 * nothing yet.
 */
export function take(given: readonly Given[], hasSome: boolean, workType: "image" | "video"): Taken {
  const refused: string[] = [];
  const pictures: Given[] = [];
  const clips: Given[] = [];
  for (const each of given) {
    const kind = kindOfGiven(each);
    if (kind === "other") refused.push(`${nameOf(each)} is neither a picture nor a clip.`);
    else (kind === "video" ? clips : pictures).push(each);
  }
  if (hasSome && workType === "video")
    return { type: "video", accepted: [], refused: [...refused, CLIP_IS_ALONE] };
  const [clip] = clips;
  if (clip !== undefined && pictures.length === 0 && !hasSome) {
    if (clips.length > 1) refused.push(CLIP_IS_ALONE);
    return { type: "video", accepted: [clip], refused };
  }
  if (clip !== undefined) refused.push(CLIP_IS_ALONE);
  return { type: "image", accepted: pictures, refused };
}

/** The addresses in a text, each in a line or between spaces; null if there is anything else in it. */
export function addressesIn(text: string): URL[] | null {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  const addresses = parts.flatMap((part) => {
    const url = URL.canParse(part) ? new URL(part) : null;
    return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? [url] : [];
  });
  return addresses.length > 0 && addresses.length === parts.length ? addresses : null;
}
