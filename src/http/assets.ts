/** The files uploaded with the Worker, `[assets]` in wrangler.toml: the studio, and the reference page's viewer. */
export class Assets {
  readonly #assets: Fetcher;

  constructor(assets: Fetcher) {
    this.#assets = assets;
  }

  /** A file by its path in the assets' folder, or 304 if `etag` still matches; null if there is none. */
  async file(path: string, etag: string | undefined): Promise<Response | null> {
    const response = await this.#assets.fetch(`https://assets.local/${path}`, {
      headers: etag === undefined ? {} : { "if-none-match": etag },
    });
    // A copy, because the headers of the original are immutable.
    return response.ok || response.status === 304 ? new Response(response.body, response) : null;
  }
}
