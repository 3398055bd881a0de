/** A stage whose processes have different versions: hosts, and the function that writes keys. */
import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { type Policy, policyEntry } from '../../../lambdas/access/core/keys/policy.ts';
import { createSessions } from '../../../lambdas/access/store/sessions/session-tokens.ts';
import { createSecretsClient, type DynamoClients } from '../../../lambdas/platform/aws/clients.ts';
import { VARIABLES } from '../../../lambdas/platform/contract/environment.ts';
import { LAYOUTS, type StageLayouts } from '../../../lambdas/platform/contract/layouts.ts';
import { lambdaEvent } from '../../../lambdas/platform/testing/lambda-event.ts';
import { recordLayouts } from '../../../lambdas/platform/testing/record-layouts.ts';
import { REGION } from '../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../local/dynamodb/client.ts';
import { functionEnvironment } from '../../local/functions/environment.ts';
import { FunctionProcess } from '../../local/functions/function-process.ts';
import type { LoopbackServer } from '../../simulators/loopback-server.ts';
import { type Database, openDatabase } from '../../test-kit/database.ts';
import { DATABASE_TABLES } from '../../test-kit/engine.ts';
import { functionVariables } from '../bundles/environment.ts';
import type { ServiceProcess } from '../harness/process.ts';
import { type BenchAccount, openAccount, SILENT } from '../harness/service/account.ts';
import { applyCatalog, catalogOf } from '../harness/service/bench-catalog.ts';
import { type BenchUpstream, startBenchUpstream } from '../harness/upstream/process.ts';
import { startHost, startSettings } from '../host/process.ts';
import { EMBEDDINGS, STREAM, WHOLE } from './callers.ts';
import type { Programs, ProgramVersion } from './programs.ts';

/** The layout of keys that this version writes, and the one before does not. */
const LATER_LAYOUT = LAYOUTS.keys.writes;

/** The function that creates keys. */
const FUNCTION = {
  name: 'create-key',
  label: 'create-key',
  arn: 'arn:aws:lambda:us-east-1:123456789012:function:create-key',
  handler: 'index.handler',
  timeoutMs: 60_000,
  memoryMb: 512,
  roleArn: '',
} as const;

const modelOfEmbeddings = (upstreamUrl: string) => ({
  id: EMBEDDINGS,
  type: 'embeddings',
  owned_by: 'bench',
  created: 1_760_000_000,
  context_window: 8_192,
  price: { unit: 'per_million_tokens', input: 0.02 },
  routes: [
    {
      id: 'bench-embeddings',
      protocol: 'openai',
      base_url: `${upstreamUrl}/v1`,
      upstream_model: WHOLE,
      secret: 'env:SIM_KEY',
    },
  ],
});

interface StageServers {
  readonly upstream: BenchUpstream;
  readonly database: Database;
  readonly settings: LoopbackServer;
}

/** The response of a function. */
interface FunctionResponse {
  readonly statusCode: number;
  readonly body: string;
}

export class MixedStage {
  readonly clients: DynamoClients;
  readonly #programs: Programs;
  readonly #servers: StageServers;

  private constructor(programs: Programs, servers: StageServers) {
    this.#programs = programs;
    this.#servers = servers;
    this.clients = servers.database.connect();
  }

  static async open(programs: Programs): Promise<MixedStage> {
    const [upstream, database, settings] = await Promise.all([
      startBenchUpstream(),
      openDatabase(),
      startSettings(),
    ]);
    const { models, ...rest } = JSON.parse(catalogOf(upstream.url, [WHOLE, STREAM]));
    const catalog = { ...rest, models: [...models, modelOfEmbeddings(upstream.url)] };
    await applyCatalog(database, JSON.stringify(catalog));
    return new MixedStage(programs, { upstream, database, settings });
  }

  /** Writes the programs of versions, before calls have a use for the processor. */
  async writePrograms(versions: readonly ProgramVersion[]): Promise<void> {
    await Promise.all(
      versions.flatMap((version) => [
        this.#programs.host(version),
        this.#programs.function(version, FUNCTION.name),
      ]),
    );
  }

