import { yoloDataset } from "@segmentation/masks";
import { categoriesOfJob } from "../../jobs/rules/define.ts";
import { sha256Hex } from "../../shared/digest.ts";
import type { FinishedJob } from "../../jobs/rules/answers.ts";
import { annotationsOf, assetsOf, manifestOf, type Asset } from "../../jobs/rules/result.ts";

const MANIFEST_NAME = "output_manifest.json";
const DATASET_NAME = "data.yaml";
const ANNOTATIONS_NAME = "annotations.json";

/** A file that is generated for the archive. */
export interface MadeFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The COCO document of an image job: those of its pictures, joined while the archive is written. */
interface JoinedDocuments {
  readonly key: string;
  readonly documents: readonly Asset[];
}

/** A file whose bytes are in the bucket; its key is its name in the archive. */
export type FetchedFile = Asset | JoinedDocuments;

/**
 * The content of a job's archive, in order: the generated files, the manifest first; then the fetched ones, every asset under its
 * key.
 */
export interface ArchivePlan {
  readonly made: readonly MadeFile[];
  readonly fetched: readonly FetchedFile[];
  readonly names: readonly string[];
  /** The same for the same files from the same places, in every builder's plan. */
  readonly digest: string;
}

const madeFile = (name: string, text: string): MadeFile => ({ name, bytes: new TextEncoder().encode(text) });

const asksFor = ({ definition }: FinishedJob, format: string): boolean =>
  definition.formats?.some((asked) => asked === format) ?? false;

/** Plans a job's archive. Its manifest refers to the files by their names. */
export async function planArchive(job: FinishedJob): Promise<ArchivePlan> {
  const manifest = JSON.stringify(
    manifestOf(job, (key) => key),
    null,
    2,
  );
  const assets = assetsOf(job);
  const datasets = asksFor(job, "yolo")
    ? [yoloDataset(categoriesOfJob(job.definition).map(({ name }) => name))]
    : [];
  const annotations = asksFor(job, "coco") ? [wholeAnnotations(job)] : [];
  const made = [madeFile(MANIFEST_NAME, manifest), ...datasets.map((text) => madeFile(DATASET_NAME, text))];
  const fetched = [...annotations, ...assets];
  return {
    made,
    fetched,
    names: [...made.map(({ name }) => name), ...fetched.map(({ key }) => key)],
    // Without formats it is the same as before formats existed: half-built archives continue.
    digest: await sha256Hex(JSON.stringify([manifest, assets, ...datasets, ...annotations])),
  };
}

/** The COCO document of a whole job: a video has only one. */
function wholeAnnotations(job: FinishedJob): FetchedFile {
  const documents = annotationsOf(job);
  const [only] = documents;
  if (job.definition.type === "video" && only !== undefined) return { ...only, key: ANNOTATIONS_NAME };
  return { key: ANNOTATIONS_NAME, documents };
}
