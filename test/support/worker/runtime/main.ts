/** The Worker, with the objects that only tests have. */
export * from "../../../../src/index.ts";
export { default } from "../../../../src/index.ts";
// By name, for the runtime's `ctx.exports`.
export { ContainerProxy } from "@cloudflare/containers";
export { TestedContainer } from "../machines/tested-container.ts";
