/** The description of every endpoint; the type checker asks for each. */

import { INTERFACE_VERSION } from '../contract/limits.ts';
import { type EndpointName, ROUTES } from '../contract/routes.ts';
import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import { CALL_KIND_OPERATIONS } from './call-kind-operations.ts';
import { openApiDocument } from './document.ts';
import { INFERENCE_OPERATIONS } from './inference-operations.ts';
import { LISTING_OPERATIONS } from './listing-operations.ts';
import type { Operation } from './operation.ts';
import { OPERATOR_OPERATIONS } from './operator-operations.ts';
import { SERVICE_OPERATIONS } from './service-operations.ts';
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts';

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
