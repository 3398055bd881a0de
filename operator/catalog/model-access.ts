/**
 * The models of a catalog that the AWS account may not call yet. Bedrock answers for each model and region (Amazon
 * Bedrock API reference, GetFoundationModelAvailability). Routes of other providers are not checked: their keys decide.
 */
import * as z from 'zod';
import { signedFor } from '../../lambdas/inference/core/catalog/aws-address.ts';
import {
  type CatalogDocument,
  type CatalogRoute,
  parseCatalog,
} from '../../lambdas/inference/core/catalog/catalog-document.ts';
import type { RouteAccess } from '../calls/route-access.ts';
import { eightAtATime, readSigned } from './bedrock/control-plane.ts';
import { foundationModelOf } from './bedrock/ids.ts';

/** A model that no route can call yet, and what to do about it. */
export interface DeniedModel {
  readonly id: string;
  readonly remedy: string;
}

export interface ModelAccess {
  readonly denied: readonly DeniedModel[];
  /** The models for which Bedrock gave no answer, each with the reason. */
  readonly unknown: readonly { readonly id: string; readonly reason: string }[];
}

type RouteAccessState = { readonly remedy: string } | { readonly reason: string } | 'open';

const availability = z.object({
  agreementAvailability: z.object({ status: z.string() }).optional(),
  authorizationStatus: z.string().optional(),
  entitlementAvailability: z.string().optional(),
  regionAvailability: z.string().optional(),
});

/** Reads the access of the account to every Bedrock model of a catalog, each model of a region once. */
export async function readModelAccess(document: CatalogDocument, routes: RouteAccess): Promise<ModelAccess> {
  const states = new Map<string, Promise<RouteAccessState>>();
  const ownRegion = await routes.region();
  const inTurn = eightAtATime();
  const stateOf = (route: CatalogRoute): RouteAccessState | Promise<RouteAccessState> => {
    const target = bedrockTargetOf(route, ownRegion);
    if (target === undefined) return 'open';
    const key = `${target.region} ${target.model}`;
    const state = states.get(key) ?? inTurn(() => readState(target, routes));
    states.set(key, state);
    return state;
  };
  const models = await Promise.all(
    document.models.map(async ({ id, routes: own }) => ({ id, states: await Promise.all(own.map(stateOf)) })),
  );
  const denied = models.flatMap(({ id, states: own }) => {
    const remedy = own.find((state) => state !== 'open' && 'remedy' in state);
    if (own.includes('open') || remedy === undefined) return [];
    return [{ id, remedy: (remedy as { remedy: string }).remedy }];
  });
  const unknown = models.flatMap(({ id, states: own }) => {
    const [first] = own;
    return first !== undefined &&
      first !== 'open' &&
      own.every((state) => state !== 'open' && 'reason' in state)
      ? [{ id, reason: (first as { reason: string }).reason }]
      : [];
  });
  return { denied, unknown };
}

/** Returns the catalog without these models, as JSON. Throws if none is left. */
export function catalogWithout(json: string, denied: readonly DeniedModel[]): string {
  if (denied.length === 0) return json;
  const ids = new Set(denied.map(({ id }) => id));
  const document = JSON.parse(json) as { models: { id: string }[]; defaults?: Record<string, string> };
  const models = document.models.filter(({ id }) => !ids.has(id));
  if (models.length === 0)
    throw new Error(`the account may call no model of the catalog yet: ${denied.map(lineOf).join('; ')}`);
  const defaults = Object.entries(document.defaults ?? {}).filter(([, id]) => !ids.has(id));
  const filtered = JSON.stringify({ ...document, models, defaults: Object.fromEntries(defaults) });
  parseCatalog(JSON.parse(filtered));
  return filtered;
}

export const lineOf = ({ id, remedy }: DeniedModel): string => `${id}: ${remedy}`;

interface BedrockTarget {
  readonly model: string;
  readonly region: string;
}

/** Returns the model and region that decide on a route; undefined if Bedrock does not serve it. */
function bedrockTargetOf(route: CatalogRoute, ownRegion: string): BedrockTarget | undefined {
  const isBedrock = route.protocol === 'bedrock';
  // Without an address, Converse is called in the region of the deployment.
  const address =
    (isBedrock || route.auth === 'sigv4') && route.base_url !== '' ? signedFor(route) : undefined;
  if (!isBedrock && address?.service !== 'bedrock' && address?.service !== 'bedrock-mantle') return undefined;
  return { model: foundationModelOf(route.upstream_model), region: address?.region ?? ownRegion };
}

async function readState({ model, region }: BedrockTarget, routes: RouteAccess): Promise<RouteAccessState> {
  try {
    const path = `/foundation-model-availability/${encodeURIComponent(model)}`;
    return stateIn(availability.parse(await readSigned(routes, { path, region })), region);
  } catch (failure) {
    if (failure instanceof z.ZodError || failure instanceof SyntaxError)
      return { reason: `Bedrock in ${region} gave no answer that can be read` };
    return { reason: (failure as Error).message };
  }
}

function stateIn(read: z.infer<typeof availability>, region: string): RouteAccessState {
  const agreement = read.agreementAvailability?.status;
  if (read.regionAvailability === 'NOT_AVAILABLE') return { remedy: `not offered in ${region}` };
  if (agreement === 'PENDING')
    return { remedy: 'its subscription is being made: run this again in 15 minutes' };
  if (agreement === 'NOT_AVAILABLE' || agreement === 'ERROR')
    return {
      remedy: `open it once in the playground of the Bedrock console in ${region}, which subscribes the account`,
    };
  if (read.authorizationStatus === 'NOT_AUTHORIZED' || read.entitlementAvailability === 'NOT_AVAILABLE')
    return {
      remedy: `request access in the Bedrock console in ${region}; Anthropic's models need the form on their use`,
    };
  return 'open';
}
