/** The mask threshold of videos, whose jobs set none: a pixel is set if it is more likely inside than outside. */
export const CLIP_MASK_THRESHOLD = 0.5;
