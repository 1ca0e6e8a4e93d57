import { MOST_MASKS_PER_TASK } from "./outputs.ts";

/** A class of objects in COCO's format and YOLO's. */
export interface Category {
  readonly id: number;
  readonly name: string;
}

/** The id of a prompt's category. A YOLO class counts from 0 instead. */
export const categoryIdOf = (promptIndex: number): number => promptIndex + 1;

/**
 * The categories of a job, in the order of their ids: its prompts, then the names of its regions' objects, each once. A
 * region with a prompt's name has that prompt's category.
 * @param regionNames by `nameOf`, in the order of the regions
 */
export function categoriesOf(prompts: readonly string[], regionNames: readonly string[] = []): Category[] {
  const others = [...new Set(regionNames)].filter((name) => !prompts.includes(name));
  return [...prompts, ...others].map((name, index) => ({ id: categoryIdOf(index), name }));
}

/** The id of a region's category, by its object's name. @param categories by `categoriesOf` */
export const regionCategoryId = (categories: readonly Category[], name: string): number =>
  categories.find((category) => category.name === name)?.id ?? categoryIdOf(categories.length);

/** The COCO id of a picture or a video by its place in its job, from 0. */
export const imageIdOf = (index: number): number => index + 1;

/** The COCO id of a picture's mask, unique in its job. */
export const annotationIdOf = (index: number, maskIndex: number): number =>
  index * MOST_MASKS_PER_TASK + maskIndex + 1;

/*
 * Lines of a COCO document, so that code that merges a job's documents copies annotations without parsing them. The
 * first line has everything else, then each annotation has a line, all but the first after a comma.
 */

/** A document's first line: `head`'s fields, then the list of annotations is open. */
export const openAnnotations = (head: object): string =>
  `${JSON.stringify({ ...head, annotations: [] }).slice(0, -"]}".length)}\n`;

/** The line of an annotation. */
export const annotationLine = (annotation: object, isFirst: boolean): string =>
  `${isFirst ? "" : ","}${JSON.stringify(annotation)}\n`;

/** Closes the list of annotations, and the document with `rest`'s fields. */
export function closeAnnotations(rest: object = {}): string {
  const fields = JSON.stringify(rest).slice("{".length);
  return `]${fields === "}" ? "" : ","}${fields}\n`;
}

/** The end of a document that has nothing after its annotations. */
export const END_OF_ANNOTATIONS: string = closeAnnotations();

/** The fields of a document's first line. @throws SyntaxError if it is not one of `openAnnotations` */
export const parseHead = (firstLine: string): unknown => JSON.parse(`${firstLine}]}`);
