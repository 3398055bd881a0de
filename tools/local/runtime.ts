/** Puts the local service together: an assembly's functions behind its APIs, with AWS answered on loopback. */
import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { readAssembly } from './assembly/assembly.ts';
import type { FunctionDescription } from './assembly/functions.ts';
import { createModelServices } from './aws/bedrock-service.ts';
import { createBuildServices } from './aws/builds/build-services.ts';
import { createObjectStore } from './aws/builds/object-store.ts';
import { chooseEngine } from './aws/builds/scan-engine.ts';
import { accessKeyIdOf, createCallers } from './aws/callers.ts';
import { createDynamoDbService } from './aws/dynamodb-service.ts';
import { startAwsEndpoint } from './aws/endpoint.ts';
import { createMailService } from './aws/mail-service.ts';
import { MessagingServices } from './aws/messaging.ts';
import { openSecretStore } from './aws/secret-store.ts';
import { createSecretsService } from './aws/secrets-service.ts';
import { createStatesService } from './aws/states-service.ts';
import { createTranscribeService } from './aws/transcribe/transcribe-service.ts';
import { invokeBuffered, startBackground } from './background.ts';
import { ENGINE_CREDENTIALS } from './dynamodb/client.ts';
import { startEngine } from './dynamodb/engine.ts';
import { startTables } from './dynamodb/start-tables.ts';
import { deploymentEnvironment } from './functions/deployment-environment.ts';
import { functionEnvironment } from './functions/environment.ts';
import { FunctionFleet } from './functions/function-fleet.ts';
import { createHosts, sharedCaller } from './functions/hosts.ts';
import { Gateway } from './gateway/gateway.ts';
import type { Settings } from './settings.ts';
import { startStreams } from './streams/streams.ts';

/** The settings of a start, and the surroundings of the runtime. */
export interface RuntimeOptions
  extends Pick<Settings, 'port' | 'stateDir' | 'overrides'>,
    Partial<Pick<Settings, 'dynamodbEndpoint' | 'enforceIam' | 'ipRequestsPerMinute' | 'queueVisibilityMs'>>,
    Partial<Pick<Settings, 'compute' | 'ingress' | 'clamdSocket'>> {
  /** A folder that `cdk synth` wrote. */
  readonly assemblyDir: string;
  /** The shell's variables, which functions may read (`env:NAME` secrets among them). */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gives the variables that say where the service is; only the functions of routes have them. */
  readonly overridesAt?: (url: string) => Readonly<Record<string, string>>;
  /** Gives the address of the simulated provider that stands for Bedrock; without it there is no Bedrock. */
  readonly bedrockUrl?: () => Promise<string>;
  /** Replaces how long a streamed answer may be silent, milliseconds. */
  readonly silenceMs?: number;
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
  const backend = await startBackend(options, releases, (arn, input) => background.runWorkflow(arn, input));
  const { assembly, database, writes, messaging, aws } = backend;
  const place: Place = {};
  const environmentOf = environments(options, backend, place);
  const functions = new FunctionFleet({ functions: assembly.functions, log, environmentOf });
  releases.push(() => functions.close());
  const background = startBackground({ assembly, functions, enforceIam, log });
  releases.push(async () => background.stop());
  const invoke = (arn: string, event: unknown) => invokeBuffered(functions, arn, JSON.stringify(event));
  messaging.start(invoke);
  releases.push(async () => messaging.stop());
  const stopStreams = await startStreams({
    assembly,
    stateDir,
    writes,
    enforceIam,
    invoke,
    log,
    engineEndpoint: database.endpoint,
    queues: messaging.queues,
    allWritesNoticed: enforceIam && options.dynamodbEndpoint === undefined,
  });
  releases.push(stopStreams);
  const { assemblyDir, ingress = 'host', compute = 'functions' } = options;
  const hosts = createHosts({
    assemblyDir,
    ingress,
    compute,
    log,
    functions: assembly.functions,
    environmentOf,
  });
  releases.push(async () => {
    await Promise.all([...new Set(hosts.values())].map((host) => host.close()));
  });
  const gateway = new Gateway({
    ...options,
    ingress: (arn) => {
      const host = hosts.get(arn);
      return host && ((request, response) => host.relay(request, response));
    },
    apis: assembly.restApis,
    invoke: (arn, event, requestId) => functions.invoke(arn, event, requestId),
  });
  place.url = await gateway.listen();
  releases.push((graceMs) => gateway.close(graceMs));
  return {
    url: place.url,
    awsEndpoint: aws.url,
    dynamodbEndpoint: database.endpoint,
    environment: deploymentEnvironment(assembly, options.overrides),
    outputs: assembly.outputs,
    runWorkflow: background.runWorkflow,
    failure: database.failure,
  };
}

