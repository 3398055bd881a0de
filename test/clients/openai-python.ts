/** The example of OpenAI's SDK in Python, which needs the packages of this ring. */
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { expectCallsOfOpenAi, expectMissing, paidOutput } from '../system/example-run.ts';
import { service } from './service.ts';

const { CLIENTS_PYTHON: installed } = process.env;
const described = installed === undefined ? describe.skip : describe;

described('the example openai-python', () => {
  const interpreter = join(installed ?? '', 'bin', 'python');
  const program = 'examples/openai-python/main.py';

  it('streams, is charged once for a repeated call, and reads an error', async () => {
    expectCallsOfOpenAi((await paidOutput(service, program, { interpreter })).stdout);
  });

  it('names the variables that are missing', () => expectMissing(program, 'API_KEY', interpreter));
});
