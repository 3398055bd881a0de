import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../platform/contract/environment.ts';
import { type WireResponder, wireServer } from '../../platform/testing/connections/wire-server.ts';
import { type SettlementOrder, settlementOrder } from '../core/kinds/transcriptions/order.ts';
import { createSettlements } from './create-settlements.ts';

const ARN = 'arn:aws:states:us-east-1:000000000000:stateMachine:settle';
const ORDER: SettlementOrder = {
  accountId: 'acc_1',
  hold: { id: 'req_1', keyId: 'key_1', kind: 'audio', amount: 2n ** 60n, expires: 1 },
  charge: { windows: { minute: 0, day: 0, month: 0 } },
  outcome: {
    model: 'a/b',
    route: 'route',
    status: 'completed',
    unit: 'second',
    inputUnits: 1.5,
    cachedUnits: 0,
    outputUnits: 0,
    tokens: 0,
    estimated: false,
    amount: 9_007_199_254_740_993n,
    lines: [{ item: 'second', quantity: 1.5, price: 6_000_000n, per: 60 }],
    catalog: 'v1',
    providerCost: 3n,
    attempts: 2,
    routeAttempts: [
      { route: 'other', startMs: 1, durationMs: 20, failure: 'timeout' },
      { route: 'route', startMs: 22, durationMs: 3_000 },
    ],
    durationMs: 3_022,
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
};
const region = 'us-east-1';
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };

const respondWith =
  (status: number, body: object): WireResponder =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  };
const executionResponse = (fields: object) =>
  respondWith(200, { executionArn: ARN, startDate: 1, stopDate: 2, ...fields });
const SETTLED = executionResponse({ status: 'SUCCEEDED', output: '{"cost":"5","balance":"7"}' });
const RECEIPT = { record: { cost: 5n }, balance: 7n };

const workflow = wireServer();

/** Far longer than the pauses of the SDK between its attempts. */
const LONG_MS = 60_000;

const settleWithin = (limitMs: number, ...responders: readonly WireResponder[]) => {
  const { origin: endpoint } = workflow;
  const responses = [...responders];
  workflow.respond = (...call) => responses.shift()?.(...call);
  const environment = { [VARIABLES.settlementWorkflow]: ARN, AWS_ENDPOINT_URL: endpoint };
  return createSettlements(environment, { endpoint, region, credentials }, limitMs).settle(ORDER);
};
const settle = (...responders: readonly WireResponder[]) => settleWithin(LONG_MS, ...responders);

describe('a settlement', () => {
  it('returns the output of the execution, with the order as its input and the request id as its name', async () => {
    expect(await settle(SETTLED)).toEqual(RECEIPT);
    expect(workflow.requests).toMatchObject([
      { headers: { 'x-amz-target': 'AWSStepFunctions.StartSyncExecution' } },
    ]);
    const { stateMachineArn, name, input } = JSON.parse(workflow.requests[0]?.body ?? '');
    expect([stateMachineArn, name]).toEqual([ARN, 'req_1']);
    expect(settlementOrder.parse(JSON.parse(input))).toEqual(ORDER);
  });

  it('starts again after a throttle, a failure at AWS, or a lost response', async () => {
    expect(await settle(respondWith(400, { __type: 'ThrottlingException' }), SETTLED)).toEqual(RECEIPT);
    expect(await settle(respondWith(500, {}), SETTLED)).toEqual(RECEIPT);
    expect(await settle((response) => void response.destroy(), SETTLED)).toEqual(RECEIPT);
    expect(workflow.requests).toHaveLength(6);
  });

  it.each([
    ['refused', respondWith(400, { __type: 'AccessDeniedException' })],
    ['an execution that failed', executionResponse({ status: 'FAILED', error: 'Error' })],
    ['an execution that ran out of time', executionResponse({ status: 'TIMED_OUT' })],
    ['an output that is no settlement', executionResponse({ status: 'SUCCEEDED', output: '{}' })],
  ])('fails at once: %s', async (_name, failures) => {
    await expect(settle(failures)).rejects.toThrow();
    expect(workflow.requests).toHaveLength(1);
  });

  it('fails if there is no response in time', async () => {
    await expect(settleWithin(100, () => {})).rejects.toThrow('aborted');
  });
});

describe('the address of the workflow', () => {
  it.each([
    ['the host of synchronous executions', {}, 'sync-states.us-east-1.amazonaws.com'],
    ['the one that the environment gives', { AWS_ENDPOINT_URL: '' }, 'states.us-east-1.amazonaws.com'],
  ])('equals %s', async (_name, environment, expected) => {
    const hosts: string[] = [];
    const handle = async ({ hostname }: { readonly hostname: string }): Promise<never> => {
      hosts.push(hostname);
      throw new Error('not sent');
    };
    const settlements = createSettlements(
      { [VARIABLES.settlementWorkflow]: ARN, ...environment },
      { region, credentials, maxAttempts: 1, requestHandler: { handle } },
    );
    await expect(settlements.settle(ORDER)).rejects.toThrow('not sent');
    expect(hosts).toEqual([expected]);
  });
});
