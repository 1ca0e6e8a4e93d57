/** The studio's configuration before sign-in. The studio imports this type. */
export interface StudioConfig {
  /** The operator's name for the service. */
  readonly name: string;
  readonly logoUrl: string | null;
  /** The studio refuses a picture with more pixels. */
  readonly maxImagePixels: number;
  /** The studio refuses larger files. */
  readonly maxImageBytes: number;
  readonly maxVideoBytes: number;
  /** The access of a new subscriber; null if the service takes no payments. */
  readonly paidPlan: {
    readonly maxImageTasksPerJob: number;
    readonly maxActiveJobs: number;
    readonly maxUnitsPerDay: number;
    readonly maxVideoSeconds: number;
    readonly maxVideoFrames: number;
  } | null;
  /** Sign-in settings; null if there are API keys only. */
  readonly signIn: {
    /** The issuer's identifier, whose discovery document names its endpoints (OpenID Connect Discovery 1.0). */
    readonly issuer: string;
    readonly clientId: string;
    readonly scope: string;
    /** Further parameters of the authorization request, such as `audience`. */
    readonly parameters: Readonly<Record<string, string>>;
  } | null;
}
