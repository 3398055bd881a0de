import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/contract/environment.ts';
import { QUEUES } from '../../lambdas/contract/queues.ts';
import { TABLES } from '../../lambdas/contract/tables.ts';
import type { FunctionName } from '../../lib/config/grants.ts';
import { CONSUMER_NAMES } from './functions.ts';
import { SERVICE_STACKS, SynthesizedApp } from './synthesized-app.ts';

const LAMBDAS = join(import.meta.dirname, '..', '..', 'lambdas');

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
  [VARIABLES.deliveryLeaseSeconds]: '40',
  [VARIABLES.identityProviders]: '{}',
  [VARIABLES.paymentApiUrl]: 'https://api.example.com',
  [VARIABLES.paymentReturnUrl]: 'https://example.com',
};

const outer = process.env;
let given: Record<string, string> = {};
let asked = new Set<string>();
let imports = 0;

/** Functions read ahead while they load: these let the reads fail at once, and in silence. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_MAX_ATTEMPTS: '1',
  AWS_EC2_METADATA_DISABLED: 'true',
  LOG_LEVEL: 'SILENT',
};

/** Gives the variables of the contract that a function is given, and notes which are asked for. */
const environment = (): NodeJS.ProcessEnv =>
  new Proxy(
    {},
    {
      get(_target, name: string) {
        if (!NAMES.has(name)) return UNREACHABLE[name] ?? outer[name];
        asked.add(name);
        return given[name];
      },
    },
  );

/** Runs a handler's module afresh, in an environment that has these variables of the contract and no others. */
async function start(name: FunctionName, variables: readonly string[]): Promise<unknown> {
  given = Object.fromEntries(variables.map((variable) => [variable, SPECIAL[variable] ?? 'a-name']));
  asked = new Set();
  imports += 1;
  // Another object: what handlers of one process have in common is made once for each environment.
  process.env = environment();
  const kind = CONSUMER_NAMES.some((consumer) => consumer === name) ? 'consumers' : 'endpoints';
  return import(`${join(LAMBDAS, kind, name, 'handler.ts')}?start=${imports}`);
}

beforeAll(() => {
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler } });
});

/** For what was read ahead to fail. */
const READS_MS = 2_000;

afterAll(async () => {
  await setTimeout(READS_MS);
  process.env = outer;
  Reflect.deleteProperty(globalThis, 'awslambda');
});

const started = [...functions];
const missing = started.flatMap(([endpoint, variables]) =>
  variables.map((name) => [endpoint, name] as const),
);

describe('a function', () => {
  it.each(started)(
    'is given the variables that its handler reads, and no others: %s',
    async (endpoint, variables) => {
      expect(await start(endpoint, variables)).toHaveProperty('handler');
      expect([...asked].sort()).toEqual([...variables].sort());
    },
  );

  it.each(missing)('does not start when one is missing, and says which: %s, %s', async (endpoint, name) => {
    const others = functions.get(endpoint)?.filter((other) => other !== name) ?? [];
    await expect(start(endpoint, others)).rejects.toThrow(`environment variable ${name} is not set`);
  });
});
