/** The header with the digest of an upload's id: a load balancer that hashes on it finds the service that has the features. */
export const PICTURE_HEADER = "x-picture";
