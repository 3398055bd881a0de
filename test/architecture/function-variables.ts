import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FunctionName, GRANTS } from '../../lib/config/grants.ts';
import { functionVariables } from '../../tools/bench/bundles/environment.ts';
import { type CapturedLines, captureLines } from '../../tools/test-kit/captured-lines.ts';
import { handlerOf } from '../../tools/test-kit/handlers.ts';

const names = Object.keys(GRANTS) as FunctionName[];
const NOT_GRANTED = /^(AWS_|POWERTOOLS_)/;

const { env } = process;

let printed: CapturedLines;
beforeAll(() => {
  printed = captureLines();
});
afterAll(async () => {
  // Functions of paid routes begin to read as they load, and there is nothing to read: what that loads must be loaded first.
  await sleep(500);
  printed.restore();
  process.env = env;
  expect(printed.lines).toEqual([]);
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
  await import(handlerOf(name));
  return read;
}

describe('a function', () => {
  it.each(names)('receives at its start every variable that it needs, and no other: %s', async (name) => {
    const variables = functionVariables(name);
    const read = await readAtStart(name, variables);
    const grantedVariables = Object.keys(variables).filter((variable) => !NOT_GRANTED.test(variable));
    expect(grantedVariables.filter((variable) => !read.has(variable))).toEqual([]);
  });
});
