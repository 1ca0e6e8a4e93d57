/** A mask to draw on a picture. */
export interface BakedMask {
  /** The mask's file as the service wrote it. */
  readonly png: Blob;
  /** Bytes of sRGB; see the viewer's `maskColour`. */
  readonly rgb: readonly [red: number, green: number, blue: number];
}

/** A mask with what a file says of it. */
export interface NamedMask {
  readonly png: Blob;
  /** What the object is called: its prompt, or a name that a person gave; null if neither. */
  readonly label: string | null;
  /** 0 to 1. */
  readonly confidence: number;
}
