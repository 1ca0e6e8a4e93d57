import { FOUND } from "../shared-proofs.ts";
import { section } from "../statement.ts";

const TOLD =
  "jobs/formats: which formats a task's result is written in, and the upload's name and place in its job";
const EVERY =
  "inference/service/formats: a picture's masks are in each format that its task wants, as others read them";
const ASSETS =
  "operations/retrieveJobResult: gives a picture's files in the formats that the job asked for as assets, and the manifest as ever";
const ARCHIVE =
  "jobs/formats: of several pictures has one COCO document of them all, the labels' classes, and each picture's own files";
const CLIP = "inference/service/formats: a clip's document has its frames as images, and each object's track";

/** Results in the formats that people train and edit with. */
export const ADDED_FORMATS = section(
  "A4",
  ["createJob takes formats, any of coco, yolo, cutout and labelmap for pictures.", TOLD, FOUND],
  [
    "A video takes coco alone; a format of another type, or one that there is not, is 400.",
    "operations/createJob/request: refuses %s",
    "operations/createJob/request: refuses a video job with %s",
  ],
  [
    "A job that asks for no format has the offer, the result and the archive that it always had.",
    "jobs/formats: of no formats where the job asked for none: %j",
    "inference/service/formats: a task that wants no format reports what it always did",
    "every-operation/recorded-walk: the fourteen operations answer a client that uses no addition byte for byte as recorded",
  ],
  ["The files stand in the result's assets, and in the archive under their keys.", ASSETS, ARCHIVE, FOUND],
  [
    "coco: annotations/<taskId>.json, with images, categories (id = promptIndex + 1) and annotations of bbox, area, score, iscrowd 0 and a compressed RLE.",
    EVERY,
    FOUND,
  ],
  [
    "The archive has annotations.json of the whole job; ids are unique in it.",
    ARCHIVE,
    "unit/core/archives/join-annotations: the documents of a job's pictures become one, with all images and annotations in their order, however they arrive",
    "jobs/formats: has the same bytes when it takes several messages, whichever file a message ends at",
  ],
  [
    "yolo: labels/<taskId>.txt, a line for each part of an object, with its class and its outline as shares of the picture's sides; holes are joined by a cut.",
    EVERY,
    "inference/formats/yolo-lines: a hole is joined to what surrounds it by a cut, an island in the hole has a line of its own",
    "inference/formats/yolo-lines: the polygons of any mask have exactly its pixels inside, holes and islands included, and a line for each part",
  ],
  [
    "Drawn again, an outline has an IoU of 0.97 and more with its mask, for masks of over 1,000 pixels.",
    "inference/formats/yolo-lines: drawn again as the COCO API draws polygons, blobs with holes and islands have an IoU of 0.97 and more with their masks",
    "inference/formats/yolo-lines: so have all labelled objects of photographs",
    FOUND,
  ],
  [
    "The archive has a data.yaml with the labels' classes.",
    ARCHIVE,
    "unit/core/archives/plan: the dataset of labels for YOLO names its classes by their numbers, whatever words the prompts are",
  ],
  [
    "cutout: cutouts/<taskId>/<maskIndex>.png, the object with transparency, cropped to its box.",
    EVERY,
    FOUND,
  ],
  [
    "labelmap: labelmaps/<taskId>.png, one channel, maskIndex + 1, 16 bits past 255; where masks overlap the more confident one stands.",
    EVERY,
    "inference/formats/limits: a label map tells more than 255 masks apart, and keeps those that came before",
  ],
  [
    "A video's COCO document lists its frames' annotations with video_id and track_id.",
    CLIP,
    "operations/retrieveJobResult: gives a video's COCO annotations as an asset behind its masks",
    "jobs/formats: of a clip has its COCO document under the job's name too, and of a job without formats nothing more than ever",
  ],
  [
    "What a job's formats may take is bounded: beyond it the task fails as formats_too_large.",
    "inference/formats/limits: %s that would exceed their limit fail the task and say what to do",
    "jobs/formats: of half as many masks where each has a cut-out beside it, because a job has no more files for that",
  ],
);
