/** The service that the tests of the shared host share, which takes few calls at once. */
import { oneService } from '../one-service.ts';

export const OPEN_CALLS = 40;

export const service = oneService({
  COMPUTE: 'host',
  HOST_OPEN_CALLS: String(OPEN_CALLS),
  // The simulated vendor's images are on this machine.
  WEBHOOK_ALLOW_LOOPBACK: '1',
});
