/** The service that the tests of conversations share: on the shared host, unless `COMPUTE` says otherwise. */
import { oneService } from '../one-service.ts';

/** The secret of a route whose server is a test's own. */
export const OWN_KEY = 'canary-own-key';

export const service = oneService({
  COMPUTE: process.env.COMPUTE ?? 'host',
  OWN_KEY,
  WEBHOOK_ALLOW_LOOPBACK: '1',
});
