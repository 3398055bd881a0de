/** Settlements as executions of a Step Functions Express workflow, each waited for. */
import { SFNClient, type SFNClientConfig, StartSyncExecutionCommand } from '@aws-sdk/client-sfn';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { type Settlements, settledOrder, toWorkflowJson } from '../core/kinds/transcriptions/order.ts';

const CONNECT_MS = 1_000;

/**
 * The maximum time that a caller waits for all attempts in total. It is a second longer than an execution lasts
 * (`settle-transcription.asl.json`), so that no step starts after its caller was rejected. The rest of the time
 * reserved for settlement is for settling without the workflow.
 */
export const SETTLED_WITHIN_MS = 9_000;

/** The maximum number of executions that one process waits for at the same time. */
const MAX_SOCKETS = 256;

/**
 * Settles by the workflow that the environment names. The SDK restarts an execution that AWS throttles, fails or does
 * not confirm, so an order may run twice. The name of an execution is for operators, and does not prevent a repetition.
 */
export function createSettlements(
  environment: Readonly<Record<string, string | undefined>>,
  config: SFNClientConfig = {},
  settledWithinMs = SETTLED_WITHIN_MS,
): Settlements {
  const client = new SFNClient({
    // AWS provides this call at `sync-states.<region>`. An address from the environment is used unchanged.
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
          name: order.hold.id,
          input: toWorkflowJson(order),
        }),
        { abortSignal: AbortSignal.timeout(settledWithinMs) },
      );
      if (status !== 'SUCCEEDED') throw new Error(`the execution ended as ${status} with ${error}`);
      const { cost, balance } = settledOrder.parse(JSON.parse(output ?? 'null'));
      return { record: { cost }, balance };
    },
  };
}
