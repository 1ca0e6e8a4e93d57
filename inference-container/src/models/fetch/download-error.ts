/** A download that did not come about; the message names the package and what to check. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}
