import { ASSETS } from "../contract.ts";

type Assets = typeof ASSETS;

/** A format that jobs of a type ask for in their `formats`. */
export type JobFormat<Type extends keyof Assets> = Exclude<keyof Assets[Type], "masks" | "preview">;

/** The formats that jobs of a type ask for in their `formats`. */
export const formatsOf = <Type extends keyof Assets>(type: Type): JobFormat<Type>[] =>
  Object.keys(ASSETS[type]).filter(
    (kind): kind is JobFormat<Type> & string => kind !== "masks" && kind !== "preview",
  );

/** The key of a task's asset; of a mask's, that of the mask with this index. @param template one of `ASSETS` */
export const assetKey = (template: string, taskId: string, index?: number): string =>
  template.replace("{taskId}", taskId).replace("{index}", `${index}`);
