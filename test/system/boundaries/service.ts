/** The service that the tests of boundaries share. */
import { afterAll, beforeAll } from '@jest/globals';
import { Service } from '../service.ts';

/** The shared host takes larger bodies than API Gateway and Lambda, and answers stalled ones itself. */
export const isHost = process.env.COMPUTE === 'host';

/** More than is taken of a JSON body, bytes. */
export const TOO_LARGE = (isHost ? 33 : 7) << 20;

/** A webhook's receiver may be on this machine, so that no delivery leaves it. */
export const service = new Service({ WEBHOOK_ALLOW_LOOPBACK: '1' });
beforeAll(() => service.start(), 90_000);
afterAll(() => service.dispose());
