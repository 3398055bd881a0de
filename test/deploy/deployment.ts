/** The service as an operator deploys it: the real CDK CLI, the admin command with a stage, the deployed addresses. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { RELEASED_SETTINGS } from '../../tools/release/assembly/assembly.ts';
import { ACCOUNT, type Emulator, REGION } from './emulator.ts';
import { importVersion, type OtherVersion } from './versions/versions.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** For the commands that call the stage by its addresses. */
const EMULATED_ADDRESSES = `--import ${pathToFileURL(join(import.meta.dirname, 'emulated-addresses.ts')).href}`;

/** A deploy prints a line for each event of each resource. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export class Deployment {
  readonly stage = RELEASED_SETTINGS.stage;
  readonly #emulator: Emulator;
  /** For files that a command reads; deleted with the deployment's other files. */
  readonly folder = mkdtempSync(join(tmpdir(), 'deployment-'));
  readonly #cloudFormation: CloudFormationClient;
  /** The settings that the assembly in the folder is of. */
  #synthesized: string | undefined;
  /** The version of the code; this one if undefined. */
  #version: OtherVersion | undefined;

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.#cloudFormation = new CloudFormationClient(emulator.client);
  }

  dispose(): void {
    this.#cloudFormation.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }

  bootstrap(): Promise<string> {
    return this.#cdk(undefined, 'bootstrap', `aws://${ACCOUNT}/${REGION}`);
  }

  /** `npm run deploy` with these settings, of all stacks or of some; resolves with what the CLI printed. */
  deploy(settings: object, stacks?: readonly string[]): Promise<string> {
    return this.#cdk(settings, ...this.#deploying(stacks));
  }

  /** The same of stacks that were synthesized before, maybe by another version. */
  deployAssembly(assembly: string, stacks?: readonly string[]): Promise<string> {
    return this.#cdk(undefined, ...this.#deploying(stacks), '--app', assembly);
  }

  /** Lets all that follows be done with the code of another version, or with that of this one. */
  useVersion(version?: OtherVersion): void {
    this.#version = version;
    this.#synthesized = undefined;
  }

  /** `npm run up` with the settings that were synthesized last; resolves with its exit code and what it printed. */
  up(): Promise<readonly [number | null, string]> {
    return this.#exit('operator/up/run.ts', '--app', join(this.folder, 'cdk.out'), '--yes');
  }

  /** Runs the step before the CLI in `npm run deploy`, with the settings of the last deployment. */
  predeploy(): Promise<readonly [number | null, string]> {
    return this.#exit('operator/deployment/check.ts');
  }

  /** Deletes the stacks that were synthesized last. */
  destroy(): Promise<string> {
    return this.#cdk(undefined, 'destroy', '--all', '--force', '--app', join(this.folder, 'cdk.out'));
  }

  /** `npm run admin -- <command> --stage <stage> --json`; its one JSON object. */
  async admin<T = Record<string, unknown>>(...command: string[]): Promise<T> {
    const args = ['operator/admin.ts', ...command, '--stage', this.stage, '--json'];
    const { stdout } = await run(process.execPath, args, { cwd: root, env: this.#environment() });
    return JSON.parse(stdout) as T;
  }

  /** The same for a command whose result is negative: it exits with 1. */
  async failingAdmin<T = Record<string, unknown>>(...command: string[]): Promise<T> {
    const failure = await this.admin(...command).then(
      () => undefined,
      (reason: { readonly code?: number; readonly stdout?: string }) => reason,
    );
    if (failure?.code !== 1) throw new Error(`${command.join(' ')} ended with ${failure?.code ?? 0}, not 1`);
    return JSON.parse(failure.stdout ?? '') as T;
  }

  /** `catalog apply` of a document, with the models whose large changes of price are accepted; resolves with its version. */
  async applyCatalog(json: string, accepted: readonly string[] = []): Promise<string> {
    const file = join(this.folder, 'catalog.json');
    writeFileSync(file, json);
    const options = accepted.flatMap((id) => ['--accept', id]);
    return (await this.admin<{ version: string }>('catalog', 'apply', file, '--remove', ...options)).version;
  }

  stackName(stack: string): string {
    return `Inference-${this.stage}-${stack}`;
  }

  /** The names of the tables in the account. */
  async tables(): Promise<readonly string[]> {
    const client = new DynamoDBClient(this.#emulator.client);
    const { TableNames: names } = await client.send(new ListTablesCommand({}));
    client.destroy();
    return names ?? [];
  }

  /** Deletes the tables as the operator's page describes. */
  async deleteTables(names: readonly string[]): Promise<void> {
    const client = new DynamoDBClient(this.#emulator.client);
    for (const TableName of names) {
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
      await client.send(new DeleteTableCommand({ TableName }));
    }
    client.destroy();
  }

  /** The names of the stacks that are deployed, without those that are nested in others. */
  async stacks(): Promise<readonly string[]> {
    const { Stacks: stacks } = await this.#cloudFormation.send(new DescribeStacksCommand({}));
    return (stacks ?? [])
      .map(({ StackName }) => StackName ?? '')
      .filter((name) => name.startsWith('Inference-') && !name.includes('NestedStack'))
      .sort();
  }

  async outputs(stack: string): Promise<Readonly<Record<string, string>>> {
    const { Stacks: stacks } = await this.#cloudFormation.send(
      new DescribeStacksCommand({ StackName: this.stackName(stack) }),
    );
    const outputs = stacks?.[0]?.Outputs ?? [];
    return Object.fromEntries(
      outputs.map(({ OutputKey, OutputValue }) => [OutputKey ?? '', OutputValue ?? '']),
    );
  }

  /** The API's address: on the emulator instead of the name that AWS would serve it under. */
  async apiUrl(stack: 'inference' | 'platform'): Promise<string> {
    const endpoint = Object.values(await this.outputs(stack)).find((value) =>
      value.includes('.execute-api.'),
    );
    const id = endpoint === undefined ? undefined : /^https:\/\/(\w+)\.execute-api\./.exec(endpoint)?.[1];
    if (id === undefined) throw new Error(`the ${stack} stack has no output with the address of an API`);
    return `${this.#emulator.url}/_aws/execute-api/${id}/${this.stage}`;
  }

  async #exit(...args: readonly string[]): Promise<readonly [number | null, string]> {
    const child = spawn(process.execPath, args, { cwd: root, env: this.#environment() });
    const [output, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await once(child, 'exit');
    return [child.exitCode, output + error];
  }

  #deploying(stacks: readonly string[] | undefined): readonly string[] {
    const chosen =
      stacks === undefined ? ['--all'] : ['--exclusively', ...stacks.map((name) => this.stackName(name))];
    return ['deploy', ...chosen, '--require-approval', 'never'];
  }

  /** The app is synthesized once for the same settings; a command without settings does not need it. */
  async #cdk(settings: object | undefined, ...command: string[]): Promise<string> {
    const config = JSON.stringify({ ...RELEASED_SETTINGS, ...settings });
    const output = join(this.folder, 'cdk.out');
    const app =
      settings === undefined ? [] : this.#synthesized === config ? ['--app', output] : ['--output', output];
    writeFileSync(join(this.folder, 'config.json'), config);
    const cli = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
    const args = [cli, ...command, '--no-notices', '--ci', ...app];
    if (settings !== undefined) this.#synthesized = config;
    try {
      // The app is named by the checkout's own settings of the CLI.
      const cwd = settings === undefined ? this.folder : root;
      const options = { cwd, env: this.#environment(), maxBuffer: MAX_OUTPUT_BYTES };
      const { stdout, stderr } = await run(process.execPath, args, options);
      return stdout + stderr;
    } catch (failure) {
      const { stdout, stderr } = failure as { stdout?: string; stderr?: string };
      const printed = `${stdout ?? ''}${stderr ?? ''}`.slice(-5_000);
      throw new Error(`cdk ${command.join(' ')} failed:\n${printed}\n${this.#emulator.output.slice(-5_000)}`);
    }
  }

  #environment(): Record<string, string | undefined> {
    return {
      ...process.env,
      ...this.#emulator.variables,
      // `cdk.json` says `node`: the one that runs this.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      CONFIG: join(this.folder, 'config.json'),
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      NODE_OPTIONS: [
        EMULATED_ADDRESSES,
        ...(this.#version === undefined ? [] : [importVersion(this.#version)]),
      ].join(' '),
    };
  }
}
