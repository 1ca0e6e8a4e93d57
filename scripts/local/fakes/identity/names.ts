/** The fake's page. Like the studio it is a public client, and uses PKCE without a secret. */
export const CLIENT_ID = "fake-page";
/** The path to which the page's sign-ins return. */
export const CALLBACK_PATH = "/signed-in";
/** The `aud` of the access tokens: the API. */
export const AUDIENCE = "urn:segmentation-job-service";
/** The studio of the fake's service. */
export const STUDIO_CLIENT_ID = "studio";
