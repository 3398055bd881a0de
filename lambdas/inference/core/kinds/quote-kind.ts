/**
 * The quote of a call of a kind other than chat: the routes that can serve it, the fields of its request that each of
 * them gets, and the measure of what leaves at the price of its model.
 */
import { NO_OUTPUT } from '../../../ledger/core/call.ts';
import { ignoredFieldsHeader } from '../../../platform/core/api/ignored-fields.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import type { CatalogRoute, Model } from '../catalog/catalog-document.ts';
import { readPayload } from '../completions/forwarded-fields.ts';
import type { FieldTable } from '../fields/table.ts';
import { bodyFor, type Estimate, type Quote, scopeOf } from '../quote.ts';
import { chooseRoutes, type RouteChoice } from '../routing/route-choice.ts';
import { ignoredFields } from '../routing/route-support.ts';

export interface KindRequest extends Pick<RouteChoice, 'controls' | 'chance'> {
  readonly kind: Exclude<Kind, 'chat'>;
  readonly model: Model;
  /** The fields that the protocol of the kind documents. */
  readonly fields: FieldTable;
  /** The request with its defaults, without the fields that only the service uses. */
  readonly request: JsonObject;
  /** Returns the bounds of a body that has every field that some route gets. */
  estimate(body: JsonObject): Estimate;
}

interface KindQuote {
  readonly quote: Quote;
  readonly estimate: Estimate;
  /** The fields that some candidate gets. */
  readonly body: JsonObject;
  /** Names the fields that some candidate does not get. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the request as a route gets it. A route of another protocol reads the fields that it can express. */
  bodyOn(route: CatalogRoute): JsonObject;
}

/** Throws 400 if no route can serve the call, or if one of its fields has no price. */
export function quoteKind({ kind, model, fields, request, estimate, ...routing }: KindRequest): KindQuote {
  const payload = { protocol: 'openai', ...readPayload(fields, request, 'input') } as const;
  const candidates = chooseRoutes({
    ...routing,
    models: [model],
    call: { payload, request, providers: {} },
  });
  const routes = candidates.map(({ route }) => route);
  const body = bodyFor(payload, routes);
  const bounds = estimate(body);
  return {
    quote: {
      scope: scopeOf(kind, candidates),
      candidates,
      output: NO_OUTPUT,
      tokens: () => bounds.tokens,
      cost: () => bounds.amount,
    },
    estimate: bounds,
    body,
    headers: ignoredFieldsHeader(
      new Set(routes.flatMap((route) => [...ignoredFields(route, payload, request)])),
    ),
    bodyOn: (route) => (route.protocol === payload.protocol ? bodyFor(payload, [route]) : request),
  };
}
