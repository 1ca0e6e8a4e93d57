import {
  BLOCKED,
  FOUND,
  NEW_KEY,
  NEW_TRIAL,
  NO_DOWNLOAD,
  NO_RESULT,
  PAID,
  PENDING,
  READY,
  RESULT,
  STATES,
  SUBSCRIPTIONS,
  UPLOAD,
  VIDEO_KILLED,
  VIDEO_PREVIEW,
  VIDEO_RESULT,
  VIDEO_ZIP,
  ZIP,
} from "../shared-proofs.ts";
import { section } from "../statement.ts";

const RESERVED =
  "operations/getAccountOverview: counts as consumed what a trial account's job under way has reserved, and names that job";

/** What the specification leaves open of its resources (section 2), as this service decides it. */
export const DECIDED_RESOURCES = [
  ...section(
    "2",
    [
      "Dates are ISO 8601, UTC, with milliseconds.",
      "operations/createJob/accepted: tells a trial account what is left with this job, and until when",
      STATES,
      NEW_KEY,
    ],
    [
      "Ids are opaque; a jobId sorts by time.",
      "unit/core/ids: of jobs are of one form, unique, and sort by the time at which they were made",
    ],
  ),
  ...section(
    "2.1",
    ["expiresIn of an upload is 300 seconds, the signature's real life.", UPLOAD],
    [
      "A PUT with another or no Content-Type is refused with 403.",
      "operations/createUploadPresign: signs the content type",
      "e2e/picture: refuses a PUT with another Content-Type, none, or another key than was signed",
    ],
    [
      "The extension of a taskId comes from the content type; an unknown subtype gives its own name.",
      "operations/createUploadPresign: gives %s the extension %s",
    ],
  ),
  ...section(
    "2.5",
    ["The result is manifest, assets and expiresIn; URLs live 900 seconds.", RESULT],
    ["inputId equals taskId, units is 1; URLs are signed, previewUrl's too.", RESULT],
    [
      "Items stand in the request's order, and only of tasks that succeeded.",
      RESULT,
      "e2e/picture: ends a batch of 10 of which 2 are broken as success: 8 items in the request's order, 2 task errors",
    ],
    ["Assets lie under masks/<taskId>/<maskIndex>.png and preview/<taskId>.png.", RESULT, FOUND],
    [
      "A video's manifest has taskId, inputId, units (the frames processed), generatedAt, masks, scoreThreshold, counts, and of fps, numFrames and maxFrames those in the request.",
      VIDEO_RESULT,
    ],
    [
      "A video's assets lie under masks/<taskId>/masks.json and preview/<taskId>.mp4.",
      VIDEO_RESULT,
      VIDEO_PREVIEW,
      VIDEO_ZIP,
    ],
    [
      "masks.json lists every sampled frame, with or without objects: sampleIdx, frameIdx, timeSec, objects.",
      "inference/video-output/masks-json: every frame is listed in order, with or without objects",
      "inference/service/video: frames without objects are listed too, and finding nothing is a success",
      VIDEO_KILLED,
    ],
    [
      "An object has objectId, promptIndex, score, box and rle; its objectId is stable over the frames.",
      "inference/service/video: an object that moves keeps its id, and is where it was at the frame's time",
      "inference/motion/motion: a cat over whose face the camera pans keeps its mask and its id, though the detector misses it for a second",
      "inference/tracking/scenes: at two frames a second those who cross, pass a pillar or return keep their ids",
    ],
    [
      "rle is the compressed COCO run-length encoding, column-major, zeros first.",
      "inference/masks/rle: an encoding of %s equals that of the mask, pixel by pixel",
      "inference/masks/rle: mask $index of $width × $height pixels has the reference implementation's counts",
    ],
    [
      "A browser plays the preview: it is video/mp4, and no attachment.",
      "jobs/video: is granted masks.json and preview.mp4 with their content types, as a browser shows and plays them",
    ],
    [
      "What is not of the job's type is neither stored nor taken as its end.",
      "jobs/video: is granted nothing else: %s",
      "jobs/video: is not ended by %s: refused by name, not stored, and what is right is taken after it",
      "unit/core/jobs/task-outputs: is refused where it is not, or names its files wrongly: %s",
    ],
    [
      "A mask is a single-channel PNG of 0 and 255, one an instance.",
      "inference/masks/png: a mask PNG is one-bit greyscale, and every chunk's checksum holds",
      "inference/masks/png: a PNG from %s shows the pixel-by-pixel computation as 0 and 255",
    ],
    [
      "It has the size of the picture as shown, EXIF orientation applied.",
      FOUND,
      "inference/pictures/decode: EXIF orientation is applied",
    ],
    [
      "maskIndex counts from 0 over all prompts, in the request's order, by descending confidence within a prompt.",
      "inference/service/tasks: masks count over all prompts in the request's order, by descending confidence, without empty ones",
    ],
    [
      "Each mask tells its prompt in an iTXt chunk.",
      "inference/masks/png: the prompt %j is in an iTXt chunk",
      "inference/masks/png: a reader finds the prompt",
    ],
    ["Before success, and of a failed job, the result is 409 job_not_ready.", NO_RESULT],
  ),
  ...section(
    "2.6",
    [
      "In the zip files lie under their asset keys, beside output_manifest.json, whose references are archive-relative.",
      ZIP,
      VIDEO_ZIP,
      FOUND,
    ],
    ["The zip is application/zip and an attachment.", ZIP, FOUND],
    [
      "retryAfterSeconds is 2 while pending, 5 while processing, null after that.",
      PENDING,
      "operations/retrieveJobDownload: is built by another when its builder was cut off",
      READY,
    ],
    ["downloadUrl lives 300 seconds and is signed anew on each GET.", READY],
    [
      "An archive is purged 24 hours after it became ready (expiresAt); then it may be asked for again.",
      READY,
      "operations/retrieveJobDownload: is purged 24 hours after it became ready; then it may be asked for again",
    ],
    [
      "POST while one is under way or ready returns that one.",
      "operations/createJobDownload: starts one archive, however often it is asked for",
      "operations/createJobDownload: gives the archive that is ready",
    ],
    [
      "A failed archive is started anew by POST.",
      "operations/retrieveJobDownload: has failed, by name, when an output is gone; asked for again it is started anew",
    ],
    [
      "GET before any POST is 404 download_not_requested.",
      "operations/retrieveJobDownload: says that no archive was requested before any POST",
    ],
    ["POST before success, and of a failed job, is 409 job_not_downloadable.", NO_DOWNLOAD],
  ),
  ...section("2.8", [
    "All fields of an account are present; image may be null, name is the part of the e-mail before the @ where there is none.",
    "operations/getAccount: answers with the account of the credential, each field present",
  ]),
  ...section(
    "2.9",
    ["The overview has tokenUsageLast24h, billing, access and trial, with their fields.", NEW_TRIAL],
    [
      "access of a trial, a paid and a blocked account, by mode and reason, with its limits.",
      NEW_TRIAL,
      PAID,
      BLOCKED,
    ],
    [
      "trial is eligible, active, exhausted or expired.",
      NEW_TRIAL,
      RESERVED,
      "operations/getAccountOverview: tells that a trial has ended: %s",
    ],
    [
      "billing has what the payment provider says.",
      SUBSCRIPTIONS,
      "operations/getAccountOverview: tells of a customer who never subscribed only that there is no subscription",
    ],
    [
      "tokenUsageLast24h counts the units of the last day.",
      "operations/getAccountOverview: counts the units of the last 24 hours of trial and paid jobs alike, and no others'",
    ],
  ),
];
