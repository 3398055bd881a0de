/** The service that the parts of a test file share: starting one for each part would take longer than its tests. */
import { afterAll, beforeAll } from '@jest/globals';
import { Service } from './service.ts';

export const service = new Service();
beforeAll(() => service.start(), 90_000);
afterAll(() => service.dispose());
