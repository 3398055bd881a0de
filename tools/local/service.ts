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
import { type CatalogInForce, seed } from './seed/seed.ts';
import type { Settings } from './settings.ts';

export interface Service {
  readonly session: SessionFile;
  readonly catalog: CatalogInForce;
  /** The environment variables with secrets of the catalog's routes that are not set. */
  readonly missingVariables: readonly string[];
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
  const { port, stateDir } = settings;
  const portAfter = (offset: number) => (port === 0 ? 0 : port + offset);
  releases.push(occupy(stateDir));
  await requireFreePort(port);
  const upstreamStart = startUpstreamProcess(portAfter(1), log);
  releases.push(() =>
    upstreamStart.then(
      (started) => started.stop(),
      () => {},
    ),
  );
  const payments = await startPaymentSandbox({
    preferredPort: portAfter(2),
    file: join(stateDir, 'payment-sandbox.json'),
    log,
  });
  releases.push(() => payments.stop());
  const identity = await startIdentity(settings, portAfter(3), releases);
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
    overrides: { ...settings.overrides, [VARIABLES.paymentApiUrl]: payments.url },
    overridesAt: (url) => ({
      // Who has paid is back in the console.
      [VARIABLES.paymentReturnUrl]: `${url}/console`,
      ...(identity && { [VARIABLES.identityProviders]: JSON.stringify(connectIdentity(identity, url)) }),
    }),
    log,
  });
  releases.push(() => runtime.close(GRACE_MS));
  payments.connect(await paymentEvents(runtime));
  const upstream = await upstreamStart;
  const { session, catalog } = await openSession(settings, runtime, upstream, identity?.url);
  releases.push(() => retract(stateDir));
  const isMissing = (name: string) => ({ ...SIMULATED_KEYS, ...environment })[name] === undefined;
  return {
    session,
    catalog,
    missingVariables: catalog.variables.filter(isMissing),
    failure: Promise.race([runtime.failure, upstream.failure]),
  };
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
  { stateDir, overrides }: Settings,
  preferredPort: number,
  releases: Release[],
): Promise<LocalIdentityProvider | undefined> {
  if (overrides[VARIABLES.identityProviders] !== undefined) return undefined;
  const keyFile = join(stateDir, 'identity-key.json');
  const identity = await startIdentityProvider({ preferredPort, keyFile });
  releases.push(() => identity.stop());
  return identity;
}

async function openSession(
  settings: Settings,
  { url, awsEndpoint, dynamodbEndpoint, environment, outputs }: Runtime,
  upstream: UpstreamProcess,
  identityIssuer: string | undefined,
): Promise<Pick<Service, 'session' | 'catalog'>> {
  const { apiKey, sessionToken, catalog } = await seed({
    ...settings,
    environment: { ...environment },
    awsEndpoint,
    upstreamUrl: upstream.url,
    identityIssuer,
  });
  const session = {
    base_url: url,
    platform_url: url,
    api_key: apiKey,
    session_token: sessionToken,
    upstream_control_url: upstream.controlUrl,
    pid: process.pid,
  };
  const record = {
    aws_endpoint: awsEndpoint,
    dynamodb_endpoint: dynamodbEndpoint,
    // Keys of the shell stay out of the folder. These are no secrets.
    environment: { ...environment, ...SIMULATED_KEYS },
    outputs,
  };
  announce(settings.stateDir, record, session);
  return { session, catalog };
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
