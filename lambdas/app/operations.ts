/** The description of every endpoint; the type checker requires each. */
import * as z from 'zod';
import { ACCESS_OPERATIONS } from '../access/openapi.ts';
import { INFERENCE_OPERATIONS } from '../inference/openapi.ts';
import { LEDGER_OPERATIONS } from '../ledger/openapi.ts';
import { MARKETPLACE_OPERATIONS } from '../marketplace/openapi.ts';
import { OPERATIONS_OPERATIONS } from '../operations/openapi.ts';
import { PAYMENT_OPERATIONS } from '../payments/openapi.ts';
import { HAS_MARKET } from '../platform/contract/features.ts';
import { INTERFACE_VERSION } from '../platform/contract/limits.ts';
import { type Operation, ok, tagged } from '../platform/contract/operation.ts';
import { RELEASE } from '../platform/contract/release.ts';
import { indexSchema } from '../platform/core/api/service-status.ts';
import { TELEMETRY_OPERATIONS } from '../telemetry/openapi.ts';
import { WEBHOOK_OPERATIONS } from '../webhooks/openapi.ts';
import { openApiDocument } from './document.ts';
import { describedEvents } from './events.ts';
import { type EndpointName, ROUTES, type UNKNOWN_ROUTE_ENDPOINT } from './routes.ts';

export const OPERATIONS: Readonly<Record<Exclude<EndpointName, typeof UNKNOWN_ROUTE_ENDPOINT>, Operation>> = {
  ...INFERENCE_OPERATIONS,
  ...LEDGER_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...((HAS_MARKET ? MARKETPLACE_OPERATIONS : {}) as typeof MARKETPLACE_OPERATIONS),
  ...PAYMENT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...TELEMETRY_OPERATIONS,
  ...OPERATIONS_OPERATIONS,
  ...tagged('Service', {
    'get-index': {
      responses: {
        200: {
          description: 'The routes and limits; for a request that prefers HTML, a page with links.',
          schema: indexSchema,
          otherForms: { 'text/html': 'Links to the console, the prices and the reference.' },
        },
      },
    },
    'get-openapi': {
      responses: ok('This document.', z.looseObject({ openapi: z.string() })),
    },
  }),
};

interface Description {
  /** The name that people read. */
  readonly title?: string;
  /** The default models by kind. */
  readonly models?: Readonly<Record<string, string | undefined>>;
}

/** The document of this service. */
export const describeService = ({ title = 'Unified Inference Service', models }: Description = {}) =>
  openApiDocument({
    models,
    webhooks: describedEvents(),
    routes: ROUTES,
    operations: OPERATIONS,
    title,
    version: INTERFACE_VERSION,
    release: RELEASE,
  });
