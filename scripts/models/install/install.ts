/** Installs a model: downloads, checks, describes, and only then gives the folder its name. */
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ModelFolderError } from "../../../inference-container/src/models/errors.ts";
import { ensureBuiltin, modelsRoot } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { linkFile, moveIntoPlace } from "../../../inference-container/src/models/fetch/folders.ts";
import { checkFiles, MANIFEST_NAME, readManifest } from "../../../inference-container/src/models/folder.ts";
import { Manifest } from "../../../inference-container/src/models/manifest.ts";
import { ProgressBar } from "../../../inference-container/src/progress-bar.ts";
import { Failure } from "../../shared/command-line.ts";
import { lockFile } from "../../shared/file-lock.ts";
import { type Operator, operatorAt } from "../../shared/operator.ts";
import { checkModel } from "../check.ts";
import { describeExport, readGraphs } from "../describe.ts";
import { CATALOGUE } from "./catalogue.ts";
import type { Provider } from "../../../inference-container/src/device/messages.ts";
import type { Usable } from "../report.ts";
import { type Download, downloadFile } from "./download.ts";
import { type Hub, hubOf } from "./hub.ts";
import { type Plan, planFromCatalogue, planFromManifest } from "./plan.ts";

const PROGRESS_LINES = 20;
const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

/** The model to install, with options. */
export interface InstallCommand {
  /** A name of the catalog, or the path of a manifest that an installation wrote. */
  readonly model: { readonly name: string } | { readonly from: string };
  readonly acceptLicence: boolean;
  /** True to replace an existing folder. */
  readonly force: boolean;
  /** The provider for the check of the finished folder. */
  readonly provider: Provider;
}

/** The folder, and the report of its check; without a report it already existed. */
export interface Installed {
  readonly folder: string;
  readonly report?: Usable;
}

/**
 * Installs a model into the folder of model folders. Reuses an earlier run's downloads; refuses a second process.
 * @throws DownloadError, ModelFolderError or Failure that names the problem; then no folder has the name
 */
export async function install(
  command: InstallCommand,
  signal: AbortSignal,
  catalogue = CATALOGUE,
): Promise<Installed> {
  const { model } = command;
  const hub = hubOf(process.env);
  const given = "from" in model ? await planFromManifest(model.from) : undefined;
  const id = "name" in model ? model.name : (given?.id ?? "");
  const root = modelsRoot();
  const folder = join(root, id);
  await mkdir(root, { recursive: true });
  const lock = lockFile(join(root, `.${id}.lock`));
  if (lock === undefined)
    throw new Failure(`Another process is installing ${id}. Wait until it has ended, then run this again.`);
  try {
    if (!command.force && (await isThere(folder, given))) return { folder };
    const plan = given ?? (await planFromCatalogue(id, hub, catalogue));
    const staging = join(root, `.install-${id}`);
    await fill(staging, plan, hub, command, signal);
    const report = await checkModel({ folder: staging, provider: command.provider, cpuNodes: false }, signal);
    if (!report.usable) throw new Failure(`${report.error}\n${id} was not installed.`);
    await moveIntoPlace(staging, folder);
    return { folder, report };
  } finally {
    lock.release();
  }
}

/** Returns true if the folder is complete and as planned. @throws Failure if it exists but differs */
async function isThere(folder: string, plan: Plan | undefined): Promise<boolean> {
  if ((await stat(folder).catch(() => undefined)) === undefined) return false;
  try {
    const { files } = await readManifest(folder, Manifest);
    await checkFiles(folder, files, { digests: true });
    const isPlanned = plan?.downloads.every(({ name, digest }) =>
      files.some((file) => file.name === name && file.sha256 === digest.hex),
    );
    if (isPlanned !== false) return true;
  } catch (error) {
    if (!(error instanceof ModelFolderError)) throw error;
    throw new Failure(`${error.message} Use --force to replace ${folder}.`);
  }
  throw new Failure(`${folder} has other files than that manifest. Use --force to replace it.`);
}

/** Returns true if a file is a license to read before the rest is downloaded; a license has less than a megabyte. */
const isLicence = ({ name, size }: Download): boolean => name.startsWith("LICENSE") && size < 1_000_000;

/** Collects the files and the manifest in a folder that may have some of them from an earlier run. */
async function fill(
  staging: string,
  plan: Plan,
  hub: Hub,
  { acceptLicence }: InstallCommand,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(staging, { recursive: true });
  for (const name of await readdir(staging))
    if (!plan.downloads.some((file) => file.name === name))
      await rm(join(staging, name), { recursive: true });
  for (const file of plan.downloads.filter(isLicence)) await downloadFile(hub, file, staging, () => {});
  const texts = plan.downloads.filter(isLicence).map(({ name }) => readFile(join(staging, name), "utf8"));
  await accept([...(await Promise.all(texts)), ...plan.licences], acceptLicence, operatorAt(signal));

  const total = plan.downloads.reduce((sum, { size }) => sum + size, 0);
  const progress = new ProgressBar(process.stderr, {
    total,
    steps: PROGRESS_LINES,
    amount: (bytes) => `${megabytes(bytes)} of ${megabytes(total)} MB`,
  });
  let whole = 0;
  for (const file of plan.downloads) {
    await downloadFile(hub, file, staging, (bytes) => progress.reach(whole + bytes));
    whole += file.size;
  }
  progress.end();
  // A given manifest describes its graphs, but the parts of an export still have to be made.
  if (plan.manifest !== undefined) await readGraphs(staging, signal);
  const embedded = plan.embedded.length > 0 ? await ensureBuiltin() : "";
  const there = await readdir(staging);
  for (const name of plan.embedded.filter((file) => !there.includes(file)))
    await linkFile(join(embedded, name), join(staging, name)).catch(() => {
      throw new Failure(`${name} of the manifest is neither from a hub nor a file of the embedded model.`);
    });
  for (const [name, path] of plan.own) await copyFile(path, join(staging, name));
  if (plan.manifest !== undefined) await copyFile(plan.manifest, join(staging, MANIFEST_NAME));
  else await describe(staging, plan, signal);
}

/** Shows licenses and asks for acceptance. @throws Failure if they are not accepted */
async function accept(lines: readonly string[], isAccepted: boolean, { ask }: Operator): Promise<void> {
  for (const line of lines) console.error(stripVTControlCharacters(line));
  if (isAccepted) return;
  if (ask === null)
    throw new Failure("Read the license; if you accept it, run the command again with --accept-licence.");
  if (!/^y(es)?$/i.test(await ask("Do you accept the license? (y/n)")))
    throw new Failure("The license was not accepted; nothing was installed.");
}

/** Writes the manifest from the template for the graphs, with the model's name, and the source of each file. */
async function describe(staging: string, { id, downloads }: Plan, signal: AbortSignal): Promise<void> {
  const { manifest } = await describeExport(staging, { force: true }, signal);
  const { files, ...rest } = await readManifest(staging, Manifest.loose());
  for (const file of files) file.source = downloads.find(({ name }) => name === file.name)?.source;
  await writeFile(manifest, `${JSON.stringify({ ...rest, id, files }, null, 2)}\n`);
}
