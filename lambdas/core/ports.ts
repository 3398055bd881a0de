/** What the core asks of the world: time, chance, logs; and the shape of an endpoint. */

/** Milliseconds since the Unix epoch. */
export type Clock = () => number;

/** A fresh ULID: 26 characters, sortable by time of creation (github.com/ulid/spec). */
export type UlidSource = () => string;

/** A number in [0, 1). */
export type RandomSource = () => number;

/** Runs something once after so many milliseconds; the function returned calls it off. */
export type After = (ms: number, run: () => void) => () => void;

/** Structured logging. Fields never hold prompts, answers, keys, secrets or upstream addresses. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Raises a metric by its name in the contract. Values never hold more than counts and amounts. */
export type Metric = (name: string, value: number) => void;

/** Reads a secret by reference (`env:NAME`, `secretsmanager:NAME#field`); throws when there is none. */
export type SecretReader = (reference: string) => Promise<string>;

/**
 * Signs a POST request to an AWS service with the function's own role; gives the headers to send, those of the
 * request among them. Throws when there are no credentials.
 */
export type RequestSigner = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<Readonly<Record<string, string>>>;

/** What a host knows of one call beside its request. */
export interface CallContext {
  /** `req_<ulid>`. */
  readonly requestId: string;
  /** Milliseconds until the host ends the call, whatever it is doing. */
  remainingTimeMs(): number;
  /** Values of the route's path parameters, decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** One endpoint, the same on every host. A `ServiceError` it throws becomes an error envelope. */
export type Endpoint = (request: Request, context: CallContext) => Promise<Response>;
