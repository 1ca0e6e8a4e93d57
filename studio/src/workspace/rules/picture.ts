import type { Given, Inspected, WorkspaceType } from "./inspect-file.ts";

/** State of the upload of a picture's file. */
export type Sending =
  | { readonly at: "here" }
  | { readonly at: "sending"; readonly bytes: number }
  | { readonly at: "sent"; readonly taskId: string }
  | { readonly at: "failed"; readonly error: unknown };

/** A picture of a workspace, or its video. */
export interface Picture {
  /** Names it in this page. */
  readonly key: string;
  readonly name: string;
  /** The file, if this browser has it. */
  readonly file: Blob | null;
  /** URL from which the service fetches it, if a person gave one. */
  readonly address: URL | null;
  readonly sending: Sending;
}

/** A picture that a person gave. */
export function givenPicture(given: Given): Picture {
  const isAddress = given instanceof URL;
  return {
    key: crypto.randomUUID(),
    name: isAddress ? (given.pathname.split("/").pop() ?? "") || given.host : given.name || "Pasted picture",
    file: isAddress ? null : given,
    address: isAddress ? given : null,
    sending: { at: "here" },
  };
}

/** The file or the address of a picture, as given; nothing of a picture that is elsewhere. */
export const givenOf = ({ name, file, address }: Picture): Given[] =>
  file !== null ? [new File([file], name, { type: file.type })] : address === null ? [] : [address];

/** A picture of a job that was created earlier. */
export const pictureOfTask = (
  taskId: string,
  original: { readonly name: string; readonly file: Blob | null } | null,
): Picture => ({
  key: taskId,
  name: original?.name ?? "",
  file: original?.file ?? null,
  address: null,
  sending: { at: "sent", taskId },
});

/** The picture's id at the service, once it is there. */
export const taskIdOf = ({ sending }: Picture): string | null =>
  sending.at === "sent" ? sending.taskId : null;

/** Counts the bytes of the files that were sent, and all of them. */
export function bytesOf(pictures: readonly Picture[]): { readonly sent: number; readonly total: number } {
  let [sent, total] = [0, 0];
  for (const { file, sending } of pictures) {
    const size = file?.size ?? 0;
    total += size;
    if (sending.at === "sent") sent += size;
    else if (sending.at === "sending") sent += Math.min(size, sending.bytes);
  }
  return { sent, total };
}

/** The outcome of the given files. */
interface Taken {
  readonly type: WorkspaceType;
  readonly accepted: readonly Given[];
  /** A sentence about each that is not taken. */
  readonly refused: readonly string[];
}

const CLIP_IS_ALONE = "A video needs its own job. Start a new one for it.";

/**
 * Sorts the inspected files that a person adds to a workspace of that type. A video is a separate job: it is taken alone, and only if the workspace has
 * nothing yet.
 */
export function take(
  inspected: readonly (Inspected | string)[],
  hasSome: boolean,
  workspaceType: WorkspaceType,
): Taken {
  const refused: string[] = [];
  const pictures: Given[] = [];
  const clips: Given[] = [];
  for (const each of inspected)
    if (typeof each === "string") refused.push(each);
    else (each.kind === "video" ? clips : pictures).push(each.given);
  if (hasSome && workspaceType === "video")
    return { type: "video", accepted: [], refused: [...refused, CLIP_IS_ALONE] };
  const [clip] = clips;
  if (clip !== undefined && pictures.length === 0 && !hasSome) {
    if (clips.length > 1) refused.push(CLIP_IS_ALONE);
    return { type: "video", accepted: [clip], refused };
  }
  if (clip !== undefined) refused.push(CLIP_IS_ALONE);
  return { type: "image", accepted: pictures, refused };
}

/** The addresses in a string, each in a line or between spaces; null if there is anything else in it. */
export function addressesIn(text: string): URL[] | null {
  const parts = text.split(/\s+/).filter((part) => part !== "");
  const addresses = parts.flatMap((part) => {
    const url = URL.canParse(part) ? new URL(part) : null;
    return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? [url] : [];
  });
  return addresses.length > 0 && addresses.length === parts.length ? addresses : null;
}
