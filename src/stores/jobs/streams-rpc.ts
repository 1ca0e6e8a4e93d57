/** The methods that an AccountStreams object offers, as RPC. */
export interface StreamsRpc {
  /** A job has so many open streams now; what was said of it before no longer counts. False if the account would have too many. */
  say(jobId: string, count: number): Promise<boolean>;
}