/** Starts what answers the functions' calls of AWS. */
async function startBackend(
  { assemblyDir, stateDir, dynamodbEndpoint, queueVisibilityMs, bedrockUrl, ...options }: RuntimeOptions,
  releases: Release[],
  run: Runtime['runWorkflow'],
) {
  const { enforceIam = true, log } = options;
  mkdirSync(stateDir, { recursive: true });
  const assembly = readAssembly(assemblyDir);
  const databaseFile = join(stateDir, 'dynamodb.sqlite');
  const database = await startEngine({ databaseFile, endpoint: dynamodbEndpoint });
  releases.push(() => database.stop());
  const writes = new EventEmitter();
  releases.push(await startTables(assembly.tables, database.endpoint, writes, log));
  const visibilityMs = queueVisibilityMs;
  const messaging = new MessagingServices({ assembly, stateDir, enforceIam, visibilityMs, log });
  releases.push(async () => messaging.close());
  const dynamodb = createDynamoDbService(database.endpoint, writes);
  releases.push(async () => dynamodb.close());
  const { functions, roles, secrets, workflows } = assembly;
  const engine = chooseEngine(options.clamdSocket);
  const authorizeAs = createCallers({
    functions,
    roles,
    hosts: options.compute === 'host' ? [sharedCaller(functions)] : [],
    enforce: enforceIam,
    log,
  });
  const objects = createObjectStore(stateDir);
  const scans = { assembly, objects, messaging, engine, enforceIam, authorizeAs, log };
  const aws = await startAwsEndpoint({
    services: {
      DynamoDB_20120810: dynamodb.service,
      secretsmanager: createSecretsService(openSecretStore(stateDir, secrets)),
      AWSStepFunctions: createStatesService({ workflows, run, log }),
      ...createModelServices(bedrockUrl),
      ...messaging.services,
      ...createBuildServices(scans),
      Transcribe: createTranscribeService({ objects, clock: Date.now }),
      ses: createMailService(log),
    },
    authorizeAs,
    log,
  });
  releases.push(() => aws.close());
  return { assembly, database, scanner: engine.name, writes, messaging, aws };
}

/** The address of the service, once its gateway listens. */
interface Place {
  url?: string;
}

/** Returns the variables of a function's process, under its own access key or that of a caller. */
const environments =
  (
    { environment, overrides, overridesAt, enforceIam = true }: RuntimeOptions,
    { aws, database, scanner }: Awaited<ReturnType<typeof startBackend>>,
    place: Readonly<Place>,
  ) =>
  (description: FunctionDescription, caller = description.name): Record<string, string> =>
    functionEnvironment({
      description,
      passedThrough: environment,
      overrides: {
        [VARIABLES.buildScan]: scanner,
        // The SDK addresses the buckets of an IP address by path.
        [VARIABLES.uploadOrigin]: aws.url,
        ...overrides,
        ...(place.url === undefined ? {} : overridesAt?.(place.url)),
      },
      accessKeyId: enforceIam ? accessKeyIdOf({ name: caller }) : ENGINE_CREDENTIALS.accessKeyId,
      awsEndpoint: aws.url,
      dynamodbEndpoint: enforceIam ? aws.url : database.endpoint,
    });
