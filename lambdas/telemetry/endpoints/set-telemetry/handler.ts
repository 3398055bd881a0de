/** `PUT /api/v1/telemetry`: has the account's calls sent to a receiver from now on, in the place of another. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { DESTINATIONS, destinationRequest, requireTelemetry } from '../../core/destination.ts';
import { createDestinations } from '../../store/destinations.ts';

export const handler = sessionHandler('platform', (resources) => {
  const allowLoopback = loopbackAllowed(resources.environment);
  const destinations = createDestinations({ ...resources, allowLoopback });
  return async (request, { session: { accountId } }) => {
    const settings = validate(destinationRequest, (await readJson(request)).value);
    requireTelemetry(resources.stage.layoutOf(DESTINATIONS));
    return jsonResponse(await destinations.set(accountId, settings));
  };
});
