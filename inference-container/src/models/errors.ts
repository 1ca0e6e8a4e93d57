/** A model folder can't be used; the message names the file, tensor or value at fault and what to do. */
export class ModelFolderError extends Error {
  override readonly name = "ModelFolderError";
}

/** A download failed; the message names the package and what to check. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}
