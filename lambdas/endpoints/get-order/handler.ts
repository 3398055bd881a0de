/** Wires `GET /api/orders/{order_id}` for Lambda. */
import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { getOrder } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => getOrder(createOrderStore(resources)));
