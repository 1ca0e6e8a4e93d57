import { z } from "zod";

const Examples = z.array(z.unknown()).default([]);

/** The first example of a schema, or of a union's first variant; undefined if there is none. */
export const exampleOf = (schema: z.core.$ZodType | undefined): unknown =>
  schema &&
  (Examples.parse(z.globalRegistry.get(schema)?.["examples"])[0] ??
    (schema instanceof z.ZodUnion ? exampleOf(schema.options[0]) : undefined));
