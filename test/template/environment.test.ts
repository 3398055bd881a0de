import { beforeAll, describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { QUEUES } from '../../lambdas/platform/contract/queues.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import type { FunctionName } from '../../lib/config/grants.ts';
import { handlerOf } from '../../tools/test-kit/handlers.ts';
import { type FunctionStart, type StartResult, startFunctions } from './started-functions.ts';
import { SERVICE_STACKS, SynthesizedApp } from './synthesized-app.ts';

/** Every variable that the contract names. */
const NAMES: ReadonlySet<string> = new Set([
  ...Object.values(VARIABLES),
  ...Object.values(TABLES).map(({ variable }) => variable),
  ...Object.values(QUEUES).map(({ variable }) => variable),
]);

const app = new SynthesizedApp();
const functions = new Map(
  SERVICE_STACKS.flatMap((stack) =>
    app.resources(stack, 'AWS::Lambda::Function').map(([id, { Properties }]) => {
      const { Variables: variables } = Properties.Environment as { Variables: Record<string, unknown> };
      return [app.functionName(stack, id), Object.keys(variables).filter((name) => NAMES.has(name))] as const;
    }),
  ),
);

/** Values of variables that hold no name. */
const SPECIAL: Readonly<Record<string, string>> = {
  [VARIABLES.holdTtlSeconds]: '1200',
  [VARIABLES.deliveryClaimSeconds]: '40',
  [VARIABLES.identityProviders]: '{}',
  [VARIABLES.paymentApiUrl]: 'https://api.example.com',
  [VARIABLES.paymentReturnUrl]: 'https://example.com',
  [VARIABLES.marketFeeBasisPoints]: '0',
  [VARIABLES.marketPayouts]: 'none',
};

const startOf = (name: FunctionName, variables: readonly string[]): FunctionStart => ({
  module: handlerOf(name),
  variables: Object.fromEntries(variables.map((variable) => [variable, SPECIAL[variable] ?? 'a-name'])),
});

const started = [...functions];

/** The functions of other contexts with which the market registers: a deployment without it has no table for them. */
const REGISTERED = ['audit-books', 'receive-payment-event'];

/** A deployment may have no bucket of recordings, which another route needs not. */
const isOptional = (name: string, variable: string): boolean =>
  (REGISTERED.includes(name) && variable === TABLES.market.variable) ||
  (name === 'create-transcription' && variable === VARIABLES.recordingsBucket);

/** A variable whose absence says that its setting is off. */
const OFF: Readonly<Record<string, readonly string[]>> = { 'fan-out-events': [VARIABLES.alertMail] };

const missing = started.flatMap(([name, variables]) =>
  variables.filter((variable) => !isOptional(name, variable)).map((variable) => [name, variable] as const),
);

const without = (variables: readonly string[] | undefined, name: string): readonly string[] =>
  variables?.filter((other) => other !== name) ?? [];

describe('a function', () => {
  let complete: readonly StartResult[];
  let incomplete: readonly StartResult[];

  beforeAll(() => {
    const starts = [
      ...started.map(([name, variables]) => startOf(name, variables)),
      ...missing.map(([name, variable]) => startOf(name, without(functions.get(name), variable))),
    ];
    const results = startFunctions([...NAMES], starts);
    complete = results.slice(0, started.length);
    incomplete = results.slice(started.length);
  });

  it.each(started.map((each, index) => [...each, index] as const))(
    'receives the variables that its handler reads, and no others: %s',
    (name, variables, index) => {
      const { error, read } = complete[index] as StartResult;
      expect([error, [...read].sort()]).toEqual([undefined, [...variables, ...(OFF[name] ?? [])].sort()]);
    },
  );

  it.each(missing.map((each, index) => [...each, index] as const))(
    'fails at its start if a variable is missing, and names it: %s, %s',
    (_name, variable, index) => {
      expect(incomplete[index]?.error).toContain(`environment variable ${variable} is not set`);
    },
  );
});
