/** Mask to draw on a picture, with its color. */
export interface TintedMask {
  /** The mask's file as the service wrote it. */
  readonly png: Blob;
  /** Bytes of sRGB; see the viewer's `maskColour`. */
  readonly rgb: readonly [red: number, green: number, blue: number];
}

/** Mask with its label and confidence, for files. */
export interface NamedMask {
  readonly png: Blob;
  /** The object's label: its prompt, or a name that a person gave; null if neither. */
  readonly label: string | null;
  /** 0 to 1. */
  readonly confidence: number;
}
