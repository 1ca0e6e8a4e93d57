import { useEffect, useState } from "preact/hooks";
import { useLoaded } from "../../../state/requests.ts";
import { taskIdOf } from "../../../workspace/rules/picture.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** A picture on its way to the screen: `unshowable` if the browser can't decode it. */
interface Shown {
  readonly bitmap: ImageBitmap | null;
  readonly isUnshowable: boolean;
}

const NOTHING: Shown = { bitmap: null, isUnshowable: false };

/** Decodes a picture with its EXIF orientation applied. The previous bitmap stays until the next one is ready. */
export function useBitmap(file: Blob | null): Shown {
  const [shown, setShown] = useState<Shown & { readonly file: Blob | null }>({ ...NOTHING, file: null });
  useEffect(() => {
    let isWanted = true;
    let made: ImageBitmap | null = null;
    const decode = async (of: Blob): Promise<void> => {
      try {
        made = await createImageBitmap(of, { imageOrientation: "from-image" });
      } catch {
        made = null;
      }
      if (isWanted) setShown({ bitmap: made, isUnshowable: made === null, file: of });
      else made?.close();
    };
    if (file !== null) void decode(file);
    return () => {
      isWanted = false;
      made?.close();
    };
  }, [file]);
  return shown.file === file ? shown : NOTHING;
}

/** The service's preview of the open picture, if this browser doesn't have the picture itself and the job has one. */
export function usePreview(workspace: Workspace): Blob | null {
  const picture = workspace.openPicture.value;
  const found = workspace.found.value;
  const taskId = picture === null || workspace.hasOriginal(picture) ? null : taskIdOf(picture);
  // Without the preview the masks are still there.
  const { value } = useLoaded(
    async () =>
      taskId === null || found === null
        ? null
        : { taskId, file: await found.preview(taskId).catch(() => null) },
    [taskId, found],
  );
  return value.value?.taskId === taskId ? value.value.file : null;
}
