import type { FileKind, Given } from "./intake.ts";

/** How far a picture's file is on its way to the service. */
export type Sending =
  | { readonly at: "here" }
  | { readonly at: "sending"; readonly bytes: number }
  | { readonly at: "sent"; readonly taskId: string }
  | { readonly at: "failed"; readonly error: unknown };

/** A picture of a work, or its clip. */
export interface Picture {
  /** Names it in this page. */
  readonly key: string;
  readonly name: string;
  /** The file, if this browser has it. */
  readonly file: Blob | null;
  /** Where the service fetches it, if a person gave an address. */
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

/** A picture of a job that was created earlier. */
export const pictureOfTask = (
  taskId: string,
  original: { readonly name: string; readonly file: Blob } | null,
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

/** How many bytes of the files are gone, and how many there are. */
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

/** What kind of job a work is. */
export type WorkType = Extract<FileKind, "image" | "video">;
