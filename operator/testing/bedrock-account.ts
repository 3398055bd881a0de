/** An AWS account whose Bedrock is the simulated one, for the tests of a file. */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { startUpstream, type Upstream } from '../../tools/simulators/models/server.ts';
import { createRouteAccess } from '../calls/route-access.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };

/** Signs as a user of an account in the region. No route of the catalogs of tests has a secret. */
export const accountAccess = (region = 'us-east-1', accessKeyId = 'AKIATEST') => {
  const client = { region, credentials: { accessKeyId, secretAccessKey: 'secret' } };
  return createRouteAccess({ environment: {}, client }, undefined as never, log);
};

/** Starts Bedrock before the tests, where AWS's SDKs look for it, and ends its faults after each. */
export function bedrockOfTests() {
  const before = process.env.AWS_ENDPOINT_URL;
  let upstream: Upstream;
  const faults = (init: RequestInit) => fetch(`${upstream.controlUrl}/faults`, init);
  beforeAll(async () => {
    upstream = await startUpstream();
    process.env.AWS_ENDPOINT_URL = upstream.url;
  });
  afterEach(() => faults({ method: 'DELETE' }));
  afterAll(async () => {
    if (before === undefined) delete process.env.AWS_ENDPOINT_URL;
    else process.env.AWS_ENDPOINT_URL = before;
    await upstream.close();
  });
  return {
    fault: (match: object, status: number, times: number) =>
      faults({ method: 'POST', body: JSON.stringify({ match, fault: { status }, times }) }),
  };
}
