import { ErrorBoundary } from "preact-iso";
import { useEffect } from "preact/hooks";
import { lazyPart } from "../../components/lazy-part.tsx";
import { Waiting } from "../../components/waiting.tsx";
import { showMasks } from "../../work/fetch-masks.ts";
import { point } from "../../work/point.ts";
import { reopen } from "../../work/reopen.ts";
import { segment } from "../../work/run.ts";
import type { Picture } from "../../work/picture.ts";
import type { Work } from "../../work/work.ts";
import { Absent } from "./absent.tsx";
import type { Look } from "./look.ts";
import { Progress } from "./progress.tsx";
import { TaskProblem } from "./task-problem.tsx";
import { Tools } from "./tools.tsx";
import { useBitmap } from "./use-bitmap.ts";
import { useObjectUrl } from "./use-object-url.ts";
import { usePreview } from "./use-preview.ts";
import "./stage.css";

const PictureViewer = lazyPart(async () => (await import("../../viewer/index.ts")).PictureViewer);

const ClipScreen = lazyPart(async () => (await import("../../clip/clip-screen.tsx")).default);

export interface StageProps {
  readonly work: Work;
  readonly look: Look;
}

/** The open picture, or the clip, with what is under way for it. */
export function Stage({ work, look }: StageProps) {
  const picture = work.openPicture.value;
  return (
    <section class="stage" aria-label="Picture">
      {picture === null ? (
        work.opening.value && <Waiting what="Loading the job" />
      ) : work.type.value === "video" ? (
        <Clip work={work} picture={picture} />
      ) : (
        <PictureOf work={work} look={look} />
      )}
      {(work.type.value === "image" || work.job.value === null) && <Progress work={work} />}
    </section>
  );
}

function Clip({ work, picture }: { readonly work: Work; readonly picture: Picture }) {
  const url = useObjectUrl(picture.file);
  const jobId = work.job.value?.jobId;
  if (jobId !== undefined)
    return (
      <div class="stage-pane">
        <ErrorBoundary>
          <ClipScreen
            key={jobId}
            jobId={jobId}
            original={picture.file}
            name={picture.name || undefined}
            onChoose={(file) => void reopen(work, picture, file)}
            onFound={(request) => work.asked(request)}
            onRunAgain={(request) => void segment(work, request)}
          />
        </ErrorBoundary>
      </div>
    );
  return url === null ? null : <video class="stage-clip" src={url} controls muted playsInline />;
}

function PictureOf({ work, look }: StageProps) {
  const picture = work.openPicture.value;
  const preview = usePreview(work);
  const { bitmap, isUnshowable } = useBitmap(picture?.file ?? preview);
  const found = work.found.value;
  const key = picture?.key;
  useEffect(() => {
    if (found !== null && key !== undefined) void showMasks(work, key);
  }, [found, key]);
  const [first] = look.instances.value;
  const size = first ?? bitmap;
  if (picture === null) return null;
  return (
    <>
      {size !== null && size !== undefined && (
        <ErrorBoundary>
          <PictureViewer
            key={picture.key}
            label={picture.name || "The job's picture"}
            picture={bitmap}
            size={{ width: size.width, height: size.height }}
            layers={look.layers.value}
            opacity={look.opacity}
            highlighted={look.highlighted}
            tool={look.tool.value}
            drafts={look.drafts.value}
            onRegion={(region, replacesLatest) => point(work, region, replacesLatest)}
          />
        </ErrorBoundary>
      )}
      {bitmap !== null && <Tools work={work} look={look} />}
      <TaskProblem work={work} picture={picture} isAlone={size === null || size === undefined} />
      {bitmap === null && (
        <Absent work={work} picture={picture} isUnshowable={isUnshowable} hasMasks={first !== undefined} />
      )}
    </>
  );
}
