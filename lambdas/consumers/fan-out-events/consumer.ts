/** Reads the platform's events and makes a delivery of each for every subscription to it. */
import { type FanOutDependencies, fanOut } from '../../core/webhooks/fan-out.ts';

/** Handles one message: an event as the bus passes it on. */
export const fanOutEvents =
  (dependencies: FanOutDependencies) =>
  ({ body }: { readonly body: unknown }): Promise<void> =>
    fanOut(dependencies, body);
