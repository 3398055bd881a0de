/** Signed reads of AWS: of Bedrock's control plane (Amazon Bedrock API reference), and of what else a region has. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { RouteAccess } from '../../calls/route-access.ts';

const TIMEOUT_MS = 15_000;

/** A throttled read is repeated after these pauses. */
const PAUSES_MS = [500, 1_000, 2_000];

/** The number of reads at a time: their quota is not published. */
const CONCURRENCY = 8;

/** A list has a few hundred profiles, and a page 100 of them. */
const MAX_PAGES = 20;

/** Returns the address of a service of AWS: that of the SDK's own variables, else AWS's. */
const addressOf = (service: string, region: string): string =>
  process.env[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ??
  process.env.AWS_ENDPOINT_URL ??
  `https://${service}.${region}.amazonaws.com`;

interface SignedRead {
  readonly path: string;
  readonly region: string;
  readonly service?: string;
  /** The operation and body of a service whose reads are POSTs. */
  readonly target?: string;
  readonly body?: string;
}

/** Reads a document. Throws an error that names the region, and nothing of the response but its status. */
export async function readSigned(
  routes: RouteAccess,
  { path, region, service = 'bedrock', ...request }: SignedRead,
): Promise<unknown> {
  const url = `${addressOf(service, region)}${path}`;
  for (const pauseMs of [...PAUSES_MS, 0]) {
    const response = await send(routes, { url, service, region, ...request });
    if (response.ok) return response.json();
    if (pauseMs === 0 || !(await isThrottled(response)))
      throw new Error(`${service} in ${region} answered ${response.status}`);
    await sleep(pauseMs);
  }
  throw new Error('unreachable');
}

/** Polly and Transcribe throttle by status 400: the name of the error tells (Amazon Polly developer guide, Quotas). */
const isThrottled = async (response: Response): Promise<boolean> =>
  response.status === 429 ||
  (response.status === 400 &&
    /Throttling/.test(`${response.headers.get('x-amzn-errortype')} ${await response.text()}`));

async function send(
  routes: RouteAccess,
  { url, service, region, target, body }: Omit<SignedRead, 'path'> & { readonly url: string },
): Promise<Response> {
  const operation =
    target === undefined ? {} : { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  const request = { url, service: service ?? 'bedrock', region, headers: operation };
  const headers = await routes.signedHeaders(body === undefined ? request : { ...request, body });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const method = body === undefined ? 'GET' : 'POST';
  try {
    return await fetch(url, {
      method,
      headers,
      redirect: 'error',
      signal,
      ...(body === undefined ? {} : { body }),
    });
  } catch (cause) {
    throw new Error(`${service} in ${region} does not answer`, { cause });
  }
}

/** ListFoundationModels. The values of all lists are open: AWS adds some that its SDKs do not know. */
const models = z.object({
  modelSummaries: z.array(
    z.object({
      modelId: z.string(),
      modelName: z.string().optional(),
      providerName: z.string().optional(),
      inputModalities: z.array(z.string()).default([]),
      outputModalities: z.array(z.string()).default([]),
      responseStreamingSupported: z.boolean().nullish(),
      inferenceTypesSupported: z.array(z.string()).default([]),
      modelLifecycle: z
        .object({ status: z.string(), endOfLifeTime: z.string().nullish() })
        .default({ status: 'ACTIVE' }),
    }),
  ),
});
export type FoundationModel = z.infer<typeof models>['modelSummaries'][number];

/** ListInferenceProfiles. */
const profiles = z.object({
  inferenceProfileSummaries: z.array(
    z.object({
      inferenceProfileId: z.string(),
      status: z.string(),
      models: z.array(z.object({ modelArn: z.string() })),
    }),
  ),
  nextToken: z.string().nullish(),
});

/** The models and profiles that Bedrock offers to the account in a region. */
export interface RegionOffer {
  readonly region: string;
  readonly models: readonly FoundationModel[];
  /** The active inference profiles that AWS defines, each with the models that it calls. */
  readonly profiles: readonly { readonly id: string; readonly models: ReadonlySet<string> }[];
}

/** Reads both lists of a region. Throws if one of them cannot be read. */
export async function readRegionOffer(routes: RouteAccess, region: string): Promise<RegionOffer> {
  const { modelSummaries } = models.parse(await readSigned(routes, { path: '/foundation-models', region }));
  const found: z.infer<typeof profiles>['inferenceProfileSummaries'] = [];
  let token = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const path = `/inference-profiles?maxResults=100${token}&type=SYSTEM_DEFINED`;
    const { inferenceProfileSummaries, nextToken } = profiles.parse(
      await readSigned(routes, { path, region }),
    );
    found.push(...inferenceProfileSummaries);
    if (nextToken === undefined || nextToken === null || nextToken === '') break;
    token = `&nextToken=${encodeURIComponent(nextToken)}`;
  }
  return {
    region,
    models: modelSummaries,
    profiles: found
      .filter(({ status }) => status === 'ACTIVE')
      .map(({ inferenceProfileId: id, models: own }) => ({
        id,
        models: new Set(own.map(({ modelArn }) => modelArn.slice(modelArn.lastIndexOf('/') + 1))),
      })),
  };
}

/** Returns a function that runs at most eight of its calls at a time, in their order. */
export function eightAtATime(): <T>(run: () => Promise<T>) => Promise<T> {
  const ends: Promise<unknown>[] = [];
  return async (run) => {
    const before = ends[ends.length - CONCURRENCY];
    const result = (before ?? Promise.resolve()).then(run);
    ends.push(result.catch(() => {}));
    return result;
  };
}
