/** The routes by which the service shows itself: its description for programs and for people, and its console. */
import type { Route } from './route.ts';

const platform = {
  api: 'platform',
  surface: 'platform',
  response: 'buffered',
  authentication: 'none',
} as const;

export const REFERENCE_ROUTES = [
  {
    ...platform,
    method: 'GET',
    path: '/openapi.json',
    endpoint: 'get-openapi',
    purpose: 'the OpenAPI 3.1 description of all this',
  },
  {
    ...platform,
    method: 'GET',
    path: '/docs',
    endpoint: 'get-docs',
    purpose: 'the API reference, for people',
  },
  {
    ...platform,
    method: 'GET',
    path: '/docs/{file}',
    endpoint: 'get-docs-asset',
    purpose: 'scripts and styles of the reference',
    // Only a stream carries bytes as they are: the files are compressed.
    response: 'streamed',
  },
  {
    ...platform,
    method: 'GET',
    path: '/console',
    endpoint: 'get-console',
    purpose: 'the web console: balance, keys, activity, billing',
    response: 'streamed',
  },
  {
    ...platform,
    method: 'GET',
    path: '/console/{file}',
    endpoint: 'get-console-asset',
    purpose: 'scripts and styles of the console',
    response: 'streamed',
  },
] as const satisfies readonly Route[];
