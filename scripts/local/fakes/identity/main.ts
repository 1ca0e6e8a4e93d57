import { z } from "zod";
import { createIdentityFake } from "./server.ts";

/** Runs the fake for an OpenID provider as a process. IDENTITY_FILE is its state file, API_URL the API that its tokens are for. */
const { IDENTITY_FILE: file, API_URL: apiUrl } = z
  .object({ IDENTITY_FILE: z.string().min(1), API_URL: z.url() })
  .parse(process.env);
const { url } = await createIdentityFake({ file, apiUrl });
console.log(JSON.stringify({ msg: "listening", url }));
