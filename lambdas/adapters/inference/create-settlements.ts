/** Settlements as executions of a Step Functions workflow, each named by its call. */
import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { requireVariable, VARIABLES } from '../../contract/environment.ts';
import type { Settlements } from '../../core/inference/kinds/transcriptions/ports.ts';

const CONNECT_MS = 1_000;

/** A start takes tens of milliseconds; the caller of the transcription waits for it. */
const REQUEST_MS = 3_000;

/** Of the workflow that the environment names. Safe to repeat: a name starts once. */
export function createSettlements(
  environment: Readonly<Record<string, string | undefined>>,
  client = new SFNClient({
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    }),
  }),
): Settlements {
  const stateMachineArn = requireVariable(environment, VARIABLES.settlementWorkflow);
  return {
    async start(order) {
      try {
        await client.send(
          new StartExecutionCommand({ stateMachineArn, name: order.requestId, input: JSON.stringify(order) }),
        );
      } catch (failure) {
        if (!(failure instanceof ExecutionAlreadyExists)) throw failure;
      }
    },
  };
}
