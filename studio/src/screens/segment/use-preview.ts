import { useEffect, useState } from "preact/hooks";
import { taskIdOf } from "../../work/picture.ts";
import type { Work } from "../../work/work.ts";

/** The service's preview of the open picture, if this browser doesn't have the picture itself and the job has one. */
export function usePreview(work: Work): Blob | null {
  const [preview, setPreview] = useState<{ readonly of: string; readonly file: Blob | null } | null>(null);
  const picture = work.openPicture.value;
  const found = work.found.value;
  const taskId = picture === null || picture.file !== null ? null : taskIdOf(picture);
  useEffect(() => {
    if (taskId === null || found === null) return;
    let isWanted = true;
    // Without the preview the masks are there all the same.
    const fetchIt = async (): Promise<void> => {
      const file = await found.preview(taskId).catch(() => null);
      if (isWanted) setPreview({ of: taskId, file });
    };
    void fetchIt();
    return () => {
      isWanted = false;
    };
  }, [taskId, found]);
  return preview !== null && preview.of === taskId ? preview.file : null;
}
