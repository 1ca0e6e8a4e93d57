import type { Context } from "hono";

/** A form's body as text; `text()` warns in workerd, which does not count forms as text. */
export const formText = async (c: Context): Promise<string> =>
  new TextDecoder().decode(await c.req.arrayBuffer());
