/** The mask threshold of videos, whose jobs have none of their own: a pixel is set where it is rather inside than not. */
export const CLIP_MASK_THRESHOLD = 0.5;
