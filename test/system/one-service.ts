/**
 * The service that the parts of a test file share: starting one for each part would take longer than its tests. On the
 * shared host, unless `COMPUTE` says otherwise; the other files start functions, so that the suite runs on both.
 */
import { afterAll, beforeAll } from '@jest/globals';
import { Service } from './service.ts';

export const service = new Service({ COMPUTE: process.env.COMPUTE ?? 'host' });
beforeAll(() => service.start(), 90_000);
afterAll(() => service.dispose());
