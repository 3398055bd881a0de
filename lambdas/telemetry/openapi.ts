/** The descriptions of telemetry. */
import { ok, tagged } from '../platform/contract/operation.ts';
import { deletedSchema } from '../platform/core/api/response-schema.ts';
import { destinationRequest, destinationSchema } from './core/destination.ts';

export const TELEMETRY_COMPONENTS = { Telemetry: destinationSchema };

const destination = ok('The receiver, with the results of its latest batches.', destinationSchema);

export const TELEMETRY_OPERATIONS = tagged('Telemetry', {
  'get-telemetry': { responses: destination, errors: [404] },
  'set-telemetry': {
    description: 'Replaces the receiver and its headers. 409 until the operator has finished an upgrade.',
    body: destinationRequest,
    example: { url: 'https://example.com/otlp', headers: { authorization: 'Bearer <token>' } },
    responses: destination,
    errors: [409],
  },
  'delete-telemetry': {
    responses: ok('Calls go nowhere.', deletedSchema('telemetry')),
    errors: [404],
  },
});
