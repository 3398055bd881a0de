/** Wires `GET /api/orders` for Lambda. */
import { createOrderStore } from '../../adapters/payments/create-orders.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { listOrders } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => listOrders(createOrderStore(resources)));
