/** MiniStack as a process of its own: an AWS account on loopback that enforces the roles of the functions it runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../tools/local/process/free-port.ts';

/** It imports 90 services; on a busy machine that takes a while. */
const READY_MS = 60_000;

/** The account's root, whom the emulator lets do everything; its functions get sessions of their roles instead. */
const ROOT = { accessKeyId: 'test', secretAccessKey: 'test' } as const;
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

export class Emulator {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #output: string[] = [];

  private constructor(child: ChildProcess, url: string, folder: string) {
    this.#child = child;
    this.url = url;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.#output.push(String(chunk)));
  }

  /**
   * Starts it with the Python that has it installed, on a free port, and waits until it answers. The variables name the
   * simulators of services that it lacks.
   */
  static async start(python: string, variables: Readonly<Record<string, string>> = {}): Promise<Emulator> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'emulator-'));
    const child = spawn(python, [join(import.meta.dirname, 'launcher.py')], {
      env: { ...environment(port, folder), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const emulator = new Emulator(child, `http://127.0.0.1:${port}`, folder);
    try {
      await emulator.#ready();
    } catch (failure) {
      await emulator.stop();
      throw failure;
    }
    return emulator;
  }

  /** The environment variables that an AWS SDK or the CDK CLI needs to use the emulator. */
  get variables(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL: this.url,
      AWS_ACCESS_KEY_ID: ROOT.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ROOT.secretAccessKey,
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  /** The options of an AWS SDK's client, as the root of the account. */
  get client() {
    return { endpoint: this.url, region: REGION, credentials: ROOT };
  }

  /** Calls what takes the project no client: a signature of the root, which the emulator does not check. */
  async send(service: string, path: string, init: RequestInit): Promise<Response> {
    const scope = `${ROOT.accessKeyId}/20260101/${REGION}/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
    const headers = { ...(init.headers as Record<string, string>), authorization };
    const response = await fetch(`${this.url}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  /** The output of the emulator so far. */
  get output(): string {
    return this.#output.join('');
  }

  /** The file with the requests of users that their policies allowed: a line with action and resource each. */
  get allowedRequests(): string {
    return join(this.#folder, ALLOWED_REQUESTS);
  }

  /** Has CloudFormation fail to create any secret, until the returned function is called. */
  failSecrets(): () => void {
    const file = join(this.#folder, FAILING_SECRETS);
    writeFileSync(file, '');
    return () => rmSync(file);
  }

  /** Ends it and the processes of its functions, and deletes what they wrote. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const closed = once(this.#child, 'close');
      this.#child.kill('SIGTERM');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
      await closed;
      clearTimeout(timer);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + READY_MS;
    while (Date.now() < deadline && this.#child.exitCode === null) {
      const response = await fetch(`${this.url}/_ministack/health`).catch(() => undefined);
      if (response?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the emulator did not start:\n${this.output}`);
  }
}

const ALLOWED_REQUESTS = 'allowed.jsonl';
const FAILING_SECRETS = 'failing-secrets';

function environment(port: number, folder: string): Record<string, string> {
  const preload = pathToFileURL(join(import.meta.dirname, 'lambda-runtime.ts')).href;
  return {
    // The functions run on the Node that runs this: the one that Lambda's runtime is of.
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    // What it compiles of this folder would lie in it.
    PYTHONDONTWRITEBYTECODE: '1',
    TMPDIR: folder,
    STATE_DIR: join(folder, 'state'),
    ALLOWED_REQUESTS: join(folder, ALLOWED_REQUESTS),
    FAILING_SECRETS: join(folder, FAILING_SECRETS),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    LAMBDA_EXECUTOR: 'local',
    LOG_LEVEL: 'WARNING',
    // Left on, it would listen on every interface for devices.
    IOT_MTLS_ENABLED: '0',
    // Credentials are checked, and every role's policies with them.
    AUTH: 'true',
    NODE_OPTIONS: `--import ${preload}`,
  };
}
