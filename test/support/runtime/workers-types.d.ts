import type * as Workers from "@cloudflare/workers-types";

/** The types of the Workers runtime in the Worker's sources, for programs on Node that import such a source. */
declare global {
  type AnalyticsEngineDataset = Workers.AnalyticsEngineDataset;
  type D1Database = Workers.D1Database;
  type DurableObjectId = Workers.DurableObjectId;
  /** With the requests and responses of Node, and only the names that those sources use. */
  type DurableObjectNamespace<T extends Rpc.DurableObjectBranded | undefined = undefined> = Omit<
    Workers.DurableObjectNamespace<T>,
    "getByName"
  > & {
    getByName(name: string): Omit<Workers.DurableObjectStub<T>, "fetch"> & {
      fetch(url: string, init?: RequestInit): Promise<Response>;
    };
  };
  type Fetcher = Workers.Fetcher;
  type Queue<Body = unknown> = Workers.Queue<Body>;
  type R2Bucket = Workers.R2Bucket;
  type RateLimit = Workers.RateLimit;
  namespace Rpc {
    type DurableObjectBranded = Workers.Rpc.DurableObjectBranded;
  }
  /** In pages that tests of the studio run. */
  function dispatchEvent(event: Event): boolean;
}
