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

type Method = Route['method'];

type Row<Common, Endpoint, More> = Omit<Common, keyof More> &
  Pick<Route, 'method' | 'path' | 'purpose'> & { readonly endpoint: Endpoint } & More;

/**
 * Returns a function that makes the rows of one API and one kind of caller. A row has the request, such as
 * `GET /api/orders`, the endpoint and its purpose; `more` is what differs from the other rows.
 */
const rowsOf =
  <const Common extends Partial<Route>>(common: Common) =>
  <const Endpoint extends string, const More extends Partial<Route> = object>(
    request: Method | `${Method} /${string}`,
    endpoint: Endpoint,
    purpose: string,
    more?: More,
  ): NoInfer<Row<Common, Endpoint, More>> => {
    const [method, path = ''] = request.split(' ');
    return { ...common, method, path, endpoint, purpose, ...more } as Row<Common, Endpoint, More>;
  };

const platform = { api: 'platform', surface: 'platform', response: 'buffered' } as const;
const inference = { api: 'inference', surface: 'openai', response: 'buffered' } as const;

export const open = rowsOf({ ...platform, authentication: 'none' });
/** A file, whose bytes only a stream transmits unchanged. */
export const file = rowsOf({ ...platform, authentication: 'none', response: 'streamed' });
export const owner = rowsOf({ ...platform, authentication: 'session' });
export const keyOrOwner = rowsOf({ ...platform, authentication: 'api-key-or-session' });
export const operator = rowsOf({ ...platform, authentication: 'operator' });
export const openInference = rowsOf({ ...inference, authentication: 'none' });
export const keyInference = rowsOf({ ...inference, authentication: 'api-key' });
export const keyOrOwnerInference = rowsOf({ ...inference, authentication: 'api-key-or-session' });
/** A call. It is streamed: its response is larger, or takes longer, than a buffered function allows. */
export const paidCall = rowsOf({ ...inference, authentication: 'api-key', response: 'streamed', paid: true });
