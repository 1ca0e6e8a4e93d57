import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type CreateJobRequest, type JobStatus, VideoResult } from "segmentation-client";
import { api, session } from "../state/session.ts";

/** What a clip's job has found. */
export interface FoundClip {
  readonly result: VideoResult;
  /** The same job once more. */
  readonly request: CreateJobRequest;
}

/** A clip's job as its screen follows it. */
export interface ClipJob {
  readonly status: ReadonlySignal<JobStatus | null>;
  /** How much of the job is done, 0 to 1. */
  readonly share: ReadonlySignal<number>;
  readonly found: ReadonlySignal<FoundClip | null>;
  readonly error: ReadonlySignal<unknown>;
}

/** Follows a clip's job until it has ended, and fetches what it has found. */
export function useClipJob(jobId: string): ClipJob {
  const status = useSignal<JobStatus | null>(null);
  const share = useSignal(0);
  const found = useSignal<ClipJob["found"]["value"]>(null);
  const error = useSignal<unknown>(null);
  const follow = async (signal: AbortSignal): Promise<void> => {
    if (!session.value) return;
    const { client } = session.value;
    for await (const { job, progress } of client.watchJob(jobId, { signal })) {
      status.value = job;
      share.value = progress;
    }
    if (status.value?.status !== "success") return;
    const [result, { manifest, assets }] = await Promise.all([
      client.result(jobId, { signal }),
      api.value.retrieveJobResult({ jobId }, { signal }),
    ]);
    const [item] = manifest.type === "video" ? manifest.items : [];
    if (!(result instanceof VideoResult) || item === undefined)
      throw new TypeError("This is not a video job.");
    const { fps, numFrames, maxFrames, scoreThreshold } = item;
    const has = (folder: string): boolean => assets.some(({ key }) => key.startsWith(folder));
    const request: CreateJobRequest = {
      type: "video",
      prompts: [...manifest.prompts],
      tasks: [result.taskId],
      ...(fps !== undefined && { fps }),
      ...(numFrames !== undefined && { numFrames }),
      ...(maxFrames !== undefined && { maxFrames }),
      scoreThreshold,
      generatePreview: has("preview/"),
      formats: has("annotations/") ? ["coco"] : [],
    };
    found.value = { result, request };
  };
  useEffect(() => {
    const controller = new AbortController();
    void follow(controller.signal).catch((reason: unknown) => {
      if (!controller.signal.aborted) error.value = reason;
    });
    return () => controller.abort();
  }, [jobId]);
  return { status, share, found, error };
}
