/** A frame's size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
