/** Clients that are installed apart from this package: each is a program that prints what it saw of each model. */
import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { caller } from './caller.ts';
import { MODELS, PROTOCOLS } from './models.ts';

const run = promisify(execFile);

const folder = join(import.meta.dirname, 'programs');
const { CLIENTS_AGENTS: agents, CLIENTS_PYTHON: python } = process.env;

interface ClientRun {
  /** The answer to a tool's output. */
  readonly tool: string;
  /** The answer to a second turn. */
  readonly second: string;
  readonly streamed: string;
  /** The number of runs of the tool. */
  readonly runs: number;
  /** The client's own result for the streamed response, if the client reports one. */
  readonly completeOutput?: string;
  /** The agent that answered after a handoff. */
  readonly agent?: string;
  /** An object of a schema. */
  readonly person?: unknown;
}

interface Program {
  readonly name: string;
  /** The folder of the client's packages; undefined if they could not be installed. */
  readonly installed: string | undefined;
  readonly file: string;
  /** The values that the client observes, on every model. */
  readonly sees: Partial<Record<keyof ClientRun, unknown>>;
}

const PERSON = { name: expect.any(String), age: expect.any(Number) };
const HANDED = { agent: 'helper', runs: 2 };

const PROGRAMS: readonly Program[] = [
  { name: 'OpenAI Agents SDK', installed: agents, file: 'openai-agents.mjs', sees: HANDED },
  { name: 'OpenAI Agents SDK of Python', installed: python, file: 'openai-agents.py', sees: HANDED },
  {
    name: 'Pydantic AI',
    installed: python,
    file: 'pydantic-ai.py',
    sees: { person: PERSON, runs: 1, streamed: 'third turn' },
  },
  {
    name: 'OpenAI SDK of Python',
    installed: python,
    file: 'openai-sdk.py',
    sees: { person: PERSON, runs: 1, streamed: 'second turn' },
  },
];

/** Node finds packages from where a program stands. */
function commandOf({ installed = '', file }: Program): readonly [string, string] {
  if (!file.endsWith('.mjs')) return [join(installed, 'bin', 'python'), join(folder, file)];
  const copy = join(installed, basename(file));
  copyFileSync(join(folder, file), copy);
  return [process.execPath, copy];
}

async function runProgram(program: Program): Promise<Record<string, ClientRun>> {
  const { baseURL: BASE_URL, apiKey: API_KEY } = caller();
  const env = {
    ...process.env,
    BASE_URL,
    API_KEY,
    MODELS: Object.values(MODELS).join(','),
  };
  const [command, file] = commandOf(program);
  const { stdout } = await run(command, [file], { env, timeout: 120_000 });
  return JSON.parse(stdout) as Record<string, ClientRun>;
}

const running = new Map<Program, Promise<Record<string, ClientRun>>>();

/** All at once: each waits for most of its time for others. */
beforeAll(() => {
  for (const program of PROGRAMS.filter(({ installed }) => installed !== undefined)) {
    const run = runProgram(program);
    run.catch(() => undefined);
    running.set(program, run);
  }
});

for (const program of PROGRAMS) {
  const { name, installed, sees } = program;
  const described = installed === undefined ? describe.skip : describe;
  described(`${name}, on the Responses API`, () => {
    it.each(PROTOCOLS)(
      'runs a tool, a second turn, a stream and what is its own, over %s',
      async (_, model) => {
        const responses = (await running.get(program))?.[model];
        const { tool, second, streamed, completeOutput = streamed } = responses ?? {};
        expect(tool).toContain('minus 7 degrees');
        expect(second).toBe('second turn');
        expect(streamed).not.toBe('');
        expect(completeOutput).toBe(streamed);
        expect(responses).toMatchObject(sees);
      },
      130_000,
    );
  });
}
