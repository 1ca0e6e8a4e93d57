import { useEffect, useState } from "preact/hooks";

/** A picture on its way to the screen: `unshowable` if the browser can't decode it. */
export interface Shown {
  readonly bitmap: ImageBitmap | null;
  readonly isUnshowable: boolean;
}

const NOTHING: Shown = { bitmap: null, isUnshowable: false };

/** Decodes a picture as it is to be seen, its EXIF orientation applied. The one before stays until the next is there. */
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
