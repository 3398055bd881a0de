/**
 * The routes of the current catalog with their circuits, for an operator's browser. Never includes an address, the name
 * of a secret, or an upstream's name for a model.
 */
import * as z from 'zod';
import type { UnbilledOfRoute } from '../../../ledger/core/ports.ts';
import { cursor, limit, type Page } from '../../../platform/core/api/paging.ts';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { Model } from '../catalog/catalog-document.ts';
import { priceValuesOf } from '../catalog/price-values.ts';
import { PROTOCOLS } from '../catalog/route-document.ts';
import { type Circuit, isOpen, routeOfKey, stateOf } from '../circuit/circuit.ts';
import type { Prices } from '../pricing/prices.ts';

const STATES = ['closed', 'half_open', 'open'] as const;

/** The query of `GET /api/v1/operator/routes`. */
export const routesQuery = z.object({
  limit,
  cursor: cursor(/^[\w.:/-]{1,128}$/).optional(),
  circuit: z.enum(STATES).optional().describe('Only routes whose circuit is in that state.'),
});

export const routeSummarySchema = z.object({
  id: z.string(),
  object: z.literal('route'),
  model: z.string(),
  protocol: z.enum(PROTOCOLS),
  priority: z.int(),
  circuit: z
    .enum(STATES)
    .describe('The state for calls of an account that the route has not failed: `open` rejects them.'),
  since: seconds
    .nullable()
    .describe('When it opened, or when the call began that closed it. Null: not known, or it never opened.'),
  accounts_affected: z.int().describe('Accounts whose separate circuit is open, or that must wait.'),
  margins: z
    .array(z.object({ rate: z.string(), percent: z.string() }))
    .nullable()
    .describe(
      'Of each rate that the model’s price and the route’s cost have in common: what is left of the price, in percent, `"25.0"`. Null where the catalog does not say what the route costs.',
    ),
  unbilled: z
    .object({ calls: z.int(), amount: usd, factor: z.number() })
    .nullable()
    .describe(
      'Usage that the route reported beyond the bounds of its calls and that nobody pays, until none was for a month. `factor`: the most by which it exceeded a bound. Where texts are what counts more, a `token_factor` of the model that is as many times as high covers it. Null: there was none.',
    ),
});

type RouteSummary = Body<typeof routeSummarySchema>;

/** The stored data of routes, by their ids. */
export interface RouteFindings {
  /** The circuits by their keys. */
  readonly circuits: ReadonlyMap<string, Circuit>;
  readonly unbilled: readonly UnbilledOfRoute[];
}

/** The id of an account that has no circuits. */
const ANYONE = '';

const NAMES = { closed: 'closed', 'half-open': 'half_open', shut: 'open' } as const;

/**
 * A page of the routes in the order of the catalog, after the route that `cursor` names. Throws 400 for a route that the
 * catalog has no more.
 */
export function routesPage(
  models: readonly Model[],
  { circuits, unbilled }: RouteFindings,
  query: z.output<typeof routesQuery>,
  nowMs: number,
): Page<RouteSummary> {
  const affected = Map.groupBy(
    [...circuits].filter(([key, circuit]) => routeOfKey(key).isOwn && isShut(circuit, nowMs)),
    ([key]) => routeOfKey(key).id,
  );
  const losses = new Map(unbilled.map((each) => [each.route, each]));
  const routes = models.flatMap((model) => model.routes.map((route) => ({ model, route })));
  const first = indexAfter(
    routes.map(({ route }) => route.id),
    query.cursor,
  );
  const entries: RouteSummary[] = [];
  for (const { model, route } of routes.slice(first)) {
    const { id, protocol, priority } = route;
    const state = circuitSummary(circuits.get(id) ?? {}, affected.get(id)?.length ?? 0, nowMs);
    if (query.circuit !== undefined && state.circuit !== query.circuit) continue;
    if (entries.length === query.limit) return { entries, next: entries.at(-1)?.id };
    entries.push({
      id,
      object: 'route',
      model: model.id,
      protocol,
      priority,
      ...state,
      margins: marginsOf(model.price, route.cost),
      unbilled: lossOf(losses.get(id)),
    });
  }
  return { entries, next: undefined };
}

const lossOf = (loss: UnbilledOfRoute | undefined): RouteSummary['unbilled'] =>
  loss === undefined ? null : { calls: loss.calls, amount: usdJson(loss.amount), factor: loss.factor };

/** Compares the rates of the lists alone: the cost of a call also depends on its tier and its usage. */
function marginsOf(price: Prices, cost: Prices | undefined): RouteSummary['margins'] {
  if (cost === undefined || cost.unit !== price.unit) return null;
  const costs = priceValuesOf(cost);
  return [...priceValuesOf(price)].flatMap(([rate, amount]) => {
    const paid = costs.get(rate);
    if (paid === undefined || amount === 0n || !RATE.test(rate)) return [];
    return [{ rate, percent: tenthsText(((amount - paid) * 1_000n) / amount) }];
  });
}

const tenthsText = (tenths: bigint): string => {
  const size = tenths < 0n ? -tenths : tenths;
  return `${tenths < 0n ? '-' : ''}${size / 10n}.${size % 10n}`;
};

/** Matches the name of a value that belongs to no tier and no option. */
const RATE = /^\w+$/;

function indexAfter(ids: readonly string[], after: string | undefined): number {
  if (after === undefined) return 0;
  const index = ids.indexOf(after);
  if (index !== -1) return index + 1;
  throw new ServiceError('invalid_value', 'The catalog has changed: start again without a cursor.', {
    param: 'cursor',
  });
}

const isShut = (circuit: Circuit, nowMs: number): boolean =>
  isOpen(circuit) || (circuit.cool_until ?? 0) > nowMs;

function circuitSummary(shared: Circuit, accountsAffected: number, nowMs: number) {
  const circuit = NAMES[stateOf(shared, ANYONE, nowMs).kind];
  const sinceMs = circuit === 'closed' ? shared.since : shared.opened_at;
  const since = sinceMs === undefined ? null : Math.floor(sinceMs / 1000);
  return { circuit, since, accounts_affected: accountsAffected };
}
