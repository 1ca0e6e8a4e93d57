import { useEffect, useRef } from "preact/hooks";
import type { JobSummary } from "segmentation-client";
import { Icon } from "../../components/icon.tsx";
import { findOriginal } from "../../work/originals.ts";

/** Twice the size on the screen, for screens that have more pixels. */
const SIDE = 96;

/** Draws the middle square of a picture; the browser decodes it elsewhere than on the main thread. */
async function drawSquare(canvas: HTMLCanvasElement, file: Blob, aborted: AbortSignal): Promise<void> {
  const whole = await createImageBitmap(file);
  const side = Math.min(whole.width, whole.height);
  const [left, top] = [(whole.width - side) / 2, (whole.height - side) / 2];
  if (!aborted.aborted) canvas.getContext("2d")?.drawImage(whole, left, top, side, side, 0, 0, SIDE, SIDE);
  whole.close();
}

export interface ThumbnailProps {
  /** The job's first upload; null while that is not known. */
  readonly taskId: string | null;
  readonly type: JobSummary["type"];
}

/** A job's first picture if this browser sent it, else a sign: the service gives no original back. */
export function Thumbnail({ taskId, type }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (taskId === null || type === "video") return () => {};
    const controller = new AbortController();
    const show = async (): Promise<void> => {
      const original = await findOriginal(taskId);
      if (original !== null && canvas.current !== null && !controller.signal.aborted)
        await drawSquare(canvas.current, original.file, controller.signal);
    };
    // What can't be drawn keeps its sign.
    show().catch(() => {});
    return () => controller.abort();
  }, [taskId, type]);
  return (
    <span class="job-thumbnail">
      <Icon name="picture" />
      <canvas ref={canvas} width={SIDE} height={SIDE} aria-hidden="true" />
    </span>
  );
}
