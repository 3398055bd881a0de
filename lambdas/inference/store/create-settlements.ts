/** Settlements as executions of a Step Functions Express workflow, each waited for. */
import { SFNClient, type SFNClientConfig, StartSyncExecutionCommand } from '@aws-sdk/client-sfn';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { settledOrder } from '../core/kinds/transcriptions/order.ts';
import type { Settlements } from '../core/kinds/transcriptions/ports.ts';

const CONNECT_MS = 1_000;

/**
 * A caller waits so long for all tries together: a second more than an execution lasts (`settle-transcription.asl.json`), so
 * that no step begins after its caller was refused. The rest of the time that is kept back for settlement is for settling
 * without the workflow.
 */
export const SETTLED_WITHIN_MS = 9_000;

/** As many executions at once as one process may wait for. */
const MAX_SOCKETS = 256;

/**
 * Settles by the workflow that the environment names. The SDK starts an execution anew that AWS throttles, fails or does not
 * answer, which may run an order twice; the name of an execution is for people, and rejects no repetition.
 */
export function createSettlements(
  environment: Readonly<Record<string, string | undefined>>,
  config: SFNClientConfig = {},
  settledWithinMs = SETTLED_WITHIN_MS,
): Settlements {
  const client = new SFNClient({
    // AWS serves this call at `sync-states.<region>`; an address that the environment gives is used as it is.
    disableHostPrefix: environment.AWS_ENDPOINT_URL !== undefined,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_MS,
      httpsAgent: { maxSockets: MAX_SOCKETS },
      httpAgent: { maxSockets: MAX_SOCKETS },
    }),
    ...config,
  });
  const stateMachineArn = requireVariable(environment, VARIABLES.settlementWorkflow);
  return {
    async settle(order) {
      const { status, error, output } = await client.send(
        new StartSyncExecutionCommand({
          stateMachineArn,
          name: order.requestId,
          input: JSON.stringify(order),
        }),
        { abortSignal: AbortSignal.timeout(settledWithinMs) },
      );
      if (status !== 'SUCCEEDED') throw new Error(`the execution ended as ${status} with ${error}`);
      const { cost, balance } = settledOrder.parse(JSON.parse(output ?? 'null'));
      return { record: { cost: BigInt(cost) }, balance: BigInt(balance) };
    },
  };
}
