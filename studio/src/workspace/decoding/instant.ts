import { signal } from "@preact/signals";
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
import type { Decoder } from "./decoder.ts";
import type { Decoded, Instant } from "./messages.ts";

/** True if this browser can't run the decoder: the service draws all masks. */
const isUnable = signal(!("WebAssembly" in globalThis));

const loadDecoder = async () => await import("./decoder.ts");

let loaded: { readonly owner: Owner; readonly decoder: Promise<Decoder> } | null = null;

/** The decoder of the page, loaded once. @throws Error */
async function decoderOf(owner: Owner): Promise<Decoder> {
  if (loaded?.owner !== owner)
    loaded = {
      owner,
      decoder: loadScript(loadDecoder).then(async (script) => await script.Decoder.load(owner)),
    };
  return await loaded.decoder;
}

/** Begins to load the decoder. */
const preload = (owner: Owner): void => void decoderOf(owner).catch(() => (isUnable.value = true));

/** Tells whether the browser may draw masks of a workspace's pictures. */
export const mayDecode = ({ type }: Workspace): boolean =>
  !isUnable.value && !isVisitor.value && type.value === "image" && model.value?.interactive !== undefined;

/** The browser's progress with a picture; null without its embedding, and undefined if the service draws its masks. */
export function instantOf(workspace: Workspace, key: string): Instant | null | undefined {
  const instant = workspace.instants.value.get(key) ?? null;
  return !mayDecode(workspace) || instant?.at === "failed" ? undefined : instant;
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

/** Notes that a job has returned embeddings, if it has. */
export function noteEmbedding(workspace: Workspace, job: FoundJob, taskId: string): void {
  if (job.hasEmbedding(taskId)) workspace.embeddings.set(taskId, job);
}

/** The name of an embedding among the files of this browser: that of one decoder is of no use to another. */
const fileOf = (taskId: string): string =>
  `embedding/${model.peek()?.interactive?.decoder.sha256 ?? ""}/${taskId}`;

/** Files that were looked for in this browser, and are not there unless a job has returned them since. */
const lookedFor = new Set<string>();

/** A picture's embedding in this browser; null if there is none, or it was looked for before. */
async function savedEmbedding({ accountId }: Owner, file: string): Promise<Blob | null> {
  if (lookedFor.has(file)) return null;
  lookedFor.add(file);
  return (await findOriginal(accountId, file))?.file ?? null;
}

/** A picture's embedding from its job; null if another model has made it. @throws Error */
async function fetchEmbedding({ accountId }: Owner, job: FoundJob, taskId: string): Promise<Blob | null> {
  const file = await onceOnline(async () => await job.embedding(taskId));
  if (!(await (await loadScript(loadDecoder)).isOfModel(file))) return null;
  await saveOriginal(accountId, fileOf(taskId), { name: "", file });
  return file;
}

/** Prepares for pointing at a picture, if its embedding is there. */
export async function prepare(workspace: Workspace, key: string): Promise<void> {
  const picture = workspace.picture(key);
  const taskId = picture === undefined ? null : taskIdOf(picture);
  if (taskId === null || instantOf(workspace, key) !== null) return;
  const { owner, embeddings } = workspace;
  const saved = await savedEmbedding(owner, fileOf(taskId));
  const job = embeddings.get(taskId);
  if ((saved === null && job === undefined) || instantOf(workspace, key) !== null) return;
  set(workspace, key, { at: "loading" });
  try {
    const embedding = saved ?? (job === undefined ? null : await fetchEmbedding(owner, job, taskId));
    if (embedding === null) return giveUp(workspace, key);
    await (await decoderOf(owner)).open({ taskId, embedding });
    set(workspace, key, { at: "ready", embedding });
  } catch {
    giveUp(workspace, key);
  }
}

/** Draws the mask of a region of a picture. @param prior the file of the mask to correct @throws Error */
export async function decode(
  workspace: Workspace,
  key: string,
  region: Region,
  prior: Blob | null,
): Promise<Decoded> {
  const instant = workspace.instants.peek().get(key);
  const picture = workspace.picture(key);
  const taskId = picture === undefined ? null : taskIdOf(picture);
  if (instant?.at !== "ready" || taskId === null) throw new Error("The picture is not prepared.");
  const decoder = await decoderOf(workspace.owner);
  return await decoder.decode({ taskId, embedding: instant.embedding, region, prior });
}
