/** The whole local service: build, simulated upstream, runtime and seed, in the order in which each needs the others. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createSecretsClient } from '../../lambdas/platform/aws/clients.ts';
import { createSecretReader } from '../../lambdas/platform/aws/secrets.ts';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import type { Log } from '../../lambdas/platform/core/ports.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';
import { localTarget } from '../../operator/target.ts';
import { type LocalIdentityProvider, startIdentityProvider } from '../simulators/identity/provider.ts';
import { startUpstreamProcess, type UpstreamProcess } from '../simulators/models/models-process.ts';
import type { Recipient } from '../simulators/payments/courier.ts';
import { startPaymentSandbox } from '../simulators/payments/sandbox.ts';
import { ASSEMBLY_FOLDER, ensureAssembly } from './build.ts';
import { connectIdentity } from './functions/identity-settings.ts';
import { announce, occupy, retract, type SessionFile } from './process/state-folder.ts';
import { type Runtime, startRuntime } from './runtime.ts';
import { seed } from './seed/seed.ts';
import type { Settings } from './settings.ts';

export interface Service {
  readonly session: SessionFile;
  /** Rejects when a part of the service has ended by itself. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
}

/** The maximum time for open calls to continue when the service stops. */
const GRACE_MS = 5_000;

/** The key of the simulated upstream, which takes any: the default catalog's routes name it as a secret. */
const SIMULATED_KEYS = { SIM_KEY: 'simulated' };

const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };

const root = join(import.meta.dirname, '..', '..');

type Release = () => Promise<void> | void;

/** Starts everything; a failure on the way ends what was started. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const releases: Release[] = [];
  const close = async (): Promise<void> => {
    for (const release of releases.splice(0).reverse()) await release();
  };
  try {
    return { ...(await assemble(options, releases)), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function assemble(options: ServiceOptions, releases: Release[]): Promise<Omit<Service, 'close'>> {
  const { settings, environment, log } = options;
  releases.push(occupy(settings.stateDir));
  await requireFreePort(settings.port);
  const upstreamStart = startUpstreamProcess(settings.port === 0 ? 0 : settings.port + 1, log);
  releases.push(() =>
    upstreamStart.then(
      (started) => started.stop(),
      () => {},
    ),
  );
  const payments = await startPaymentSandbox({
    preferredPort: settings.port === 0 ? 0 : settings.port + 2,
    file: join(settings.stateDir, 'payment-sandbox.json'),
    log,
  });
  releases.push(() => payments.stop());
  const identity = await startIdentity(settings, releases);
  const assemblyDir = await ensureAssembly({
    root,
    outputDir: join(root, ASSEMBLY_FOLDER),
    environment,
    log,
  });
  const runtime = await startRuntime({
    ...settings,
    assemblyDir,
    environment: { ...SIMULATED_KEYS, ...environment },
    bedrockUrl: async () => (await upstreamStart).url,
    overrides: {
      ...settings.overrides,
      [VARIABLES.paymentApiUrl]: payments.url,
    },
    overridesAt: (url) => ({
      // Who has paid is back in the console.
      [VARIABLES.paymentReturnUrl]: `${url}/console`,
      ...(identity === undefined
        ? {}
        : { [VARIABLES.identityProviders]: JSON.stringify(connectIdentity(identity, url)) }),
    }),
    log,
  });
  releases.push(() => runtime.close(GRACE_MS));
  payments.connect(await paymentEvents(runtime));
  const upstream = await upstreamStart;
  const session = await openSession({ runtime, upstream, identity, settings });
  releases.push(() => retract(settings.stateDir));
  return { session, failure: Promise.race([runtime.failure, upstream.failure]) };
}

/**
 * Returns the address for the payment provider's events, and the secret with which the service expects them to be
 * signed.
 */
async function paymentEvents({ url, awsEndpoint, environment }: Runtime): Promise<Recipient> {
  const client = createSecretsClient(localTarget(awsEndpoint, {}).client);
  const readSecret = createSecretReader({ client, environment, clock: systemClock, log: SILENT });
  try {
    const secret = await readSecret(`secretsmanager:${environment[VARIABLES.paymentSecret]}#webhook_secret`);
    return { url: `${url}/api/payments/stripe/events`, secret };
  } finally {
    client.destroy();
  }
}

/** The local identity provider, unless the settings name others. */
async function startIdentity(
  { port, stateDir, overrides }: Settings,
  releases: Release[],
): Promise<LocalIdentityProvider | undefined> {
  if (overrides[VARIABLES.identityProviders] !== undefined) return undefined;
  const identity = await startIdentityProvider({
    preferredPort: port === 0 ? 0 : port + 3,
    keyFile: join(stateDir, 'identity-key.json'),
  });
  releases.push(() => identity.stop());
  return identity;
}

interface LocalServiceParts {
  readonly runtime: Runtime;
  readonly upstream: UpstreamProcess;
  readonly identity: LocalIdentityProvider | undefined;
  readonly settings: Settings;
}

async function openSession({
  runtime,
  upstream,
  identity,
  settings,
}: LocalServiceParts): Promise<SessionFile> {
  const { apiKey, sessionToken } = await seed({
    environment: { ...runtime.environment },
    awsEndpoint: runtime.awsEndpoint,
    upstreamUrl: upstream.url,
    identityIssuer: identity?.url,
    catalogFile: settings.catalogFile,
    stateDir: settings.stateDir,
    historyDays: settings.historyDays,
  });
  const session = {
    base_url: runtime.url,
    platform_url: runtime.url,
    api_key: apiKey,
    session_token: sessionToken,
    upstream_control_url: upstream.controlUrl,
    pid: process.pid,
  };
  const record = {
    aws_endpoint: runtime.awsEndpoint,
    dynamodb_endpoint: runtime.dynamodbEndpoint,
    environment: runtime.environment,
    outputs: runtime.outputs,
  };
  announce(settings.stateDir, record, session);
  return session;
}

/** Says so before the build, not after it. */
async function requireFreePort(port: number): Promise<void> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    throw new Error(
      `port ${port} is taken: stop what listens there, or set PORT to another (0 takes any free one)`,
    );
  }
  probe.close();
  await once(probe, 'close');
}
