/** The route table: every public route of every context, once. The stacks, the index and the description read it. */
import { ACCESS_ROUTES } from '../access/routes.ts';
import { INFERENCE_ROUTES } from '../inference/routes.ts';
import { LEDGER_ROUTES } from '../ledger/routes.ts';
import { MARKETPLACE_ROUTES } from '../marketplace/routes.ts';
import { OPERATIONS_ROUTES } from '../operations/routes.ts';
import { PAYMENT_ROUTES } from '../payments/routes.ts';
import { HAS_MARKET } from '../platform/contract/features.ts';
import { open, type Route } from '../platform/contract/route.ts';
import { TELEMETRY_ROUTES } from '../telemetry/routes.ts';
import { WEBHOOK_ROUTES } from '../webhooks/routes.ts';

/** The routes that show the whole table. */
const APP_ROUTES = [
  open('GET /', 'get-index', 'the gateway index'),
  open('GET /openapi.json', 'get-openapi', 'the OpenAPI 3.1 description of all this'),
] as const satisfies readonly Route[];

export const ROUTES = [
  ...INFERENCE_ROUTES,
  ...LEDGER_ROUTES,
  ...ACCESS_ROUTES,
  ...(HAS_MARKET ? MARKETPLACE_ROUTES.map((route) => ({ ...route, setting: 'market' }) as const) : []),
  ...PAYMENT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...TELEMETRY_ROUTES,
  ...OPERATIONS_ROUTES,
  ...APP_ROUTES,
] as const satisfies readonly Route[];

/**
 * Handles requests that no route does: 404 for an unknown path, 405 for a known path with another method. API Gateway
 * itself would return 403 for both.
 */
export const UNKNOWN_ROUTE_ENDPOINT = 'unknown-route';

export type EndpointName = (typeof ROUTES)[number]['endpoint'] | typeof UNKNOWN_ROUTE_ENDPOINT;
