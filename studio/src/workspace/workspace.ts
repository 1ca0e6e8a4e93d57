import { batch, computed, signal } from "@preact/signals";
import { type CreateJobRequest, type JobStatus, mapParallel, SegmentationError } from "segmentation-client";
import { config } from "../state/config.ts";
import { fetchLater, loadScript } from "../state/scripts.ts";
import { bytesOf, givenPicture, type Picture, type Sending, take, taskIdOf } from "./rules/picture.ts";
import type { Given, WorkspaceType } from "./rules/inspect-file.ts";
import { type ClipRegion, regionsOn } from "./rules/clip-regions.ts";
import type { Instant } from "./decoding/messages.ts";
import type { Found } from "./service/found.ts";
import type { FoundJob } from "./service/found-job.ts";
import type { Inputs } from "./service/shared-inputs.ts";
import type { SignedInputs } from "./service/signed-inputs.ts";
import type { JobBase, SyncState } from "./annotations/sync.ts";
import type { Instance } from "./rules/instances.ts";
import type { Owner } from "./service/owner.ts";
import type { PointedObject, TakenBack } from "./rules/pointed-objects.ts";
import type { Verdicts } from "./rules/review.ts";
import { newPrompts, promptsOf, type Search, shownWith, thresholdIn } from "./rules/searches.ts";
import { Runner } from "./jobs/runner.ts";
import type { History } from "./rules/edit-history.ts";

/** Operation in progress. */
export type Going =
  | { readonly at: "idle" }
  | { readonly at: "sending" }
  /** Another job of the account has to end first. */
  | { readonly at: "blocked"; readonly jobId: string }
  /** The service can't take it now, and is asked again. */
  | { readonly at: "waiting"; readonly why: unknown }
  | { readonly at: "running" };

/** Why the latest request failed. */
interface WorkspaceProblem {
  readonly error: unknown;
  /** Request that failed: what the prompts ask for, an object that was pointed at, a picture's masks, or the workspace as a whole. */
  readonly of: "job" | "pointing" | "masks" | "opening";
}

// It is needed as soon as something is given.
const loadInspect = async () => (await import("./rules/inspect-file.ts")).inspect;
fetchLater(loadInspect);

/** Number of files that are inspected in parallel. */
const PARALLEL = 8;

export const IDLE: Going = { at: "idle" };

/** The job of the prompts as requested here, known before the service has answered. */
export interface Asked {
  /** Its Idempotency-Key: any number of requests from any page make one job. */
  readonly key: string;
  /** Null until the service has said it. */
  readonly jobId: string | null;
  /** True if it may have been created without an answer: a reload repeats the request. */
  readonly isUnheard: boolean;
}

/**
 * Pictures or a video with a person's requests and the results, from the first file on, over any number of jobs. The pixels of the screen are not in it.
 */
