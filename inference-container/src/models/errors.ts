/** A model folder is unusable. The message names the file, tensor or value at fault, and the remedy. */
export class ModelFolderError extends Error {
  override readonly name = "ModelFolderError";
}

/** A download failed. The message names the package and the checks to make. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}
