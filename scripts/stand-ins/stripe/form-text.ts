import type { Context } from "hono";

/** A form's body as text. `text()` would log a warning in workerd, which does not treat forms as text. */
export const formText = async (c: Context): Promise<string> =>
  new TextDecoder().decode(await c.req.arrayBuffer());
