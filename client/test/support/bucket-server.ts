import { Miniflare } from "miniflare";

/** Serves one bucket over S3's interface, and checks signatures: `node bucket-server.ts OPTIONS`. Tells its parent the endpoint. */
const {
  name,
  keys,
  folder,
}: { name: string; keys: { accessKeyId: string; secretAccessKey: string }; folder: string } = JSON.parse(
  process.argv[2] ?? "",
);
const server = new Miniflare({
  resourcePersistencePath: folder,
  workers: [
    {
      config: {
        name: "bucket",
        type: "worker",
        compatibilityDate: "2026-01-01",
        manifest: {
          mainModule: "main.mjs",
          modulesRoot: "/",
          modules: { "main.mjs": { type: "esm", contents: "export default {}" } },
        },
        env: { BUCKET: { type: "r2", name, s3Credentials: keys } },
      },
    },
  ],
});
process.send?.(new URL("cdn-cgi/local/r2/s3", await server.ready).href);
process.once("disconnect", () => void server.dispose());
