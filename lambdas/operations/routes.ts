/** The routes of the operator's view, of health, and of the pages of the service. */
import { file, open, operator, type Route } from '../platform/contract/route.ts';

export const OPERATIONS_ROUTES = [
  open('GET /health', 'get-health', 'health check'),
  operator(
    'GET /api/v1/operator/accounts',
    'list-operator-accounts',
    'every account with its balance and what it has spent',
  ),
  operator(
    'GET /api/v1/operator/sales',
    'get-operator-sales',
    'what the calls of a span were sold for, and what they cost',
  ),
  operator(
    'GET /api/v1/operator/routes',
    'list-operator-routes',
    'every route of the catalog with its circuit',
  ),
  operator(
    'GET /api/v1/operator/catalog',
    'get-operator-catalog',
    'the current catalog, and what it changed',
  ),
  operator('GET /api/v1/operator/audit', 'get-operator-audit', 'the result of the last audit of the ledger'),
  operator(
    'GET /api/v1/operator/dead-letters',
    'list-dead-letters',
    'how many messages lie in each dead-letter queue',
  ),
  operator('POST /api/v1/operator/sign-out', 'delete-operator-session', 'end the operator’s session'),
  open('GET /docs', 'get-docs', 'the API reference, for people'),
  file('GET /docs/{file}', 'get-docs-asset', 'scripts and styles of the reference'),
  file('GET /console', 'get-console', 'the web console: balance, keys, activity, billing'),
  file('GET /console/{file}', 'get-console-asset', 'scripts and styles of the console'),
] as const satisfies readonly Route[];
