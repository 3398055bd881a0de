/** The routes of credit, and of the usage records of calls. */
import { KEY_INFERENCE, KEY_OR_OWNER, OWNER, type Route } from '../platform/contract/route.ts';

export const LEDGER_ROUTES = [
  {
    ...KEY_INFERENCE,
    method: 'GET',
    path: '/v1/usage',
    endpoint: 'list-usage',
    purpose: 'the calls a key has made, newest first, with cost',
  },
  {
    ...KEY_INFERENCE,
    method: 'GET',
    path: '/v1/usage/{request_id}',
    endpoint: 'get-usage',
    purpose: 'one call by its request id',
  },
  {
    ...KEY_OR_OWNER,
    method: 'GET',
    path: '/credits/{api_key}',
    endpoint: 'get-credits',
    purpose: 'credit balance for a key',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/credits',
    endpoint: 'get-balance',
    purpose: 'credit balance of the account',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/usage',
    endpoint: 'list-account-usage',
    purpose: 'the calls of all keys of the account, newest first, with cost',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/usage/rollups',
    endpoint: 'list-usage-rollups',
    purpose: 'calls, units and cost of the account by the hour or day',
  },
  {
    ...OWNER,
    method: 'GET',
    path: '/api/v1/usage/{request_id}',
    endpoint: 'get-account-usage',
    purpose: 'one call of the account by its request id',
  },
] as const satisfies readonly Route[];
