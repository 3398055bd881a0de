/** The routes of credit, and of the usage records of calls. */
import {
  keyInference,
  keyOrOwner,
  keyOrOwnerInference,
  owner,
  type Route,
} from '../platform/contract/route.ts';

export const LEDGER_ROUTES = [
  keyInference('GET /v1/usage', 'list-usage', 'the calls a key has made, newest first, with cost'),
  keyInference('GET /v1/usage/{request_id}', 'get-usage', 'one call by its request id'),
  keyOrOwnerInference(
    'GET /v1/organization/usage/{kind}',
    'list-organization-usage',
    'the usage of a kind of calls by the hour or day, as OpenAI’s API has it',
  ),
  keyOrOwnerInference(
    'GET /v1/organization/costs',
    'list-organization-costs',
    'the cost of calls by the day, as OpenAI’s API has it',
  ),
  keyOrOwner('GET /credits/{api_key}', 'get-credits', 'credit balance for a key, `me` being the calling one'),
  owner('GET /api/v1/credits', 'get-balance', 'credit balance of the account'),
  owner('GET /api/v1/alerts', 'get-alerts', 'the thresholds below which the account is alerted'),
  owner('PUT /api/v1/alerts', 'update-alerts', 'sets the thresholds below which the account is alerted'),
  owner(
    'GET /api/v1/usage',
    'list-account-usage',
    'the calls of all keys of the account, newest first, with cost',
    { response: 'streamed' },
  ),
  owner(
    'GET /api/v1/usage/rollups',
    'list-usage-rollups',
    'calls, units and cost of the account by the hour or day',
  ),
  owner('GET /api/v1/usage/{request_id}', 'get-account-usage', 'one call of the account by its request id'),
] as const satisfies readonly Route[];
