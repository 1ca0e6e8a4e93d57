/** The version of this protocol. Raise it with each change that the other side can't read: tasks then wait for matching versions. */
export const PROTOCOL = 1;

/**
 * The header with the Worker's version of the protocol. A request without it is from a tool; the service checks its
 * body alone.
 */
export const PROTOCOL_HEADER = "x-protocol";

/** The header with the digest of an upload's id: a load balancer that hashes on it finds the service that has the features. */
export const PICTURE_HEADER = "x-picture";
