/** The service that the parts of a test file share: starting one for each part would take longer than its tests. */
import { afterAll, beforeAll } from '@jest/globals';
import { Service } from './service.ts';

/** Starts a service before the tests of the file, and ends it after them. */
export function oneService(environment: Record<string, string> = {}): Service {
  const service = new Service(environment);
  beforeAll(() => service.start());
  afterAll(() => service.dispose());
  return service;
}
