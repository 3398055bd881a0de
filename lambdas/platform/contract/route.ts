/** A row of the route table. */

/** The API format of a route, which its errors use; `platform` uses the OpenAI format. */
export type Surface = 'openai' | 'messages' | 'platform';

/**
 * The callers that a route accepts: anyone, the bearer of an API key, the owner's session, either of these two, or an
 * operator's session.
 */
export type Authentication = 'none' | 'api-key' | 'session' | 'api-key-or-session' | 'operator';

/** The REST APIs of a deployment, each with a stack of its own. */
export const APIS = ['inference', 'platform'] as const;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** API Gateway's resource syntax: `{name}` is one segment, `{name+}` the rest of the path. */
  readonly path: string;
  /** The folder in `endpoints/` of its context and the name of its function; rows of both kinds of listing have one in common. */
  readonly endpoint: string;
  readonly purpose: string;
  /** `streamed` routes respond through Lambda response streaming and may run for 15 minutes. */
  readonly response: 'buffered' | 'streamed';
  readonly surface: Surface;
  readonly authentication: Authentication;
  /** The REST API that has the route. */
  readonly api: (typeof APIS)[number];
  /** The id of the object is in the query or the body: the path is that of its collection. */
  readonly idOutsidePath?: true;
  /** The setting without which a deployment does not have the route. */
  readonly setting?: 'market';
  /** Calls are billed. */
  readonly paid?: true;
}

const platform = { api: 'platform', surface: 'platform', response: 'buffered' } as const;
const inference = { api: 'inference', surface: 'openai', response: 'buffered' } as const;

/** The fields that the rows of one API and one kind of caller have in common. */
export const OPEN = { ...platform, authentication: 'none' } as const;
export const OWNER = { ...platform, authentication: 'session' } as const;
export const KEY_OR_OWNER = { ...platform, authentication: 'api-key-or-session' } as const;
export const OPERATOR = { ...platform, authentication: 'operator', method: 'GET' } as const;
export const OPEN_INFERENCE = { ...inference, authentication: 'none' } as const;
export const KEY_INFERENCE = { ...inference, authentication: 'api-key' } as const;
