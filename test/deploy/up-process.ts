/** `up` and `down` of a release's archive, as a user of the emulated account, whose rights are the policies that it is given. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PolicyDocumentText } from '../../operator/policies/scope.ts';
import type { Emulator } from './emulator.ts';

const USER = 'deployer';

/** Runs a command on a terminal of its own, and passes what it reads to it. */
const ON_TERMINAL = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';

export interface UpResult {
  readonly code: number | null;
  readonly output: string;
}

export interface UpRun {
  /** The answer on a terminal; without it, there is no terminal. */
  readonly answer?: string;
  /** The process is killed once it prints this. */
  readonly killAt?: RegExp;
  /** Its credentials in place of the user's. */
  readonly keys?: Readonly<Record<string, string>>;
}

export class UpUser {
  readonly #emulator: Emulator;
  readonly #python: string;
  readonly #root: string;
  #keys: Record<string, string> = {};

  /** `root` is the folder of the archive. */
  constructor(emulator: Emulator, python: string, root: string) {
    this.#emulator = emulator;
    this.#python = python;
    this.#root = root;
  }

  /** Creates the user with managed policies of these documents and an access key. */
  async create(documents: Readonly<Record<string, PolicyDocumentText>>): Promise<void> {
    await this.#iam({ Action: 'CreateUser', UserName: USER });
    for (const [name, document] of Object.entries(documents)) {
      const created = await this.#iam({
        Action: 'CreatePolicy',
        PolicyName: name,
        PolicyDocument: JSON.stringify(document),
      });
      const arn = /<Arn>([^<]*)<\/Arn>/.exec(created)?.[1] ?? '';
      await this.#iam({ Action: 'AttachUserPolicy', UserName: USER, PolicyArn: arn });
    }
    const key = await this.#iam({ Action: 'CreateAccessKey', UserName: USER });
    this.#keys = {
      AWS_ACCESS_KEY_ID: /<AccessKeyId>([^<]*)</.exec(key)?.[1] ?? '',
      AWS_SECRET_ACCESS_KEY: /<SecretAccessKey>([^<]*)</.exec(key)?.[1] ?? '',
    };
  }

  /** Denies an action, by a policy next to the others, until the returned function is called. */
  async deny(action: string | readonly string[], resource = '*'): Promise<() => Promise<unknown>> {
    const statement = { Effect: 'Deny', Action: action, Resource: resource };
    await this.#iam({
      Action: 'PutUserPolicy',
      UserName: USER,
      PolicyName: 'denied',
      PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
    });
    return () => this.#iam({ Action: 'DeleteUserPolicy', UserName: USER, PolicyName: 'denied' });
  }

  /** Runs `up` or `down` to its end, or until it prints what it is killed at. */
  async run(
    command: 'up' | 'down',
    args: readonly string[],
    { answer, killAt, keys = this.#keys }: UpRun = {},
  ): Promise<UpResult> {
    const words = ['./service', command, ...args];
    const [program = '', ...rest] =
      answer === undefined ? words : [this.#python, '-c', ON_TERMINAL, ...words];
    const child = spawn(program, rest, { cwd: this.#root, env: this.#environment(keys), detached: true });
    let output = '';
    let isKilled = false;
    let isAnswered = false;
    const read = (chunk: Buffer) => {
      output += String(chunk);
      if (answer !== undefined && !isAnswered && output.includes('(yes/no)')) {
        isAnswered = true;
        child.stdin?.write(`${answer}\n`);
      }
      if (killAt?.test(output) === true && !isKilled) {
        isKilled = true;
        kill(child);
      }
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    if (answer === undefined) child.stdin?.end();
    const [code] = await once(child, 'close');
    return { code: code as number | null, output };
  }

  #environment(keys: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...this.#emulator.variables,
      ...keys,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      CI: 'true',
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'emulated-addresses.ts')).href}`,
    };
  }

  async #iam(fields: Record<string, string>): Promise<string> {
    const response = await this.#emulator.send('iam', '/', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...fields, Version: '2010-05-08' }).toString(),
    });
    return response.text();
  }
}

/** Kills the process and those that it started, which are one group. */
function kill(child: ChildProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
}
