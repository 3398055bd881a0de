/** Calls of a kind other than chat: the definitions that each kind adds to the shared steps of a paid call. */
import type * as z from 'zod';
import type { CallOutcome } from '../../../ledger/core/usage-record.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import type { Deliver, UnsettledCall } from '../call.ts';
import type { Candidate, CatalogRoute, Model } from '../catalog/catalog-document.ts';
import type { FieldTable } from '../fields/table.ts';
import { billBasis, priceMeasured } from '../metering/priced-usage.ts';
import { type UnitCounts, unitCounts } from '../pricing/counts.ts';
import type { Estimate } from '../quote.ts';
import { forwardedFields, type RouteControlFields } from '../routing/route-controls.ts';
import type { RouteClock } from '../upstream/route-clock.ts';

/** One try of one route. */
export interface ProviderAttempt<Payload> extends Candidate {
  /** The caller's request, without the model and without the fields that only the service uses. */
  readonly payload: Payload;
  /** Fires when the time is up. A streamed response closes it. */
  readonly clock: RouteClock;
  /** The attempt's span in the caller's trace, for routes over HTTP; absent if the caller sent none. */
  readonly traceparent?: string | undefined;
}

/** A protocol's implementation of a kind of call. Throws `UpstreamFailure` for every upstream error. */
export type ProviderCall<Payload, Output> = (attempt: ProviderAttempt<Payload>) => Promise<Output>;

/** The protocols that serve a kind of call; the catalog admits no route of another for it. */
export type ProviderCalls<Payload, Output> = Partial<
  Record<CatalogRoute['protocol'], ProviderCall<Payload, Output>>
>;

/** The fields that all of these requests have. */
export interface CallRequestFields extends JsonObject, Pick<RouteControlFields, 'provider'> {
  readonly model?: string | null | undefined;
}

/** A response, with everything that its delivery needs. */
export interface KindResponse<Request, Output> extends UnsettledCall {
  /** With the fields that some route gets. */
  readonly request: Request;
  readonly output: Output;
  readonly estimate: Estimate;
  readonly clock: RouteClock;
  /** Names the fields that a route does not get. */
  readonly headers: Readonly<Record<string, string>>;
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
}

export interface CallKind<Request extends CallRequestFields, Output> {
  readonly kind: Exclude<Kind, 'chat'>;
  readonly schema: z.ZodType<Request>;
  /** The fields that the protocol documents, and how they change the price. */
  readonly fields: FieldTable;
  /** True if the response is streamed, so that no copy of it can be stored for replay. */
  readonly stream: boolean;
  /** Returns the model with only those routes that may serve the request. Throws `ServiceError` if there are none. */
  servable?(request: Request, model: Model): Model;
  /**
   * Returns the request for the routes. Throws `ServiceError` if the model does not support it or has no price for it.
   */
  toPayload(request: Request, model: Model): JsonObject;
  /** Returns the upper bounds of the call's tokens and cost on a model. */
  estimate(request: Request, model: Model): Estimate;
  /** Prepares the response for sending; see `PaidCall.prepare`. */
  prepare(response: KindResponse<Request, Output>): Promise<Deliver>;
}

/** A request as routes get it: without the model's name too, which is each route's own. */
export function forwarded({ model: _model, ...request }: CallRequestFields): JsonObject {
  return forwardedFields(request);
}

/** Returns the outcome that settles a call whose response is complete, except for the values of `counted`. */
export function measuredOutcome(
  { candidate: { model, route }, catalog }: Pick<KindResponse<unknown, unknown>, 'candidate' | 'catalog'>,
  measured: UnitCounts,
  counted: Pick<CallOutcome, 'unit'> & Partial<CallOutcome>,
): CallOutcome {
  const priced = priceMeasured(model, measured);
  // The provider may charge by another unit.
  const counts = route.cost === undefined ? priced.counts : unitCounts(route.cost.unit, measured);
  return {
    model: model.id,
    route: route.id,
    status: 'completed',
    estimated: false,
    inputUnits: 0,
    cachedUnits: 0,
    outputUnits: 0,
    tokens: 0,
    ...counted,
    ...billBasis({ ...priced, counts }, { catalog, route }),
  };
}
