import { useEffect, useRef } from "preact/hooks";
import type { JobSummary } from "segmentation-client";
import { Icon } from "../../components/icon.tsx";
import { findOriginal } from "../../work/originals.ts";

/** Twice the size on the screen, for screens that have more pixels. */
const SIDE = 96;

/** Draws the middle square of a picture. */
function drawSquare(canvas: HTMLCanvasElement, whole: ImageBitmap): void {
  const side = Math.min(whole.width, whole.height);
  const [left, top] = [(whole.width - side) / 2, (whole.height - side) / 2];
  canvas.getContext("2d")?.drawImage(whole, left, top, side, side, 0, 0, SIDE, SIDE);
}

/** A clip's first frame. @throws if the browser can't play the file */
async function firstFrame(file: Blob): Promise<ImageBitmap> {
  const url = URL.createObjectURL(file);
  const video = document.createElement("video");
  try {
    const isThere = new Promise((resolve, reject) => {
      video.addEventListener("loadeddata", resolve);
      video.addEventListener("error", reject);
    });
    Object.assign(video, { muted: true, preload: "auto", src: url });
    await isThere;
    return await createImageBitmap(video);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export interface ThumbnailProps {
  /** The job's first upload; null while that is not known. */
  readonly taskId: string | null;
  readonly type: JobSummary["type"];
}

/** A job's first picture, or its clip's first frame, if this browser sent it, else a sign: the service gives no original back. */
export function Thumbnail({ taskId, type }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (taskId === null) return () => {};
    const controller = new AbortController();
    const show = async (): Promise<void> => {
      const original = await findOriginal(taskId);
      if (original === null || controller.signal.aborted) return;
      const whole = await (type === "video" ? firstFrame(original.file) : createImageBitmap(original.file));
      if (canvas.current !== null && !controller.signal.aborted) drawSquare(canvas.current, whole);
      whole.close();
    };
    // What can't be drawn keeps its sign.
    show().catch(() => {});
    return () => controller.abort();
  }, [taskId, type]);
  return (
    <span class="job-thumbnail">
      <Icon name={type === "video" ? "clip" : "picture"} />
      <canvas ref={canvas} width={SIDE} height={SIDE} aria-hidden="true" />
    </span>
  );
}
