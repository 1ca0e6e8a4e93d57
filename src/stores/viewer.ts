/** The files of the reference page's viewer, uploaded with the Worker: `[assets]` in wrangler.toml. */
export class Viewer {
  readonly #assets: Fetcher;

  constructor(assets: Fetcher) {
    this.#assets = assets;
  }

  /** A file, or 304 if `etag` still names it; null if there is none. */
  async file(name: string, etag: string | undefined): Promise<Response | null> {
    const response = await this.#assets.fetch(`https://assets.local/${name}`, {
      headers: etag === undefined ? {} : { "if-none-match": etag },
    });
    // A copy, because the headers of the original can't be changed.
    return response.ok || response.status === 304 ? new Response(response.body, response) : null;
  }
}
