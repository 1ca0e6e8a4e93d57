import { useSignal } from "@preact/signals";
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
  if (error.value !== null) return <Problem error={error.value} />;
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
  if (status.value?.status === "failed")
    return (
      <Notice tone="danger" title="The clip could not be segmented">
        {(status.value.tasks[0]?.error ?? status.value.error ?? "").replace(/^[a-z_]+: /, "")}
      </Notice>
    );
  if (status.value?.status === "success" || status.value === null)
    return <Waiting what="Fetching the masks" />;
  return (
    <section class="clip" aria-label="Clip">
      {url !== null && (
        <video class="clip-before" src={url} muted playsInline controls aria-label={name ?? "The clip"} />
      )}
      <div class="clip-progress" role="status">
        <progress max={1} value={share.value} aria-label="Share of the frames that are done" />
        <span>
          {status.value.status === "queued"
            ? "The clip waits for its turn"
            : `${Math.round(share.value * 100)} % of the frames are segmented`}
        </span>
      </div>
    </section>
  );
}
