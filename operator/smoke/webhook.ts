/**
 * A check of a subscription, its test event and the attempted delivery: bus, queue, function and network in one check.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import {
  type Check,
  CheckFailure,
  CheckSkip,
  expectThat,
} from '../../lambdas/operations/core/smoke-test/check.ts';
import type { SmokeClient } from '../../lambdas/operations/core/smoke-test/client.ts';

const TYPE = 'review.created';

/** A first attempt comes within seconds; a cold function and a busy queue take some more. */
const WITHIN_MS = 60_000;
const POLL_MS = 250;

const PATH = '/api/v1/webhooks';

const subscription = z.object({ id: z.string() });
const deliveries = z.object({
  data: z.array(
    z.object({
      status: z.string(),
      attempts: z.array(z.object({ response_status: z.number().nullish() })),
    }),
  ),
});

/**
 * Returns the check. The receiver may reject: the check is only that it was called. A receiver without TLS is allowed
 * only for a local service, so that a rejection of the address is no failure.
 */
export const webhookCheck = (client: SmokeClient, receiver: string): Check => ({
  name: 'webhook',
  async run() {
    const id = await subscribe(client, receiver);
    try {
      await client.platform(`${PATH}/${id}/test`, { json: {} });
      const statuses = await attempted(client, id);
      return { note: `${new URL(receiver).host} answered ${statuses.join(', ')}` };
    } finally {
      await client.platform(`${PATH}/${id}`, { method: 'DELETE' });
    }
  },
});

async function subscribe(client: SmokeClient, url: string): Promise<string> {
  try {
    const { json } = await client.platform(PATH, { json: { url, events: [TYPE] } });
    return subscription.parse(json).id;
  } catch (failure) {
    if (failure instanceof CheckFailure && url.startsWith('http:') && failure.code.startsWith('invalid'))
      throw new CheckSkip(`${failure.message} (name another --receiver)`);
    throw failure;
  }
}

/** Returns the response statuses of the attempts, as soon as there is one. */
async function attempted(client: SmokeClient, id: string): Promise<readonly string[]> {
  const deadlineMs = Date.now() + WITHIN_MS;
  for (;;) {
    const { json } = await client.platform(`${PATH}/${id}/deliveries`);
    const { data } = deliveries.parse(json);
    const attempts = data.flatMap((delivery) => delivery.attempts);
    if (attempts.length > 0)
      return attempts.map(({ response_status: status }) => String(status ?? 'nothing'));
    expectThat(Date.now() < deadlineMs, `no delivery was attempted within ${WITHIN_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}
