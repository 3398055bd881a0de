/** Where a fresh local service gets its demo account and catalog from. */

export interface SeedTarget {
  /** Names of tables and secrets by the functions' own variables. */
  readonly environment: Record<string, string>;
  /** Answers AWS calls; the access key id `local-admin` may do everything. */
  readonly awsEndpoint: string;
  /** The simulated upstream. */
  readonly upstreamUrl: string;
  /** The user's own catalog, if one is named. */
  readonly catalogFile: string | undefined;
  readonly stateDir: string;
}
