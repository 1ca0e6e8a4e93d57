/** A picture's or a frame's size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
