/** Puts the local service together: an assembly's functions behind its APIs, with AWS answered on loopback. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Assembly, readAssembly } from './assembly/assembly.ts';
import type { FunctionDescription } from './assembly/functions.ts';
import { createBedrockService, createModelServices } from './aws/bedrock-service.ts';
import { accessKeyIdOf, createCallers } from './aws/callers.ts';
import { createDynamoDbService } from './aws/dynamodb-service.ts';
import { type AwsEndpoint, type AwsServiceHandler, startAwsEndpoint } from './aws/endpoint.ts';
import { MessagingServices } from './aws/messaging.ts';
import { openSecretStore } from './aws/secret-store.ts';
import { createSecretsService } from './aws/secrets-service.ts';
import { createStatesService } from './aws/states-service.ts';
import { invokeBuffered, startBackground } from './background.ts';
import { ENGINE_CREDENTIALS } from './dynamodb/client.ts';
import { startEngine } from './dynamodb/engine.ts';
import { startTables } from './dynamodb/start-tables.ts';
import { TableWrites } from './dynamodb/table-writes.ts';
import { deploymentEnvironment } from './functions/deployment-environment.ts';
import { functionEnvironment } from './functions/environment.ts';
import { FunctionFleet } from './functions/function-fleet.ts';
import { createHosts, sharedCaller } from './functions/hosts.ts';
import { Gateway } from './gateway/gateway.ts';
import { startStreams } from './streams/streams.ts';

export interface RuntimeOptions {
  /** A folder that `cdk synth` wrote. */
  readonly assemblyDir: string;
  /** The folder of the tables and secrets; created if it does not exist. */
  readonly stateDir: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The shell's variables, which functions may read (`env:NAME` secrets among them). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that win over the templates in every function. */
  readonly overrides: Readonly<Record<string, string>>;
  /** Gives those that say where the service is; only the functions of routes have them. */
  readonly overridesAt?: (url: string) => Readonly<Record<string, string>>;
  /** Replaces the limit of WAF's rate rules; 0 lifts them. */
  readonly ipRequestsPerMinute?: number | undefined;
  /** A DynamoDB to use in place of the embedded one. */
  readonly dynamodbEndpoint?: string | undefined;
  /** Gives the address of the simulated provider that stands for Bedrock; without it there is no Bedrock. */
  readonly bedrockUrl?: (() => Promise<string>) | undefined;
  /** False: every call is allowed, and DynamoDB calls go straight to the engine (for benchmarks). */
  readonly enforceIam?: boolean | undefined;
  /** Replaces how long a received message is hidden, in every queue. */
  readonly queueVisibilityMs?: number | undefined;
  /** Milliseconds without a byte after which an unfinished request body is given up. */
  readonly bodyStallTimeoutMs?: number | undefined;
  /** Replaces how long a streamed answer may be silent, milliseconds. */
  readonly silenceMs?: number | undefined;
  /** `none`: uploads go through API Gateway, with its limits. */
  readonly ingress?: 'host' | 'none' | undefined;
  /** `host`: one process serves the inference API, as the shared host does. */
  readonly compute?: 'functions' | 'host' | undefined;
  readonly log: (line: string) => void;
}

export interface Runtime {
  /** The address of both APIs. */
  readonly url: string;
  /** Answers every AWS call, IAM enforced by the caller's access key id (`local-admin` may do everything). */
  readonly awsEndpoint: string;
  /** The engine itself: no IAM, any credentials. */
  readonly dynamodbEndpoint: string;
  /** The names of tables and secrets by the functions' variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stack outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Runs a state machine to its end and resolves with its output; rejects with the error a failed one ends in. */
  runWorkflow(arn: string, input: unknown): Promise<unknown>;
  /** Rejects when the runtime cannot go on; never settles otherwise. */
  readonly failure: Promise<never>;
  /** Ends everything; calls in flight have `graceMs` (default 0) to end first. */
  close(graceMs?: number): Promise<void>;
}

type Release = (graceMs: number) => Promise<void>;

