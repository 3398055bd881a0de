/** The schemas that have a name in the description, from every context. */
import { ACCESS_COMPONENTS } from '../access/openapi.ts';
import { INFERENCE_COMPONENTS } from '../inference/openapi.ts';
import { LEDGER_COMPONENTS } from '../ledger/openapi.ts';
import { MARKETPLACE_COMPONENTS } from '../marketplace/openapi.ts';
import { PAYMENT_COMPONENTS } from '../payments/openapi.ts';
import { HAS_MARKET } from '../platform/contract/features.ts';
import { IP_RATE_ERROR } from '../platform/contract/gateway-errors.ts';
import { errorSchema, messagesErrorSchema } from '../platform/core/api/error-body.ts';
import { TELEMETRY_COMPONENTS } from '../telemetry/openapi.ts';
import { WEBHOOK_COMPONENTS } from '../webhooks/openapi.ts';

export const COMPONENTS = {
  Error: errorSchema(IP_RATE_ERROR.code),
  MessagesError: messagesErrorSchema,
  ...ACCESS_COMPONENTS,
  ...LEDGER_COMPONENTS,
  ...PAYMENT_COMPONENTS,
  ...INFERENCE_COMPONENTS,
  ...WEBHOOK_COMPONENTS,
  ...TELEMETRY_COMPONENTS,
  ...((HAS_MARKET ? MARKETPLACE_COMPONENTS : {}) as typeof MARKETPLACE_COMPONENTS),
};
