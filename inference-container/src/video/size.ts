/** Of a frame, in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}