/** Starts everything; a failure on the way ends what was started. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const releases: Release[] = [];
  const close = async (graceMs = 0): Promise<void> => {
    for (const release of releases.splice(0).reverse()) await release(graceMs);
  };
  try {
    return { ...(await assemble(options, releases)), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function assemble(options: RuntimeOptions, releases: Release[]): Promise<Omit<Runtime, 'close'>> {
  const { stateDir, log, enforceIam = true } = options;
  mkdirSync(stateDir, { recursive: true });
  const assembly = readAssembly(options.assemblyDir);
  const engine = await startEngine({
    databaseFile: join(stateDir, 'dynamodb.sqlite'),
    endpoint: options.dynamodbEndpoint,
  });
  releases.push(() => engine.stop());
  const writes = new TableWrites();
  releases.push(await startTables(assembly.tables, engine.endpoint, writes, log));
  const visibilityMs = options.queueVisibilityMs;
  const messaging = new MessagingServices({ assembly, stateDir, enforceIam, visibilityMs, log });
  releases.push(async () => messaging.close());
  const states = createStatesService({
    workflows: assembly.workflows,
    run: (arn, input) => background.runWorkflow(arn, input),
    log,
  });
  const services = { assembly, engineEndpoint: engine.endpoint, writes, messaging, states, options };
  const aws = await startAws(services, releases);
  const endpoints: Endpoints = { aws: aws.url, engine: engine.endpoint };
  const functions = startFunctions(assembly, endpoints, options);
  releases.push(() => functions.close());
  const background = startBackground({ assembly, functions, enforceIam, log });
  releases.push(async () => background.stop());
  const invoke = (arn: string, event: unknown) => invokeBuffered(functions, arn, JSON.stringify(event));
  messaging.start(invoke);
  releases.push(async () => messaging.stop());
  const { queues } = messaging;
  const allWritesNoticed = enforceIam && options.dynamodbEndpoint === undefined;
  const followed = { assembly, stateDir, engineEndpoint: engine.endpoint, writes, allWritesNoticed };
  releases.push(await startStreams({ ...followed, queues, enforceIam, invoke, log }));
  return {
    url: await serve({ assembly, functions, endpoints, options }, releases),
    awsEndpoint: aws.url,
    dynamodbEndpoint: engine.endpoint,
    environment: deploymentEnvironment(assembly, options.overrides),
    outputs: assembly.outputs,
    runWorkflow: background.runWorkflow,
    failure: engine.failure,
  };
}

interface RunningServer {
  readonly assembly: Assembly;
  readonly functions: ReturnType<typeof startFunctions>;
  readonly endpoints: Endpoints;
  readonly options: RuntimeOptions;
}

/** Opens the gateway, with the hosts beside the functions; resolves with its address. */
async function serve(
  { assembly, functions, endpoints, options }: RunningServer,
  releases: Release[],
): Promise<string> {
  const { assemblyDir, ingress = 'host', compute = 'functions', log } = options;
  const hosts = createHosts({
    assemblyDir,
    ingress,
    compute,
    log,
    functions: assembly.functions,
    environmentOf: (description, caller) => environmentIn(description, endpoints, options, caller),
  });
  releases.push(async () => {
    await Promise.all([...new Set(hosts.values())].map((host) => host.close()));
  });
  const gateway = new Gateway({
    ingress: (arn) => {
      const host = hosts.get(arn);
      return host && ((request, response) => host.relay(request, response));
    },
    apis: assembly.restApis,
    port: options.port,
    invoke: (arn, event, requestId) => functions.invoke(arn, event, requestId),
    ipRequestsPerMinute: options.ipRequestsPerMinute,
    bodyStallTimeoutMs: options.bodyStallTimeoutMs,
    silenceMs: options.silenceMs,
    log,
  });
  const url = await gateway.listen();
  endpoints.url = url;
  releases.push((graceMs) => gateway.close(graceMs));
  return url;
}

interface AwsOptions {
  readonly assembly: Assembly;
  readonly engineEndpoint: string;
  readonly writes: TableWrites;
  readonly messaging: MessagingServices;
  readonly states: AwsServiceHandler;
  readonly options: RuntimeOptions;
}

async function startAws(
  {
    assembly,
    engineEndpoint,
    writes,
    messaging,
    states,
    options: { stateDir, bedrockUrl, enforceIam = true, log },
  }: AwsOptions,
  releases: Release[],
): Promise<AwsEndpoint> {
  const dynamodb = createDynamoDbService(engineEndpoint, writes);
  const endpoint = await startAwsEndpoint({
    services: {
      DynamoDB_20120810: dynamodb.service,
      secretsmanager: createSecretsService(openSecretStore(stateDir, assembly.secrets)),
      bedrock: createBedrockService(bedrockUrl),
      ...createModelServices(bedrockUrl),
      AWSStepFunctions: states,
      ...messaging.services,
    },
    authorizeAs: createCallers({
      functions: assembly.functions,
      hosts: [sharedCaller(assembly.functions)],
      roles: assembly.roles,
      enforce: enforceIam,
      log,
    }),
    log,
  });
  releases.push(async () => {
    await endpoint.close();
    dynamodb.close();
  });
  return endpoint;
}

interface Endpoints {
  readonly aws: string;
  readonly engine: string;
  /** Known once the gateway listens. */
  url?: string;
}

function startFunctions(assembly: Assembly, endpoints: Endpoints, options: RuntimeOptions): FunctionFleet {
  const environmentOf = (description: FunctionDescription) => environmentIn(description, endpoints, options);
  return new FunctionFleet({ functions: assembly.functions, log: options.log, environmentOf });
}

function environmentIn(
  description: FunctionDescription,
  { aws, engine, url }: Endpoints,
  { environment, overrides, overridesAt, enforceIam = true }: RuntimeOptions,
  caller: string = description.name,
): Record<string, string> {
  return functionEnvironment({
    description,
    passedThrough: environment,
    overrides: { ...overrides, ...(url === undefined ? {} : overridesAt?.(url)) },
    accessKeyId: enforceIam ? accessKeyIdOf({ name: caller }) : ENGINE_CREDENTIALS.accessKeyId,
    awsEndpoint: aws,
    dynamodbEndpoint: enforceIam ? aws : engine,
  });
}
