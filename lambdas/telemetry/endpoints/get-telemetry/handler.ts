/** `GET /api/v1/telemetry`: the account's receiver of telemetry, without the values of its headers. */
import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { noDestination } from '../../core/destination.ts';
import { createDestinations } from '../../store/destinations.ts';

export const handler = sessionHandler('platform', (resources) => {
  const allowLoopback = loopbackAllowed(resources.environment);
  const destinations = createDestinations({ ...resources, allowLoopback });
  return async (_request, { session: { accountId } }) => {
    const entry = await destinations.show(accountId);
    if (entry === undefined) throw noDestination();
    return jsonResponse(entry);
  };
});
