/** Mask to draw on a picture, with its color. */
export interface TintedMask {
  /** The mask's file as the service wrote it. */
  readonly png: Blob;
  /** Bytes of sRGB; see the viewer's `maskColour`. */
  readonly rgb: readonly [red: number, green: number, blue: number];
}
