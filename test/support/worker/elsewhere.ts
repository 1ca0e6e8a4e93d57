import { PNG } from "./jobs.ts";

/** Every other server that an operation may ask, as a test of all operations plays it: there is a picture at every URL. */
export const playedElsewhere = async (_request: Request): Promise<Response> =>
  new Response(PNG, { headers: { "content-type": "image/png" } });
