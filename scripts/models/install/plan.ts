/** The parts of an installation: files of a hub, of the embedded model and of this repository. */
import { basename, dirname, join } from "node:path";
import { fileDigest, MANIFEST_NAME, readManifest } from "../../../inference-container/src/models/folder.ts";
import { Manifest } from "../../../inference-container/src/models/manifest.ts";
import { Failure } from "../../shared/command-line.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { CATALOGUE, type CatalogueModel, catalogued } from "./catalogue.ts";
import type { Download } from "./download.ts";
import type { Hub, Listing } from "./hub.ts";

export interface Plan {
  /** The model's id, and its folder's name. */
  readonly id: string;
  /** The licenses to accept, as sentences. */
  readonly licences: readonly string[];
  readonly downloads: readonly Download[];
  /** Names of files of the embedded model's folder. */
  readonly embedded: readonly string[];
  /** Paths of this repository's files, by their names in the folder. */
  readonly own: ReadonlyMap<string, string>;
  /** The path of the finished manifest; without one, it is written from a template. */
  readonly manifest?: string;
}

/** Plans a model of the catalog with the hub's current files. @throws DownloadError, or Failure if a file is gone */
export async function planFromCatalogue(
  name: string,
  hub: Hub,
  catalogue: readonly CatalogueModel[],
): Promise<Plan> {
  const model = catalogued(name, catalogue);
  const listings = new Map<string, Listing>();
  for (const { repository } of model.files)
    if (!listings.has(repository)) listings.set(repository, await hub.list(repository));
  const downloads = model.files.flatMap(({ repository, path, optional, ...file }): Download[] => {
    const listing = listings.get(repository);
    const listed = listing?.files.get(path);
    if (listing !== undefined && listed !== undefined)
      return [{ ...file, ...listed, source: { repository, commit: listing.commit, path } }];
    if (optional === true) return [];
    throw new Failure(
      `${repository} has no ${path} any more: see ${hub.address}/${repository}. docs/models.md says how to make a folder of another export.`,
    );
  });
  const { licence, embedded, own } = model;
  return {
    id: name,
    licences: [`${licence.of} is under the ${licence.name}: ${licence.text}`],
    downloads,
    embedded,
    own: new Map(Object.entries(own).map(([file, path]) => [file, join(PROJECT_ROOT, path)])),
  };
}

/**
 * Plans the same bytes as an installed folder, by its manifest.
 * @throws ModelFolderError if it is not a manifest, or Failure if no installation wrote it
 */
export async function planFromManifest(path: string): Promise<Plan> {
  const folder = basename(path) === MANIFEST_NAME ? dirname(path) : path;
  const { id, files, licences } = await readManifest(folder, Manifest);
  const own = new Map<string, string>();
  for (const name of new Set(CATALOGUE.flatMap((model) => Object.values(model.own)))) {
    const ours = join(PROJECT_ROOT, name);
    const digest = await fileDigest(ours);
    for (const file of files) if (file.sha256 === digest) own.set(file.name, ours);
  }
  const downloads = files.flatMap(({ name, size, sha256, source }): Download[] =>
    source === undefined ? [] : [{ name, size, source, digest: { kind: "sha256", hex: sha256 } }],
  );
  if (downloads.length === 0)
    throw new Failure(
      `${join(folder, MANIFEST_NAME)} does not say where its files come from: install did not write it.`,
    );
  return {
    id,
    licences: licences.map(({ part, source, weights }) => `${part} (${source}) is under ${weights}`),
    downloads,
    embedded: files.flatMap(({ name, source }) => (source === undefined && !own.has(name) ? [name] : [])),
    own,
    manifest: join(folder, MANIFEST_NAME),
  };
}
