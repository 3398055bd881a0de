/** A receiver of telemetry: an OTLP/HTTP address for the calls of an account, or of all accounts. It is kept like a webhook. */
import * as z from 'zod';
import { type Body, seconds } from '../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { requireFinished } from '../../platform/core/stage-check.ts';
import { type Delivery, OUTCOMES } from '../../webhooks/core/delivery.ts';
import type { OpenedSubscription, SubscriptionKey } from '../../webhooks/core/ports.ts';
import { DISABLED_REASONS, type Subscription } from '../../webhooks/core/subscription.ts';
import { ATTRIBUTE_NAMES, type AttributeNames } from './attributes.ts';

/** The owner of the destination that gets the calls of all accounts. No account has this id. */
export const OPERATOR = 'operator';

/** The kind of layout of stored destinations. */
export const DESTINATIONS = 'webhooks/telemetry#';

/** The place of an owner's destination, which is in the partition of no account: no list of webhooks contains it. */
export const destinationKey = (owner: string): SubscriptionKey => ({
  accountId: `telemetry#${owner}`,
  id: `tel_${owner}`,
});

/** The fields of a destination next to its address, sealed as the secret of a webhook is. */
interface DestinationSettings {
  readonly headers: Readonly<Record<string, string>>;
  readonly attribute_names: AttributeNames;
}

/** More than any receiver documents. Requests with more than 8 KB of headers are rejected by common servers. */
const MAX_HEADERS = 16;
const MAX_HEADER_CHARACTERS = 2_048;
const MAX_HEADERS_CHARACTERS = 6_144;

/** Headers that the exporter or the connection sets. */
const RESERVED =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|user-agent|keep-alive)$/;

const headers = z
  .record(
    z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/i, 'must be a name of a header'),
    z
      .string()
      .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII')
      .max(MAX_HEADER_CHARACTERS),
  )
  .transform((all) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value])),
  )
  .superRefine((all, context) => {
    const entries = Object.entries(all);
    const reserved = entries.find(([name]) => RESERVED.test(name))?.[0];
    if (reserved !== undefined)
      context.addIssue({ code: 'custom', message: 'is set by the service', path: [reserved] });
    if (entries.length > MAX_HEADERS || entries.flat().join('').length > MAX_HEADERS_CHARACTERS)
      context.addIssue({
        code: 'custom',
        message: `must be at most ${MAX_HEADERS} headers, with ${MAX_HEADERS_CHARACTERS} characters in all`,
      });
  });

const names = z.enum(ATTRIBUTE_NAMES);

/** The longest address; the paths of the signals follow it. */
const MAX_URL_CHARACTERS = 2_000;

export const destinationRequest = z.object({
  url: z.string().min(1).max(MAX_URL_CHARACTERS).meta({
    format: 'uri',
    description:
      'The base of an OTLP/HTTP receiver: `/v1/traces` and `/v1/metrics` are appended. Rules as for webhooks; without a query.',
  }),
  headers: headers.default({}).meta({
    description: 'Sent with each request, such as `authorization`. Only their names are shown again.',
  }),
  attribute_names: names
    .default('stable')
    .meta({ description: '`both` adds the older names of attributes that the conventions have renamed.' }),
});

export type DestinationRequest = z.output<typeof destinationRequest>;

/** Throws 400 for an address with a query or a fragment, to which no path can be appended. */
export function requireBase(text: string): void {
  const url = URL.parse(text);
  if (url !== null && (url.search !== '' || url.hash !== ''))
    throw new ServiceError('invalid_value', 'url: must have no query and no fragment.', { param: 'url' });
}

export const noDestination = (): ServiceError =>
  new ServiceError('not_found', 'Your account has no receiver of telemetry.');

/** Throws 409 until the operator has finished the upgrade that brought telemetry; the layout is that of destinations. */
export const requireTelemetry = (layout: number): void => requireFinished(layout, 'Receivers of telemetry');

export const newDestination = (owner: string, url: string, nowMs: number): Subscription => ({
  ...destinationKey(owner),
  url,
  events: [],
  description: undefined,
  status: 'active',
  disabledReason: undefined,
  created: Math.floor(nowMs / 1000),
  failingSinceMs: undefined,
  notice: undefined,
});

/** The settings as the text that is sealed. */
export const settingsText = ({ headers, attribute_names }: DestinationSettings): string =>
  JSON.stringify({ headers, attribute_names });

const storedSettings = z.object({ headers: z.record(z.string(), z.string()), attribute_names: names });

export const settingsOf = ({ secrets: [text = ''] }: OpenedSubscription): DestinationSettings =>
  storedSettings.parse(JSON.parse(text));

const time = z.iso.datetime().nullable();

export const destinationSchema = z.object({
  object: z.literal('telemetry'),
  url: z.url(),
  header_names: z.array(z.string()),
  attribute_names: names,
  status: z.enum(['active', 'failing', 'disabled']),
  disabled_reason: z.enum(DISABLED_REASONS).optional(),
  created: seconds,
  failing_since: time,
  last_success: time,
  last_error: z
    .object({ at: z.iso.datetime(), outcome: z.enum(OUTCOMES), response_status: z.int().nullable() })
    .nullable(),
  batches: z
    .object({ delivered: z.int(), pending: z.int(), dropped: z.int() })
    .describe('Of the latest 100 batches of calls for this receiver.'),
});

const iso = (ms: number): string => new Date(ms).toISOString();

/** Returns the public entry of a destination, with the results of its latest deliveries; never the value of a header. */
export function destinationEntry(
  opened: OpenedSubscription,
  deliveries: readonly Delivery[],
): Body<typeof destinationSchema> {
  const { url, status, disabledReason, created, failingSinceMs } = opened.subscription;
  const settings = settingsOf(opened);
  // Those before it were another receiver's.
  const latest = deliveries.filter(({ createdMs }) => createdMs >= created * 1000);
  const attempts = latest.flatMap(({ log }) => log).sort((a, b) => b.atMs - a.atMs);
  const success = attempts.find(({ outcome }) => outcome === 'delivered');
  const failure = attempts.find(({ outcome }) => outcome !== 'delivered');
  const count = (wanted: Delivery['status']) => latest.filter((one) => one.status === wanted).length;
  return {
    object: 'telemetry',
    url,
    header_names: Object.keys(settings.headers),
    attribute_names: settings.attribute_names,
    status: status === 'active' && failingSinceMs !== undefined ? 'failing' : status,
    ...(disabledReason === undefined ? {} : { disabled_reason: disabledReason }),
    created,
    failing_since: failingSinceMs === undefined ? null : iso(failingSinceMs),
    last_success: success === undefined ? null : iso(success.atMs),
    last_error:
      failure === undefined
        ? null
        : { at: iso(failure.atMs), outcome: failure.outcome, response_status: failure.status ?? null },
    batches: { delivered: count('delivered'), pending: count('pending'), dropped: count('dead') },
  };
}
