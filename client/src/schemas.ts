import type { components } from "./contract.ts";

type Schemas = components["schemas"];

/** The contract's objects by their names. */
export type AcceptedJob = Schemas["AcceptedJob"];
export type AnnotationsDocument = Schemas["AnnotationsDocument"];
export type ArchiveDownload = Schemas["ArchiveDownload"];
export type CreateJobRequest = Schemas["CreateJobRequest"];
export type ErrorObject = Schemas["ErrorObject"];
export type ImageJobRequest = Schemas["ImageJobRequest"];
export type ImageManifest = Schemas["ImageManifest"];
export type JobAnnotations = Schemas["JobAnnotations"];
export type JobResult = Schemas["JobResult"];
export type JobStatus = Schemas["JobStatus"];
export type JobSummary = Schemas["JobSummary"];
export type SavedAnnotations = Schemas["SavedAnnotations"];
export type Upload = Schemas["Upload"];
export type VideoJobRequest = Schemas["VideoJobRequest"];
export type VideoManifest = Schemas["VideoManifest"];
