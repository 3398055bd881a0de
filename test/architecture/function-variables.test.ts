import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { functionVariables } from '../../bench/bundles/environment.ts';
import { CONSUMERS } from '../../lambdas/contract/consumers.ts';
import { ROUTES } from '../../lambdas/contract/routes.ts';
import { type FunctionName, GRANTS } from '../../lib/config/grants.ts';
import { printedLines } from '../printed-lines.ts';

const printed = printedLines();

const names = Object.keys(GRANTS) as FunctionName[];
const NOT_GRANTED = /^(AWS_|POWERTOOLS_)/;

const moduleOf = (name: FunctionName): string =>
  `../../lambdas/${name in CONSUMERS ? 'consumers' : 'endpoints'}/${name}/handler.ts`;

const { env } = process;

/** Timers of what functions begin as they load keep the process; those of jest are fewer. */
afterAll(async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  for (let look = 0; look < 1_000 && timers() > 3; look += 1) await pause(20);
});

/** The variables that a function reads while it starts with those. Throws what its start throws. */
async function readAtStart(name: FunctionName, variables: Readonly<Record<string, string>>) {
  const read = new Set<string>();
  process.env = new Proxy(
    { ...env, ...variables },
    {
      get(target, variable: string) {
        read.add(variable);
        return target[variable];
      },
    },
  );
  Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler } });
  await import(moduleOf(name));
  return read;
}

describe('a function', () => {
  it.each(names)(
    'finds at its start every variable that it needs, and is given no other: %s',
    async (name) => {
      const variables = functionVariables(name);
      const read = await readAtStart(name, variables);
      const given = Object.keys(variables).filter((variable) => !NOT_GRANTED.test(variable));
      expect(given.filter((variable) => !read.has(variable))).toEqual([]);
    },
  );

  it('that begins to read circuits as it loads says so once when it cannot, and nothing else', async () => {
    const paid = ROUTES.filter((route) => 'paid' in route && route.paid);
    const readers = [...new Set(paid.map(({ endpoint }) => endpoint))].sort();
    for (let look = 0; look < 2_000 && printed.length < readers.length; look += 1) await pause(20);
    expect(printed.map(({ service }) => service).sort()).toEqual(readers);
    expect(new Set(printed.map(({ message }) => message))).toEqual(new Set(['circuits not read']));
  });
});
