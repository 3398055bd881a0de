/** The description of every endpoint; the type checker asks for each. */

import { ACCOUNT_OPERATIONS } from '../access/openapi.ts';
import { CALL_KIND_OPERATIONS } from '../inference/kind-openapi.ts';
import { INFERENCE_OPERATIONS } from '../inference/openapi.ts';
import { LISTING_OPERATIONS } from '../marketplace/openapi.ts';
import { SERVICE_OPERATIONS } from '../operations/openapi.ts';
import { OPERATOR_OPERATIONS } from '../operations/operator-openapi.ts';
import { INTERFACE_VERSION } from '../platform/contract/limits.ts';
import type { Operation } from '../platform/contract/operation.ts';
import { WEBHOOK_OPERATIONS } from '../webhooks/openapi.ts';
import { openApiDocument } from './document.ts';
import { type EndpointName, ROUTES } from './routes.ts';

export const OPERATIONS: Readonly<Record<Exclude<EndpointName, 'unknown-route'>, Operation>> = {
  ...INFERENCE_OPERATIONS,
  ...CALL_KIND_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  ...LISTING_OPERATIONS,
  ...SERVICE_OPERATIONS,
};

/** The document of this service. */
export const describeService = () =>
  openApiDocument({
    routes: ROUTES,
    operations: OPERATIONS,
    title: 'Unified AI Inference Service',
    version: INTERFACE_VERSION,
  });
