/**
 * The layouts of everything that outlives a process: items of tables, secrets, messages, tokens. From 1.0.0 on the numbers
 * are a promise (docs/versions.md). A version reads every layout up to `reads`, and writes `writes` as soon as the stage's
 * record permits it; until then it writes the layout of the record.
 */

export interface Layout {
  /** The newest layout that this version reads. */
  readonly reads: number;
  /** The newest layout that this version writes; at most `reads`. */
  readonly writes: number;
}

/** The layout of 1.0.0. A kind that is added later starts with 2: of its layout 1 there is nothing. */
const FIRST: Layout = { reads: 1, writes: 1 };

/** A kind that is new since 1.1.0. */
const SECOND: Layout = { reads: 2, writes: 2 };

/** 2: the types of events `balance.low` and `credit.exhausted`, which 1.1.0 delivers and does not publish. */
const EVENTS = SECOND;

/** Destinations of telemetry, and what is sent there. Of layout 1 there is nothing. */
const TELEMETRY: Layout = { reads: 2, writes: 2 };

/**
 * Kinds are named `<place>` or `<place>/<start of a key>`. The place of items is their table, and the start is that of the
 * sort key or of the partition key: the longest start that fits counts. Places that are no tables name what is in them.
 */
export const LAYOUTS = {
  'accounts/account': FIRST,
  /** The thresholds, crossings and unpublished events of alerts. */
  'accounts/alerts#': SECOND,
  'accounts/audit#': FIRST,
  'accounts/order#': FIRST,
  'accounts/order_counts': FIRST,
  'accounts/purchase#': FIRST,
  'accounts/purchase_refund#': FIRST,
  'accounts/refund#': FIRST,
  'accounts/top_up#': FIRST,
  'accounts/transfer#': FIRST,
  'accounts/usage_rollups#': FIRST,
  identities: FIRST,
  sessions: FIRST,
  /** 2: a policy may have `reads`. */
  keys: { reads: 2, writes: 2 },
  wallets: FIRST,
  usage: FIRST,
  replays: FIRST,
  webhooks: EVENTS,
  'webhooks/counts#': FIRST,
  'webhooks/telemetry#': TELEMETRY,
  events: EVENTS,
  'events/telemetry#': TELEMETRY,
  deliveries: EVENTS,
  'deliveries/tel_': TELEMETRY,
  /** Parts of catalogs. */
  catalog: FIRST,
  'catalog/applied#': FIRST,
  'catalog/current': FIRST,
  'catalog/reference-prices': FIRST,
  'catalog/stage': FIRST,
  circuits: FIRST,
  'circuits/unbilled#': FIRST,
  'listings/acquired#': FIRST,
  'listings/categories': FIRST,
  'listings/counts#': FIRST,
  'listings/event#': FIRST,
  'listings/install#': FIRST,
  'listings/listing': FIRST,
  'listings/purchase#': FIRST,
  'listings/release#': FIRST,
  'listings/review#': FIRST,
  'listings/reviewer#': FIRST,
  'listings/slug#': FIRST,
  'listings/version#': FIRST,
  'discovery/index': FIRST,
  'discovery/installs#': FIRST,
  'discovery/trending': FIRST,
  'market/balance': FIRST,
  'market/build#': FIRST,
  'market/counts#': FIRST,
  'market/customer#': FIRST,
  'market/payout#': FIRST,
  'market/payout_account': FIRST,
  'market/payouts': FIRST,
  'market/pseudonyms': FIRST,
  'market/sale#': FIRST,
  'market/subscribed#': FIRST,
  'market/subscription#': FIRST,
  'market/transaction#': FIRST,
  /** The objects of builds: uploads and artifacts. */
  builds: FIRST,
  /** The values of secrets. */
  'secrets/key-pepper': FIRST,
  'secrets/session-key': FIRST,
  'secrets/webhook-key': FIRST,
  'secrets/identity': FIRST,
  'secrets/payments': FIRST,
  'secrets/smoke': FIRST,
  /** Messages of queues, of which one-time schedules send some later; and the events of the bus. */
  'messages/events': EVENTS,
  'messages/deliveries': FIRST,
  'messages/changes': FIRST,
  /** The input of the workflow that settles a transcription. */
  'messages/settlements': FIRST,
  /** Texts that callers keep. */
  'tokens/api-key': FIRST,
  'tokens/session': FIRST,
  'tokens/sealed': FIRST,
  'tokens/entitlement': FIRST,
  'tokens/cursor': FIRST,
} as const satisfies Record<string, Layout>;

/** The layouts that a stage's data may contain, by kind. Of a kind that the record does not name, only layout 1. */
export type StageLayouts = Readonly<Record<string, number>>;

type Rows = Readonly<Record<string, Layout>>;

const rows: Rows = LAYOUTS;

/** Returns the kinds of which the stage may contain layouts that a version with this table does not read. */
export const unreadableKinds = (stage: StageLayouts, layouts: Rows = rows): readonly string[] =>
  Object.entries(stage)
    .flatMap(([kind, layout]) => (layout > (layouts[kind]?.reads ?? 1) ? [kind] : []))
    .sort();

/** Returns the layout in which this version writes a kind. */
export const writtenLayout = (kind: string, stage: StageLayouts, layouts: Rows = rows): number =>
  Math.min(layouts[kind]?.writes ?? 1, stage[kind] ?? 1);

/** Returns the record of a stage in which this version may write its newest layouts. */
export const finishedLayouts = (stage: StageLayouts, layouts: Rows = rows): StageLayouts =>
  Object.fromEntries(
    Object.entries(layouts).flatMap(([kind, { writes }]) => {
      const layout = Math.max(writes, stage[kind] ?? 1);
      return layout === 1 ? [] : [[kind, layout]];
    }),
  );
