/** A download that failed; the message names the package and what to check. */
export class DownloadError extends Error {
  override readonly name = "DownloadError";
}
