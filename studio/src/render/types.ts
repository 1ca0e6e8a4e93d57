/** Mask to draw on a picture, with its color. */
export interface TintedMask {
  /** The mask's file as the service wrote it. */
  readonly png: Blob;
  /** Bytes of sRGB; see the viewer's `maskColour`. */
  readonly rgb: readonly [red: number, green: number, blue: number];
}

/** A mask with the name of its object. */
export interface NamedMask extends TintedMask {
  readonly title: string;
}

/** Look of cut-outs. */
export interface CutOutStyle {
  /** True for an edge that is feathered by a pixel. */
  readonly isFeathered: boolean;
  /** True for the size of the whole picture, false for the object's own. */
  readonly isWhole: boolean;
  /** CSS color behind the object; null for none. */
  readonly background: string | null;
}
