import { signal } from "@preact/signals";
import type { StudioConfig } from "../config.ts";

/** What the operator set: the name, the logo, how people sign in. Filled before anything is drawn. */
export const config = signal<StudioConfig>({ name: "Studio", logoUrl: null, signIn: null });
