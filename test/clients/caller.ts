/** The account that all clients call with: together they ask more often than the demo key may. */
import { beforeAll } from '@jest/globals';
import { service } from './service.ts';

let key = '';

beforeAll(async () => {
  ({ key } = await service.account('50'));
});

/** Returns the address that a client calls, and its key; available while the tests run. */
export const caller = () => ({ baseURL: `${service.session.base_url}/v1`, apiKey: key });
