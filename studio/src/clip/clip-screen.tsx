import { useSignal } from "@preact/signals";
import type { JobStatus } from "segmentation-client";
import { Problem } from "../components/problem.tsx";
import { Notice } from "../components/notice.tsx";
import { Waiting } from "../components/waiting.tsx";
import type { RunAgain } from "../take-away/types.ts";
import { ClipResult } from "./clip-result.tsx";
import { useObjectUrl } from "./use-object-url.ts";
import { useClipJob } from "./use-clip-job.ts";
import "./clip.css";

export interface ClipScreenProps {
  readonly jobId: string;
  /** The clip's file, if this browser has it. */
  readonly original: Blob | null;
  /** The file's name, if it is known. */
  readonly name?: string | undefined;
  /** Runs the job again for what it lacks. */
  readonly onRunAgain?: ((change: RunAgain) => void) | undefined;
}

/** A clip's job: how far it is, then the clip with its masks and when each object is seen. */
export default function ClipScreen({ jobId, original, name, onRunAgain }: ClipScreenProps) {
  const chosen = useSignal<File | null>(null);
  const file = original ?? chosen.value;
  const url = useObjectUrl(file);
  const { status, share, found, error } = useClipJob(jobId);
  if (found.value !== null)
    return (
      <ClipResult
        {...found.value}
        url={url}
        name={name ?? chosen.value?.name ?? "Clip"}
        onChoose={(one) => {
          chosen.value = one;
        }}
        onRunAgain={onRunAgain}
      />
    );
  return (
    <section class="clip" aria-label="Clip">
      {error.value !== null ? (
        <Problem error={error.value} />
      ) : status.value === null || status.value.status === "success" ? (
        <Waiting what="Fetching the masks" />
      ) : status.value.status === "failed" ? (
        <Notice tone="danger" title="The clip could not be segmented">
          {sentenceOf(status.value)}
        </Notice>
      ) : (
        <UnderWay
          name={name ?? "The clip"}
          url={url}
          isQueued={status.value.status === "queued"}
          share={share.value}
        />
      )}
    </section>
  );
}

/** Why a job failed, without the code. */
const sentenceOf = ({ tasks, error }: JobStatus): string =>
  (tasks[0]?.error ?? error ?? "").replace(/^[a-z_]+: /, "");

interface UnderWayProps {
  readonly name: string;
  readonly url: string | null;
  readonly isQueued: boolean;
  /** How much of the job is done, 0 to 1. */
  readonly share: number;
}

/** The clip while its job is under way, and how far that is. */
const UnderWay = ({ name, url, isQueued, share }: UnderWayProps) => (
  <>
    {url !== null && <video class="clip-before" src={url} muted playsInline controls aria-label={name} />}
    <div class="clip-progress" role="status">
      <progress max={1} value={share} aria-label="Share of the frames that are done" />
      <span>
        {isQueued
          ? "The clip waits for its turn"
          : `${Math.round(share * 100)} % of the frames are segmented`}
      </span>
    </div>
  </>
);
