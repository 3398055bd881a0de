/**
 * The credentials with which the operator calls a route's provider: the route's secret, or a signature by the
 * operator's own credentials.
 */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SignatureV4 } from '@smithy/signature-v4';
import { createBedrockClients } from '../../lambdas/inference/store/bedrock-clients.ts';
import { createSecretReader } from '../../lambdas/platform/aws/secrets.ts';
import type { Log, SecretReader } from '../../lambdas/platform/core/ports.ts';
import { systemClock } from '../../lambdas/platform/system/system.ts';
import type { OperatorTarget } from '../target.ts';

interface SignedRequest {
  readonly url: string;
  readonly service: string;
  readonly region?: string | undefined;
  /** Signed too. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a POST. */
  readonly body?: string;
}

export interface RouteAccess {
  /**
   * Reads `env:NAME` from the operator's own environment, else from what the local service announces;
   * `secretsmanager:NAME#field` from the deployment's account.
   */
  readonly readSecret: SecretReader;
  /** The region of the deployment. Throws when none is configured. */
  region(): Promise<string>;
  /** The headers of a request that is signed for a service of AWS: a GET if it has no body. Without a region, that of the deployment. */
  signedHeaders(request: SignedRequest): Promise<Readonly<Record<string, string>>>;
}

export function createRouteAccess(
  { client: { region, credentials }, environment }: OperatorTarget,
  secrets: SecretsManagerClient,
  log: Log,
): RouteAccess {
  const clients = () =>
    createBedrockClients({
      ...(region === undefined ? {} : { region }),
      ...(credentials === undefined ? {} : { credentials }),
    });
  const config = () => clients().client('').config;
  const reader = (variables: Readonly<Record<string, string | undefined>>) =>
    createSecretReader({ client: secrets, environment: variables, clock: systemClock, log });
  const [own, announced] = [reader(process.env), reader(environment)];
  const isAnnounced = (name = '') => process.env[name] === undefined && environment[name] !== undefined;
  const readSecret: SecretReader = (reference) =>
    (isAnnounced(/^env:(.+)/.exec(reference)?.[1]) ? announced : own)(reference);
  return {
    readSecret,
    region: () => config().region(),
    async signedHeaders({ url, service, region: requestedRegion, headers: extraHeaders = {}, body }) {
      const { hostname, host, protocol, port, pathname, searchParams } = new URL(url);
      const { sha256, credentials: provider, region: ownRegion } = config();
      const signature = new SignatureV4({
        credentials: provider,
        region: requestedRegion ?? ownRegion,
        service,
        sha256,
      });
      const { headers } = await signature.sign({
        method: body === undefined ? 'GET' : 'POST',
        protocol,
        hostname,
        path: pathname,
        headers: { ...extraHeaders, host },
        query: Object.fromEntries(searchParams),
        ...(body === undefined ? {} : { body }),
        ...(port === '' ? {} : { port: Number(port) }),
      });
      const { host: _host, ...headersWithoutHost } = headers;
      return headersWithoutHost;
    },
  };
}
