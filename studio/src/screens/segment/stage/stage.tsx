import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazyPart } from "../../../components/lazy/lazy-part.tsx";
import { Notice, Waiting } from "../../../components/layout/notice.tsx";
import { keep } from "../../../workspace/jobs/point.ts";
import { showMasks } from "../../../workspace/masks/fetch-masks.ts";
import type { Picture } from "../../../workspace/rules/picture.ts";
import { type Instance, nameOf } from "../../../workspace/rules/instances.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { Search } from "../../../workspace/rules/searches.ts";
import type { Region } from "../../../viewer/types.ts";
import { pictureSurface, useLostFocus } from "../../../state/lost-focus.ts";
import { isVisitor } from "../../../state/session.ts";
import { isCanceled, sentenceOf } from "../../../text/task-problems.ts";
import { Absent } from "./absent.tsx";
import type { ViewState } from "../state/view-state.ts";
import { Progress } from "./progress.tsx";
import { Tools } from "./tools.tsx";
import { useBitmap, usePreview } from "./use-bitmap.ts";
import "./stage.css";

const PictureViewer = lazyPart(
  async () => (await import("../../../viewer/picture-viewer.tsx")).PictureViewer,
);

const ComparePane = lazyPart(async () => (await import("./compare-pane.tsx")).ComparePane);

const ClipScreen = lazyPart(async () => (await import("../../../clip/clip-screen.tsx")).default);

/** The open picture, or the video, with the progress of its job. */
export function Stage({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const picture = workspace.openPicture.value;
  return (
    <section
      class="stage"
      aria-label="Picture"
      data-compared={comparedWith(viewState) !== null}
      data-tools={!isVisitor.value}
    >
      {picture === null ? (
        workspace.opening.value && <Waiting what="Loading the job" />
      ) : workspace.type.value === "video" && picture.file === null && workspace.hasOriginal(picture) ? (
        <Waiting what="Loading the video" />
      ) : workspace.type.value === "video" ? (
        <div class="stage-pane">
          <ClipScreen workspace={workspace} picture={picture} />
        </div>
      ) : (
        <PictureOf viewState={viewState} />
      )}
      <Progress workspace={workspace} />
    </section>
  );
}

/** Returns the comparison with the open picture: an object before it was corrected, or another search; null if there is none. */
function comparedWith({ refining, comparing }: ViewState): Instance | Search | null {
  if (refining.target.value === null) return comparing.search.value;
  return refining.isCompared.value ? refining.before.value : null;
}

function PictureOf({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const picture = workspace.openPicture.value;
  const preview = usePreview(workspace);
  const { bitmap, isUnshowable } = useBitmap(picture?.file ?? preview);
  const found = workspace.found.value;
  const key = picture?.key;
  useEffect(() => {
    if (found !== null && key !== undefined) void showMasks(workspace, key);
  }, [found, key]);
  useEffect(
    () => () => {
      if (key !== undefined) keep(workspace, key);
    },
    [workspace, key],
  );
  // Another picture has another viewer, and what opened it may be gone.
  useLostFocus(pictureSurface);
  const [first] = viewState.instances.value;
  const before = comparedWith(viewState);
  const size = first ?? bitmap;
  if (picture === null) return null;
  const point = (region: Region, replacesLatest: boolean): void => {
    viewState.complaint.value = null;
    // Until the mask is there, its preview is.
    void viewState.refining.point(region, replacesLatest).then(() => viewState.previewing.clear());
  };
  return (
    <>
      {before !== null && "prompts" in before && size !== null && (
        <ComparePane viewState={viewState} search={before} picture={picture} bitmap={bitmap} size={size} />
      )}
      {before !== null && "object" in before && size !== null && (
        <div class="stage-before">
          <PictureViewer
            label={`${nameOf(before)} before`}
            picture={bitmap}
            size={size}
            layers={viewState.refining.layersBefore.value}
            opacity={viewState.opacity}
            highlighted={viewState.refining.highlightedBefore}
            tool="pan"
          />
          <p class="stage-caption">Before</p>
        </div>
      )}
      {size !== null && (
        <PictureViewer
          key={picture.key}
          label={picture.name || "The job’s picture"}
          picture={bitmap}
          size={size}
          layers={viewState.previewing.layers.value}
          opacity={viewState.opacity}
          highlighted={viewState.highlighted}
          hasNames={viewState.hasNames.value}
          tool={isVisitor.value ? "pan" : viewState.tool.value}
          pendingRegions={viewState.refining.pendingRegions.value}
          selected={viewState.painting.target.value?.id ?? null}
          onSelect={(mask) => {
            const region = viewState.previewing.regionOf(mask);
            if (region === null) return viewState.selectMask(mask);
            point(region, false);
            return true;
          }}
          {...(!isVisitor.value && { onSelectMany: (masks) => viewState.selecting.toggleMasks(masks) })}
          selection={viewState.selecting.masks.value}
          onRegion={point}
          onAim={(aim) => viewState.previewing.aim(aim)}
          onKeep={() => viewState.refining.keep()}
          brush={{
            radius: viewState.painting.radiusIn(size),
            colour:
              viewState.painting.target.value === null || viewState.tool.value === "eraser"
                ? null
                : viewState.colour(viewState.painting.target.value).css,
          }}
          onStroke={(points, mask) => viewState.painting.paint(points, mask)}
          {...(before !== null && "prompts" in before && { shared: viewState.comparing.view })}
        />
      )}
      {bitmap !== null && !isVisitor.value && <Tools viewState={viewState} />}
      <TaskProblem workspace={workspace} picture={picture} isAlone={size === null} />
      {bitmap === null && (
        <Absent
          workspace={workspace}
          picture={picture}
          isUnshowable={isUnshowable}
          hasMasks={first !== undefined}
        />
      )}
    </>
  );
}

interface TaskProblemProps {
  readonly workspace: Workspace;
  readonly picture: Picture;
  /** There is no picture that it would cover. */
  readonly isAlone: boolean;
}

/** The reason why the open picture failed, or its task's notice. */
function TaskProblem({ workspace, picture, isAlone }: TaskProblemProps) {
  const task = workspace.taskOf(picture);
  const isClosed = useSignal<string | null>(null);
  if (task === undefined || task.error === null || isClosed.value === task.error) return null;
  const { error } = task;
  const wasCanceled = isCanceled(error);
  const hasFailed = task.status === "failed" && !wasCanceled;
  const title = wasCanceled
    ? "Canceled"
    : hasFailed
      ? workspace.isDone(picture)
        ? `${workspace.request.value?.prompts?.join(", ") || "The latest words"} could not be looked for`
        : "This picture could not be segmented"
      : error.startsWith("prompt_outside_vocabulary")
        ? "Some words aren’t in the model’s vocabulary"
        : "Not everything could be searched for";
  return (
    <div class="stage-problem" data-alone={isAlone}>
      <Notice
        tone={wasCanceled ? "plain" : hasFailed ? "danger" : "warning"}
        title={title}
        {...(!hasFailed && { onClose: () => (isClosed.value = error) })}
      >
        {wasCanceled ? "You can segment it again whenever you like." : sentenceOf(error)}
      </Notice>
    </div>
  );
}
