/** The service that the tests of boundaries share. */
import { afterAll, beforeAll } from '@jest/globals';
import { Service } from '../service.ts';

/** A webhook's receiver may be on this machine, so that no delivery leaves it; a body that stalls is given up soon. */
export const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1', BODY_IDLE_MS: '300' });
beforeAll(() => service.start(), 90_000);
afterAll(() => service.dispose());