  async startHost(version: ProgramVersion): Promise<ServiceProcess> {
    const { database, settings } = this.#servers;
    const folder = await this.#programs.host(version);
    const overrides = { HOST_GRACE_SECONDS: '100' };
    return startHost({ database, folder, settingsUrl: settings.url, overrides });
  }

  openAccount(): Promise<BenchAccount> {
    return openAccount(this.clients, this.#servers.database.environment);
  }

  /** Creates a key of each policy in a new process of the function of a version. Returns the responses. */
  async createKeys(
    version: ProgramVersion,
    accountId: string,
    policies: readonly Policy[],
  ): Promise<readonly FunctionResponse[]> {
    const { database, settings } = this.#servers;
    const environment = functionEnvironment({
      description: {
        ...FUNCTION,
        assetDir: await this.#programs.function(version, FUNCTION.name),
        environment: { ...functionVariables(FUNCTION.name), ...database.environment },
      },
      passedThrough: process.env,
      overrides: {},
      accessKeyId: ENGINE_CREDENTIALS.accessKeyId,
      awsEndpoint: settings.url,
      dynamodbEndpoint: database.endpoint,
    });
    const functionProcess = new FunctionProcess({ label: FUNCTION.label, environment, log: () => {} });
    try {
      await functionProcess.ready;
      const headers = {
        authorization: [`Bearer ${await this.#sessionOf(accountId)}`],
        'content-type': ['application/json'],
      };
      const responses: FunctionResponse[] = [];
      for (const policy of policies) {
        const event = lambdaEvent({
          path: '/api-keys',
          httpMethod: 'POST',
          multiValueHeaders: headers,
          body: JSON.stringify({ name: 'rolling', policy: policyEntry(policy) }),
        });
        const response = await functionProcess.send({
          event: Buffer.from(JSON.stringify(event)),
          requestId: randomUUID(),
          deadlineMs: Date.now() + FUNCTION.timeoutMs,
          signal: AbortSignal.timeout(FUNCTION.timeoutMs),
        });
        responses.push((await json(response)) as FunctionResponse);
      }
      return responses;
    } finally {
      functionProcess.kill();
      await functionProcess.exited;
    }
  }

  async #sessionOf(accountId: string): Promise<string> {
    const { database, settings } = this.#servers;
    const secrets = createSecretsClient({
      endpoint: settings.url,
      region: REGION,
      credentials: ENGINE_CREDENTIALS,
    });
    const environment = { ...database.environment, [VARIABLES.sessionKeySecret]: 'none' };
    const { sessions } = createSessions({ environment, log: SILENT, clients: this.clients, secrets });
    try {
      return await sessions.start(accountId, 3_600);
    } finally {
      secrets.destroy();
    }
  }

  /** Records the layouts that the data may have. */
  record(layouts: StageLayouts): Promise<void> {
    return recordLayouts(this.clients.client, DATABASE_TABLES.catalog, layouts);
  }

  /** Permits the layouts of the next version, as `admin layout finish` of that version does. */
  finish(): Promise<void> {
    return this.record({ keys: LATER_LAYOUT });
  }

  /** Returns the number of keys in the later layout. */
  async laterKeys(): Promise<number> {
    const items = await this.items('keys');
    return items.filter(({ read_scope: scope }) => scope !== undefined).length;
  }

  async items(table: keyof typeof DATABASE_TABLES) {
    const { client } = this.clients;
    const items: Record<string, unknown>[] = [];
    for await (const { Items: page = [] } of paginateScan(
      { client },
      { TableName: DATABASE_TABLES[table], ConsistentRead: true },
    ))
      items.push(...page);
    return items;
  }

  async close(): Promise<void> {
    const { database, settings, upstream } = this.#servers;
    await database.close();
    await settings.stop();
    await upstream.kill();
  }
}
