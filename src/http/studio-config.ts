/** The studio's configuration, which it needs before anybody has signed in. The studio imports this type. */
export interface StudioConfig {
  /** What the operator calls the service. */
  readonly name: string;
  readonly logoUrl: string | null;
  /** A picture with more pixels is refused. */
  readonly maxImagePixels: number;
  /** What a new subscriber may do; null if the service takes no payments. */
  readonly paidPlan: {
    readonly maxImageTasksPerJob: number;
    readonly maxActiveJobs: number;
    readonly maxUnitsPerDay: number;
    readonly maxVideoSeconds: number;
    readonly maxVideoFrames: number;
  } | null;
  /** How people sign in; null if there are API keys only. */
  readonly signIn: {
    /** The issuer's identifier, whose discovery document names its endpoints (OpenID Connect Discovery 1.0). */
    readonly issuer: string;
    readonly clientId: string;
    readonly scope: string;
    /** Further parameters of the authorization request, such as `audience`. */
    readonly parameters: Readonly<Record<string, string>>;
  } | null;
}
