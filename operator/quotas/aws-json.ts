/** Calls of AWS services that no installed client makes: the JSON protocol, and plain GETs, signed by the operator's credentials. */
import type { RouteAccess } from '../route-access.ts';

export type AwsAccess = Pick<RouteAccess, 'sign' | 'signedHeaders' | 'region'>;

/** An error that AWS answered, by its name: `AccessDeniedException`. */
export class AwsRefusal extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

const TIMEOUT_MS = 20_000;

/** One endpoint for every service where the environment names it, as AWS's own clients take it. */
async function endpointOf(access: AwsAccess, service: string): Promise<string> {
  return process.env.AWS_ENDPOINT_URL ?? `https://${service}.${await access.region()}.amazonaws.com`;
}

/** An operation of the JSON protocol 1.1. Throws `AwsRefusal` for an error of the service. */
export async function callJson(
  access: AwsAccess,
  { service, target, input }: { readonly service: string; readonly target: string; readonly input: object },
): Promise<unknown> {
  const url = `${await endpointOf(access, service)}/`;
  const body = JSON.stringify(input);
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  const region = await access.region();
  return answerOf(url, {
    method: 'POST',
    body,
    headers: await access.sign({ url, service, region, headers, body }),
  });
}

/** A GET that answers JSON. Throws `AwsRefusal` for an error of the service. */
export async function getJson(
  access: AwsAccess,
  { service, path }: { readonly service: string; readonly path: string },
): Promise<unknown> {
  const url = `${await endpointOf(access, service)}${path}`;
  const signed = await access.signedHeaders({ url, service, headers: { accept: 'application/json' } });
  return answerOf(url, { headers: signed });
}

async function answerOf(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  const text = await response.text();
  const read = jsonIn(text);
  if (response.ok) return read;
  const { __type: type, message, Message: upper } = Object(read) as Record<string, unknown>;
  const name = String(type ?? response.headers.get('x-amzn-errortype') ?? `status ${response.status}`);
  throw new AwsRefusal(name.replace(/^.*#/, '').replace(/:.*$/, ''), String(message ?? upper ?? ''));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
