/** The whole service as `npm start` runs it, on a port and in a folder of its own. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { until } from '../../tools/test-kit/waiting.ts';
import type { AdminCommand, AdminResult } from './admin-process.ts';
import { describedFetch } from './described-answers.ts';

const root = join(import.meta.dirname, '..', '..');

type KeyedInit = RequestInit & { readonly key?: string | null };

/** A request that has reached the simulated upstream. */
export interface ReceivedRequest {
  readonly sequence: number;
  readonly started_at: string;
  readonly model: string | null;
  readonly outcome: string | null;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A start takes seconds; before this, jest would end a test without what the service has printed. */
const READY_MS = 110_000;

export interface Session {
  readonly base_url: string;
  readonly platform_url: string;
  readonly api_key: string;
  readonly session_token: string;
  readonly upstream_control_url: string;
  readonly pid: number;
}

interface Audit {
  readonly exact: boolean;
  readonly drift: number;
  readonly held: number;
}

interface WalletView {
  readonly balance: number;
  readonly held: number;
}

/** A disk for the folder of a service, which its processes alone see there. */
export interface SeparateDisk {
  /** The command in front of a program that sees the disk. */
  readonly command: readonly string[];
  /** The folder, as other programs see it. */
  readonly view: string;
}

export class Service {
  readonly directory = mkdtempSync(join(tmpdir(), 'service-'));
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #session: Session | undefined;
  #admin: ChildProcess | undefined;
  #requestCounts = 0;
  /** The disk of the folder, if it has one. */
  disk: SeparateDisk | undefined;
  /** Everything the service has printed. */
  output = '';
  /** Lines that the operator's commands report in addition to their output. */
  reported = '';

  constructor(environment: Record<string, string> = {}) {
    this.#environment = {
      PORT: '0',
      IP_RPM: '0',
      DEMO_HISTORY_DAYS: '0',
      LOCAL_DIR: this.directory,
      ...environment,
    };
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error('the service is not running');
    return this.#session;
  }

  /** The books, once no process holds anything in advance. */
  audit(): Promise<Audit> {
    return this.#released<Audit>('audit');
  }

  /** The wallet of an account as an operator sees it, once no process holds anything in advance. */
  wallet(accountId: string): Promise<WalletView> {
    return this.#released<WalletView>('wallet', 'show', '--account', accountId);
  }

  #released<T extends { readonly held: number }>(...words: readonly string[]): Promise<T> {
    return until(
      () => this.admin<T>(...words),
      ({ held }) => held === 0,
    );
  }

  /** The endpoints of models run on the shared host. */
  get isHost(): boolean {
    return (this.#environment.COMPUTE ?? process.env.COMPUTE) === 'host';
  }

  async start(environment: Record<string, string> = {}): Promise<Session> {
    const command = [...(this.disk?.command ?? []), process.execPath, 'tools/local/start.ts'] as const;
    const child = spawn(command[0], command.slice(1), {
      cwd: root,
      env: { ...process.env, ...this.#environment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const collect = (chunk: Buffer) => {
      this.output += String(chunk);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const deadline = Date.now() + READY_MS;
    while (Date.now() < deadline && child.exitCode === null) {
      this.#session = this.#read(child.pid ?? 0);
      if (this.#session !== undefined) return this.#session;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`the service did not start:\n${this.output}`);
  }

  get #folder(): string {
    return this.disk?.view ?? this.directory;
  }

  #read(pid: number): Session | undefined {
    try {
      const session = JSON.parse(readFileSync(join(this.#folder, 'session.json'), 'utf8')) as Session;
      return session.pid === pid ? session : undefined;
    } catch {
      return undefined;
    }
  }

  /** Ends the process as an operator would, or as a crash would; resolves with its exit code. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    this.#session = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    child.kill(signal);
    return closed;
  }

  /** Ends the process as `stop` does, and that of the operator; the folder remains. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#admin?.disconnect();
    this.#admin = undefined;
    await this.stop(signal);
  }

  async dispose(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** The official SDK, with retries off so that every answer is seen. */
  openai(apiKey = this.session.api_key): OpenAI {
    return new OpenAI({
      baseURL: `${this.session.base_url}/v1`,
      apiKey,
      maxRetries: 0,
      fetch: describedFetch,
    });
  }

  anthropic(apiKey: string): Anthropic {
    return new Anthropic({ baseURL: this.session.base_url, apiKey, maxRetries: 0, fetch: describedFetch });
  }

  fetch(path: string, init: KeyedInit = {}): Promise<Response> {
    const { key = this.session.api_key, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
    return describedFetch(`${this.session.base_url}${path}`, { ...rest, headers });
  }

  /** Sends JSON. */
  post(path: string, body: object, init: KeyedInit = {}): Promise<Response> {
    const headers = {
      'content-type': 'application/json',
      ...(init.headers as Record<string, string> | undefined),
    };
    return this.fetch(path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
  }

  chat(body: object, init: KeyedInit = {}): Promise<Response> {
    return this.post('/v1/chat/completions', body, init);
  }

  /** The next requests to the simulated upstream that match go wrong in this way; all of them if `times` is 0. */
  async fault(fault: object, match: object = {}, times = 1): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await this.#control('/faults', {
      method: 'POST',
      headers,
      body: JSON.stringify({ fault, match, times }),
    });
  }

  /** Ends all faults, and lets requests go on that one has wait. */
  async endFaults(): Promise<void> {
    await this.#control('/faults', { method: 'DELETE' });
  }

  /** The requests to the simulated upstream, or those after one of them. */
  async received(since = 0): Promise<readonly ReceivedRequest[]> {
    const response = await this.#control(`/requests?since=${since}`);
    return ((await response.json()) as { requests: readonly ReceivedRequest[] }).requests;
  }

  #control(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.session.upstream_control_url}${path}`, init);
  }

  /** Returns the output of `npm run admin -- <command> --json`; throws if its exit code is not 0. */
  async admin<T = Record<string, unknown>>(...command: string[]): Promise<T> {
    this.#admin ??= this.#startAdmin();
    const admin = this.#admin;
    const id = ++this.#requestCounts;
    const response = await new Promise<AdminResult>((resolve, reject) => {
      const finish = (result: AdminResult) => {
        if (result.id !== id) return;
        admin.off('message', finish).off('exit', leave);
        this.reported += result.reported;
        resolve(result);
      };
      const leave = () => reject(new Error('the process of the operator has ended'));
      admin.on('message', finish).once('exit', leave);
      admin.send({ id, words: command } satisfies AdminCommand);
    });
    if ('error' in response) throw new Error(response.error);
    return JSON.parse(response.output) as T;
  }

  #startAdmin(): ChildProcess {
    const admin = fork(join(import.meta.dirname, 'admin-process.ts'), {
      cwd: root,
      execArgv: [],
      env: { ...process.env, ...this.#environment, LOCAL_DIR: this.#folder },
      silent: true,
    }).setMaxListeners(0);
    for (const stream of [admin.stdout, admin.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += String(chunk);
      });
    return admin;
  }

  /** A fresh account with that much credit, and a key of it. */
  async account(
    credits: string,
    policy: object = {},
  ): Promise<{ readonly id: string; readonly key: string }> {
    const { account_id: id } = await this.admin<{ account_id: string }>('account', 'create');
    if (credits !== '0') await this.admin('credit', 'grant', '--account', id, '--amount', credits);
    const { key } = await this.admin<{ key: string }>(
      'key',
      'create',
      '--account',
      id,
      '--policy',
      JSON.stringify({ rpm: 100_000, ...policy }),
    );
    return { id, key };
  }
}
