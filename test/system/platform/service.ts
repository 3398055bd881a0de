/**
 * The service that the tests of the platform share. Webhooks of publishers lead to this machine, and sales mature after a
 * second, and a month of a subscription has four.
 */
import { oneService } from '../one-service.ts';

export const service = oneService({
  WEBHOOK_ALLOW_LOOPBACK: '1',
  MATURITY_SECONDS: '1',
  PERIOD_SECONDS: '4',
});
