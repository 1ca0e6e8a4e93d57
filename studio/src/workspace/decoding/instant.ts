import { isVisitor } from "../../state/session.ts";
import { loadScript } from "../../state/scripts.ts";
import type { Region } from "../../viewer/types.ts";
import { taskIdOf } from "../rules/picture.ts";
import { findOriginal, saveOriginal } from "../saved/originals.ts";
import type { FoundJob } from "../service/found-job.ts";
import { askForModel, model } from "../service/model.ts";
import { onceOnline } from "../service/once-online.ts";
import type { Owner } from "../service/owner.ts";
import type { Workspace } from "../workspace.ts";
import type { Decoded, Embedded, Instant } from "./messages.ts";
import { Replaceable } from "./replaceable.ts";

const loadDecoder = async () => await import("./decoder.ts");

/** The decoder of the page. */
const decoder = new Replaceable(
  async (owner: Owner) => await (await loadScript(loadDecoder)).Decoder.load(owner),
);

/** Begins to load the decoder. */
const preload = (owner: Owner): void => void decoder.use(owner, async () => {}).catch(() => {});

/** Tells whether this browser can run the decoder. */
const isAble = (): boolean => "WebAssembly" in globalThis && !decoder.isGivenUp.value;

/** Tells whether the browser may draw masks of a workspace's pictures. */
export const mayDecode = ({ type }: Workspace): boolean =>
  isAble() && !isVisitor.value && type.value === "image" && model.value?.interactive !== undefined;

/** The browser's progress with a picture; null without its embedding, and undefined if the service draws its masks. */
export function instantOf(workspace: Workspace, key: string): Instant | null | undefined {
  const instant = workspace.instants.value.get(key) ?? null;
  const isDown = instant?.at === "failed" || instant?.at === "interrupted";
  return isDown || !mayDecode(workspace) ? undefined : instant;
}

/** Tells whether the browser draws the masks of a picture. */
export const isReady = (workspace: Workspace, key: string): boolean =>
  instantOf(workspace, key)?.at === "ready";

/** Tells whether the next job of a picture is to return its embedding. The decoder is loaded meanwhile. */
export async function wantsEmbedding(workspace: Workspace, key: string): Promise<boolean> {
  await askForModel();
  const isWanted = instantOf(workspace, key) === null;
  if (isWanted) preload(workspace.owner);
  return isWanted;
}

function set(workspace: Workspace, key: string, instant: Instant): void {
  workspace.instants.value = new Map(workspace.instants.peek()).set(key, instant);
}

/** Has the service draw the masks of a picture. */
export const giveUp = (workspace: Workspace, key: string): void => set(workspace, key, { at: "failed" });

/** Has the service draw the masks of a picture until the next click. */
export function interrupt(workspace: Workspace, key: string): void {
  const instant = workspace.instants.peek().get(key);
  if (instant?.at === "ready") set(workspace, key, { at: "interrupted", embedding: instant.embedding });
}

/** Notes that a job has returned embeddings, if it has. */
export function noteEmbedding(workspace: Workspace, job: FoundJob, taskId: string): void {
  if (job.hasEmbedding(taskId)) workspace.embeddings.set(taskId, job);
}

/** The name of an embedding among the files of this browser: that of one decoder is of no use to another. */
const fileOf = (taskId: string): string =>
  `embedding/${model.peek()?.interactive?.decoder.sha256 ?? ""}/${taskId}`;

/** The upload of a picture; null if there is none yet. */
function taskIn(workspace: Workspace, key: string): string | null {
  const picture = workspace.picture(key);
  return picture === undefined ? null : taskIdOf(picture);
}

/** Files that were looked for in this browser, and are not there unless a job has returned them since. */
const lookedFor = new Set<string>();

/** A picture's embedding in this browser; null if there is none, or it was looked for before. */
async function savedEmbedding({ accountId }: Owner, file: string): Promise<Blob | null> {
  if (lookedFor.has(file)) return null;
  lookedFor.add(file);
  return (await findOriginal(accountId, file))?.file ?? null;
}

/** A picture's embedding from its job; null if that can't be fetched. */
const fetchEmbedding = async (job: FoundJob, taskId: string): Promise<Blob | null> =>
  await onceOnline(async () => await job.embedding(taskId)).catch(() => null);

/** Has the decoder prepare for a picture. */
async function open(workspace: Workspace, key: string, embedded: Embedded): Promise<void> {
  const { embedding } = embedded;
  set(workspace, key, { at: "loading" });
  try {
    const isOpen = await decoder.use(workspace.owner, async (loaded) => await loaded.open(embedded));
    set(workspace, key, isOpen ? { at: "ready", embedding } : { at: "failed" });
  } catch {
    set(workspace, key, { at: "interrupted", embedding });
  }
}

/** Prepares for pointing at a picture, if its embedding is there. */
export async function prepare(workspace: Workspace, key: string): Promise<void> {
  const taskId = taskIn(workspace, key);
  if (taskId === null || instantOf(workspace, key) !== null) return;
  const { owner, embeddings } = workspace;
  const saved = await savedEmbedding(owner, fileOf(taskId));
  const job = embeddings.get(taskId);
  if ((saved === null && job === undefined) || instantOf(workspace, key) !== null) return;
  set(workspace, key, { at: "loading" });
  const embedding = saved ?? (job === undefined ? null : await fetchEmbedding(job, taskId));
  if (embedding === null) return giveUp(workspace, key);
  if (saved === null) await saveOriginal(owner.accountId, fileOf(taskId), { name: "", file: embedding });
  await open(workspace, key, { taskId, embedding });
}

/** Prepares once more for a picture, if the decoder has failed. */
export async function resume(workspace: Workspace, key: string): Promise<void> {
  const instant = workspace.instants.peek().get(key);
  const taskId = taskIn(workspace, key);
  if (instant?.at !== "interrupted" || taskId === null || !mayDecode(workspace)) return;
  await open(workspace, key, { taskId, embedding: instant.embedding });
}

/** Draws the mask of a region of a picture. @param prior the file of the mask to correct @throws Error */
export async function decode(
  workspace: Workspace,
  key: string,
  region: Region,
  prior: Blob | null,
): Promise<Decoded> {
  const instant = workspace.instants.peek().get(key);
  const taskId = taskIn(workspace, key);
  if (instant?.at !== "ready" || taskId === null) throw new Error("The picture is not prepared.");
  const { embedding } = instant;
  return await decoder.use(workspace.owner, async (loaded) => {
    const decoded = await loaded.decode({ taskId, embedding, region, prior });
    decoder.noteSuccess();
    return decoded;
  });
}
