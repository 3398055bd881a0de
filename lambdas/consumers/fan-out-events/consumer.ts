/** Reads the platform's events and makes a delivery of each for every subscription to it. */
import { FanOut, type FanOutDependencies } from '../../core/webhooks/fan-out.ts';

/** Handles one message: an event as the bus passes it on. */
export function fanOutEvents(dependencies: FanOutDependencies) {
  const fanOut = new FanOut(dependencies);
  return ({ body }: { readonly body: unknown }): Promise<void> => fanOut.handle(body);
}
