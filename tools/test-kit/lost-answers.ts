/** Loses answers below the SDK's own repetition, so that it sends again what was applied already. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Loses the answer to the first attempt of every command; `attempts` counts what reached the database. */
export function loseFirstResponses(client: DynamoDBClient): { readonly attempts: () => number } {
  let attempts = 0;
  const requests = new WeakSet<object>();
  client.middlewareStack.add(
    (next) => async (args) => {
      attempts += 1;
      const response = next(args);
      if (requests.has(args.input)) return response;
      requests.add(args.input);
      await response.catch(() => {});
      const failure = new Error('the answer was lost');
      failure.name = 'TimeoutError';
      throw failure;
    },
    { step: 'deserialize', priority: 'low', name: 'loseFirstAnswers' },
  );
  return { attempts: () => attempts };
}

/**
 * Keeps the first attempt at the hold of a call in the network: its sender waits in vain, and it reaches the database
 * when `land` is called.
 */
export function delayFirstHold(...clients: readonly DynamoDBClient[]): {
  readonly land: () => Promise<void>;
} {
  let delayed: (() => Promise<unknown>) | undefined;
  for (const client of clients) {
    client.middlewareStack.add(
      (next) => async (args) => {
        const { UpdateExpression: update } = args.input as { readonly UpdateExpression?: string };
        if (delayed !== undefined || update?.includes('SET holds.#entry') !== true) return next(args);
        delayed = () => next(args);
        const failure = new Error('the request timed out');
        failure.name = 'TimeoutError';
        throw failure;
      },
      { step: 'deserialize', priority: 'low', name: 'delayFirstHold' },
    );
  }
  const land = async (): Promise<void> => {
    if (delayed === undefined) throw new Error('no hold was sent');
    await delayed().catch(() => {});
  };
  return { land };
}