export class Workspace {
  /** Names it in this page. */
  readonly id = crypto.randomUUID();
  readonly owner: Owner;
  readonly runner: Runner;
  /** Id of its saved copy in this browser. */
  readonly savedId = signal<string>(crypto.randomUUID());
  /** True if it has not been opened by the path of its jobs yet. */
  readonly isDraft = signal(true);
  /** True if a reload cut its upload off. */
  readonly wasCutOff = signal(false);
  readonly type = signal<WorkspaceType>("image");
  readonly pictures = signal<readonly Picture[]>([]);
  readonly openKey = signal<string | null>(null);
  readonly #isAll = signal(false);
  /** True if all of several pictures are shown in place of one. */
  readonly isOverview = computed(() => this.#isAll.value && this.pictures.value.length > 1);
  readonly prompts = signal<readonly string[]>([]);
  /** The regions of a video, to be tracked. */
  readonly regions = signal<readonly ClipRegion[]>([]);
  /** Of a video: how many frames per second to process. */
  readonly fps = signal(2);
  /** From which confidence on the service keeps a mask, 0 to 1; null for its own default. */
  readonly threshold = signal<number | null>(null);
  /** Of a video: how long it is, once the browser knows. */
  readonly seconds = signal<number | null>(null);
  /** Pictures for further jobs, because one takes no more. */
  readonly later = signal<readonly Picture[]>([]);
  /** A sentence about each refused file. */
  readonly refused = signal<readonly string[]>([]);

  /** The job that names the workspace: to it all others add that could. Null as long as there is none. */
  readonly firstJob = signal<string | null>(null);
  /** Searches so far, the oldest first. */
  readonly searches = signal<readonly Search[]>([]);

  /** The job of the search that is seen, and how much of it is done: 0 to 1. */
  readonly job = signal<JobStatus | null>(null);
  readonly share = signal(0);
  readonly asked = signal<Asked | null>(null);
  /** Request, if it is known. */
  readonly request = signal<CreateJobRequest | null>(null);
  /** Results of all searches that are shown, partial while one runs; null until a picture is done. */
  readonly found = signal<Found | null>(null);
  readonly going = signal<Going>(IDLE);
  readonly problem = signal<WorkspaceProblem | null>(null);
  /** True if it is being restored from its jobs, and some of them have not been loaded yet. */
  readonly opening = signal(false);

  readonly pointed = signal<readonly PointedObject[]>([]);
  readonly pointing = signal<Going>(IDLE);
  /** Pointed objects that were undone, the latest last. */
  readonly takenBack = signal<readonly TakenBack[]>([]);

  /** Instances by picture, of the searches that are shown. */
  readonly instances = signal<ReadonlyMap<string, readonly Instance[]>>(new Map());
  /** A person's edits of the objects, by picture. */
  readonly edits = signal<ReadonlyMap<string, History>>(new Map());
  /** Classes so far, in the order of their numbers: none gets another number. "" was deleted. */
  readonly classes = signal<readonly string[]>([]);
  /** Class of the next object that is pointed at; null for none. */
  readonly activeClass = signal<string | null>(null);
  /** Verdicts on the pictures of a batch. */
  readonly verdicts = signal<Verdicts>(new Map());
  /** Notes on pictures, by their keys. */
  readonly notes = signal<ReadonlyMap<string, string>>(new Map());
  /** Objects that a person has accepted: no threshold hides them. */
  readonly acceptedObjects = signal<ReadonlySet<string>>(new Set());
  /** The hidden objects. */
  readonly hidden = signal<ReadonlySet<string>>(new Set());
  /** The annotations of the service on which all of that is based; null until they are known. */
  readonly base = signal<JobBase | null>(null);
  /** Save state of the annotations. */
  readonly keeping = signal<SyncState>({ at: "saved" });
  /** Instances by the number of their attempt, of objects that were pointed at. */
  readonly drawn = signal<ReadonlyMap<number, Instance>>(new Map());

  /** The browser's progress toward drawing masks itself, by picture. */
  readonly instants = signal<ReadonlyMap<string, Instant>>(new Map());
  /** Jobs that have returned an embedding, by taskId. */
  readonly embeddings = new Map<string, FoundJob>();

  /** The uploads that a share link shows; null for the person's own workspace. */
  inputs: Inputs | null = null;
  /** The uploads that the service keeps, once they are fetched. */
  readonly kept = signal<SignedInputs | null>(null);

  constructor(owner: Owner) {
    this.owner = owner;
    this.runner = new Runner(owner);
  }

  readonly openPicture = computed(() => {
    const pictures = this.pictures.value;
    return pictures.find(({ key }) => key === this.openKey.value) ?? pictures[0] ?? null;
  });
  /** The searches whose objects are on the screen, with the latest one; of a video that one alone. */
  readonly shownSearches = computed(() => {
    const { value: seen } = this.searchId;
    return this.type.value === "video"
      ? this.searches.value.filter(({ jobId }) => jobId === seen)
      : shownWith(this.searches.value, seen);
  });
  readonly shownIds = computed(() => this.shownSearches.value.map(({ jobId }) => jobId));
  /** Those of them that have an answer. */
  readonly #answeredSearches = computed(() => {
    const { jobId, status } = this.job.value ?? {};
    const seen = jobId !== undefined && status === "success" ? jobId : null;
    return this.shownSearches.value.filter(
      (search) => search.jobId !== this.searchId.value || search.jobId === seen,
    );
  });
  /** Prompts that the next search adds; none if it starts over. */
  readonly addedPrompts = computed((): readonly string[] => {
    const answered = this.#answeredSearches.value;
    const isAddition = this.type.value === "image" && promptsOf(answered).length > 0;
    return isAddition ? newPrompts(this.prompts.value, answered) : [];
  });
  /** True if something was found, and the fields contain no other search. */
  readonly isAnswered = computed(() => {
    const { value: prompts } = this.prompts;
    if (this.job.value?.status !== "success") return this.drawn.value.size > 0 && prompts.length === 0;
    const request = this.request.value;
    if (request !== null && this.threshold.value !== thresholdIn(request)) return false;
    if (request?.type === "video")
      return this.#asksForClipAgain(request) && prompts.join("\n") === (request.prompts ?? []).join("\n");
    const answered = promptsOf(this.#answeredSearches.value);
    return (
      prompts.length === answered.length && newPrompts(prompts, this.#answeredSearches.value).length === 0
    );
  });
  /** True if there is something to look for. */
  readonly hasQuestion = computed(() => this.prompts.value.length > 0 || this.regions.value.length > 0);
  readonly bytes = computed(() => bytesOf(this.pictures.value));
  readonly unsent = computed(() => this.pictures.value.filter(({ sending }) => sending.at === "failed"));
  /** The search that is seen; null if there is none. */
  readonly searchId = computed(() => this.asked.value?.jobId ?? this.job.value?.jobId ?? null);
  /** All jobs of this workspace, in no order. */
  readonly jobIds = computed((): readonly string[] => [
    ...new Set(
      [
        this.firstJob.value,
        this.searchId.value,
        ...this.searches.value.map(({ jobId }) => jobId),
        ...this.pointed.value.flatMap(({ attempts }) => attempts.map(({ jobId }) => jobId)),
      ].filter((jobId) => jobId !== null),
    ),
  ]);

  /** Takes pictures or a video. Failed uploads are noted in `refused`. */
  async add(given: readonly Given[]): Promise<void> {
    if (given.length === 0) return;
    const inspect = await loadScript(loadInspect).catch((error: Error) => error.message);
    if (typeof inspect === "string") return void (this.refused.value = [inspect]);
    const inspected = await mapParallel(given, PARALLEL, undefined, (each) => inspect(each, config.peek()));
    const { pictures, type: before } = this;
    const { type, accepted, refused } = take(inspected, pictures.value.length > 0, before.value);
    batch(() => {
      this.refused.value = refused;
      if (accepted.length === 0) return;
      this.type.value = type;
      this.pictures.value = [...this.pictures.value, ...accepted.map(givenPicture)];
      this.problem.value = null;
    });
  }

  /** Notes the request of a video's job, with its regions, if it was created elsewhere. */
  askedFor(request: VideoRequest, regions: readonly ClipRegion[]): void {
    if (this.request.value !== null) return;
    batch(() => {
      this.request.value = request;
      this.regions.value = regions;
      if (this.prompts.value.length === 0) this.prompts.value = request.prompts ?? [];
      if (request.fps !== undefined) this.fps.value = request.fps;
      this.threshold.value ??= thresholdIn(request);
    });
  }

  /** Opens a picture by its key or taskId; null opens all of them. */
  open(name: string | null): void {
    batch(() => {
      this.#isAll.value = name === null;
      if (name === null) return;
      const picture = this.pictures.peek().find((each) => taskIdOf(each) === name);
      this.openKey.value = picture?.key ?? name;
    });
  }

  /** Tells whether there is a picture's file: in this browser, by a share's link, or at the service. */
  hasOriginal(picture: Picture): boolean {
    return picture.file !== null || (this.inputs ?? this.kept.value)?.has(taskIdOf(picture)) === true;
  }

  /** A picture's file; null if there is none. @throws SegmentationError if it is not in this browser and can't be fetched */
  async original(picture: Picture): Promise<Blob | null> {
    const taskId = taskIdOf(picture);
    if (picture.file !== null || taskId === null) return picture.file;
    return (await (this.inputs ?? this.kept.value)?.fetch(taskId)) ?? null;
  }

  #asksForClipAgain({ fps, regions = [], tasks: [taskId = ""] }: VideoRequest): boolean {
    const now = regionsOn(taskId, this.regions.value);
    return (fps ?? this.fps.value) === this.fps.value && JSON.stringify(regions) === JSON.stringify(now);
  }

  /** Keeps the first pictures, as many as a job takes; the others wait for further jobs. */
  keepFirst(count: number): void {
    batch(() => {
      this.later.value = [...this.pictures.peek().slice(count), ...this.later.peek()];
      this.pictures.value = this.pictures.peek().slice(0, count);
    });
  }

  /** Takes back the pictures that wait for further jobs. */
  takeBackLater(): void {
    batch(() => {
      this.pictures.value = [...this.pictures.peek(), ...this.later.peek()];
      this.later.value = [];
    });
  }

  /** Takes a picture out. */
  remove(key: string): void {
    this.pictures.value = this.pictures.value.filter((picture) => picture.key !== key);
    this.pointed.value = this.pointed.value.filter(({ picture }) => picture !== key);
  }

  /** Notes something new of a picture. */
  change(key: string, news: Partial<Picture>): void {
    this.pictures.value = this.pictures.value.map((picture) =>
      picture.key === key ? { ...picture, ...news } : picture,
    );
  }

  /** Clears refusals for a missing sign-in after a new one. */
  forgetRefusals(): void {
    batch(() => {
      for (const { key, sending } of this.pictures.peek())
        if (sending.at === "failed" && isSignedOut(sending.error)) this.sent(key, { at: "here" });
      if (isSignedOut(this.problem.peek()?.error)) this.problem.value = null;
    });
  }

  /** Notes how far a picture's file is. */
  sent(key: string, sending: Sending): void {
    this.change(key, { sending });
  }

  /** The current picture; undefined if it was taken out. */
  picture(key: string): Picture | undefined {
    return this.pictures.peek().find((picture) => picture.key === key);
  }

  /** A picture's task in the job of the prompts. */
  taskOf(picture: Picture): JobStatus["tasks"][number] | undefined {
    const taskId = taskIdOf(picture);
    return this.job.value?.tasks.find((task) => task.taskId === taskId);
  }

  /** Tells whether a search on the screen has finished a picture. */
  isDone(picture: Picture): boolean {
    const isFound = this.found.value?.confidences.has(taskIdOf(picture) ?? "") === true;
    return isFound || this.taskOf(picture)?.status === "success";
  }

  /** Notes a search, unless it is known already. */
  addSearch(search: Search): void {
    const others = this.searches.peek().filter(({ jobId }) => jobId !== search.jobId);
    if (others.length < this.searches.peek().length) return;
    this.searches.value = [...others, search].toSorted((a, b) => a.at - b.at);
  }

  /** Notes that a search has failed. */
  noteFailure(jobId: string): void {
    this.searches.value = this.searches
      .peek()
      .map((search) => (search.jobId === jobId ? Object.assign({}, search, { hasFailed: true }) : search));
  }

  /** The picture of a task. */
  pictureOf(taskId: string): Picture | undefined {
    return this.pictures.peek().find((picture) => taskIdOf(picture) === taskId);
  }
}

const isSignedOut = (error: unknown): boolean => error instanceof SegmentationError && error.status === 401;

type VideoRequest = Extract<CreateJobRequest, { readonly type: "video" }>;
