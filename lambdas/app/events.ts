/** The events that the service sends to webhooks, for the description (OpenAPI 3.1, `webhooks`). */
import * as z from 'zod';
import { EVENT_DATA } from '../webhooks/core/event-data.ts';
import { inlineSchema, type JsonSchema } from './schemas.ts';

const parameters = Object.entries({
  'X-service-Signature': '`t=<timestamp>,v1=<hex HMAC-SHA256 of "<t>.<body>">`, keyed with the secret.',
  'X-service-Event-Id': 'The id of the event, the same in each repetition.',
  'X-service-Delivery-Attempt': 'The number of the attempt.',
  'webhook-id': 'The id of the event (Standard Webhooks).',
  'webhook-timestamp': 'Seconds since the epoch (Standard Webhooks).',
  'webhook-signature': '`v1,<base64 HMAC-SHA256>` (Standard Webhooks).',
}).map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

const RESPONSES = { '2XX': { description: 'Delivered. Anything else is repeated for 24 hours.' } };

/** Returns the request of each event by its type. */
export const describedEvents = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(EVENT_DATA).map(([type, { when, schema: data }]) => {
      const event = z.object({ id: z.string(), type: z.literal(type), created: z.iso.datetime(), data });
      const request = {
        operationId: `event-${type}`.replaceAll(/[-._](\w)/g, (_dash, letter: string) =>
          letter.toUpperCase(),
        ),
        summary: `${when[0]?.toUpperCase()}${when.slice(1)}`,
        tags: ['Webhooks'],
        security: [],
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema: inlineSchema(event) } } },
        responses: RESPONSES,
      };
      return [type, { post: request }];
    }),
  );
