/** Clients whose writes fail by plan, and a count of what was sent. */
import { type DynamoDBClient, ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import type { DynamoClients } from '../../../lambdas/adapters/aws/clients.ts';
import { aroundSend } from '../../core/ledger/failing-process.ts';

/** `unsent`: not applied, no answer. `answer-lost`: applied, no answer. `throttled`: refused, certainly not applied. */
export type Trouble = 'unsent' | 'answer-lost' | 'throttled';

/** By the ordinal of the request, from 1. */
export type TroublePlan = ReadonlyMap<number, Trouble>;

/** Up to six troubles among the first requests. */
export const troubles: fc.Arbitrary<TroublePlan> = fc
  .array(
    fc.tuple(fc.integer({ min: 1, max: 24 }), fc.constantFrom<Trouble>('unsent', 'answer-lost', 'throttled')),
    { maxLength: 6 },
  )
  .map((pairs) => new Map(pairs));

export interface TroubledClients extends DynamoClients {
  /** The requests so far. */
  readonly sent: () => number;
}

export function troubledClients({ client, onceClient }: DynamoClients, plan: TroublePlan): TroubledClients {
  let sent = 0;
  const wrap = (real: DynamoDBClient) =>
    aroundSend(real, async (command, send) => {
      sent += 1;
      const trouble = plan.get(sent);
      if (trouble === 'throttled')
        throw new ProvisionedThroughputExceededException({
          message: 'throttled',
          $metadata: { httpStatusCode: 400, attempts: 1 },
        });
      if (trouble === 'unsent') throw timedOut();
      const output = await send(command);
      if (trouble === 'answer-lost') throw timedOut();
      return output;
    });
  return { client: wrap(client), onceClient: wrap(onceClient), sent: () => sent };
}

const timedOut = () => Object.assign(new Error('the request timed out'), { name: 'TimeoutError' });
