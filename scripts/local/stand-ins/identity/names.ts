/** The stand-in's own page. Like the studio it is a public client, and uses PKCE without a secret. */
export const CLIENT_ID = "stand-in-page";
/** The path to which the page's sign-ins return. */
export const CALLBACK_PATH = "/signed-in";
/** The `aud` of the access tokens: the API. */
export const AUDIENCE = "urn:segmentation-job-service";
/** The studio of the service that the stand-in is for. */
export const STUDIO_CLIENT_ID = "studio";
