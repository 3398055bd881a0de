/** The calls of all keys of an account: pages of them, newest first, and the receipt of one. */
import * as z from 'zod';
import { type Body, idOf } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import type { UsagePage, UsageQuery } from '../ports.ts';
import type { UsageRecord } from '../usage-record.ts';
import type { AccountKeys } from './ports.ts';
import type { UsageListQuery } from './queries.ts';
import { receiptEntry, receiptSchema, usageEntry, usageRecordSchema } from './receipt.ts';
import { firstIdAt, LAST_REQUEST_ID, timeOfId } from './rollups.ts';

/** The maximum number of an account's keys whose calls are queried: the live ones, and the newest others. */
export const MAX_KEYS = 500;

/**
 * The maximum number of records read for one page: up to 1,000 for the first calls of each key, and the rest to
 * continue.
 */
export const MAX_RECORDS = 2_000;

/** Queries at a time. */
const AT_ONCE = 16;

/** A call may seem that much older than its key. */
const SKEW_MS = SKEW_SECONDS * 1000;

/** The fields of an owner's view in addition to those that the key itself can read. */
const ofAccount = {
  object: z.literal('usage_record'),
  api_key: idOf('key'),
  key_name: z.string().optional().describe('The name of the key, of a revoked one too.'),
};

export const accountUsageSchema = usageRecordSchema.extend(ofAccount);

export const accountUsageEntry = (record: UsageRecord): Body<typeof accountUsageSchema> => ({
  object: 'usage_record',
  ...usageEntry(record),
  api_key: record.keyId,
});

export const accountReceiptSchema = receiptSchema.extend(ofAccount);

export const accountReceiptEntry = (record: UsageRecord): Body<typeof accountReceiptSchema> => ({
  object: 'usage_record',
  ...receiptEntry(record),
  api_key: record.keyId,
});

/** Returns a function that adds the name of its key to the entry of one of these calls. */
export async function keyNaming(keys: Pick<AccountKeys, 'names'>, records: readonly UsageRecord[]) {
  const names = await keys.names([...new Set(records.map(({ keyId }) => keyId))]);
  return <E extends { readonly api_key: string }>(entry: E): E & { readonly key_name?: string } => {
    const name = names.get(entry.api_key);
    return name === undefined ? entry : { ...entry, key_name: name };
  };
}

export interface AccountCallsDependencies {
  readonly keys: Pick<AccountKeys, 'some' | 'has'>;
  readonly usage: {
    readonly list: (query: UsageQuery) => Promise<UsagePage>;
    /**
     * Returns the record of a call of one of these keys (any number, without duplicates), or undefined if the call
     * belongs to none of them.
     */
    readonly find: (keyIds: readonly string[], requestId: string) => Promise<UsageRecord | undefined>;
  };
}

/** The keys of an account for one that reads its own calls alone. */
export const onlyKey = (keyId: string): AccountCallsDependencies['keys'] => ({
  some: async () => [keyId],
  has: async (_accountId, named) => named === keyId,
});

/** The calls of a key that were read and are not checked yet. */
interface Source {
  readonly keyId: string;
  /** The number of requested records. */
  size: number;
  buffer: UsageRecord[];
  /** Continues after the buffer; undefined when that is the end. */
  next: string | undefined;
}

interface Span {
  readonly from: string;
  readonly to: string;
  readonly before: string | undefined;
}

/**
 * Returns a page of the account's calls, newest first. It has fewer entries than requested, and a `next`, if
 * `MAX_RECORDS` were read before it was full. Every call is on exactly one page.
 */
export async function listAccountCalls(
  { keys, usage }: AccountCallsDependencies,
  accountId: string,
  query: UsageListQuery,
): Promise<{ readonly entries: readonly UsageRecord[]; readonly next: string | undefined }> {
  const { limit, start, end, cursor: before } = query;
  const to = end === undefined ? LAST_REQUEST_ID : firstIdAt(end);
  const span = { from: firstIdAt(start ?? 0), to, before };
  const latest = Math.min(timeOfId(to) || Number.POSITIVE_INFINITY, before ? timeOfId(before) : Infinity);
  const keyIds = (await readKeyIds(keys, accountId, query.api_key)).filter(
    (keyId) => timeOfId(keyId) <= latest + SKEW_MS,
  );
  const reader = new Reader(usage, span);
  const sources = await reader.open(keyIds, limit);
  const entries: UsageRecord[] = [];
  for (let last = before; ; ) {
    if (entries.length === limit) return { entries, next: sources.some(hasMore) ? last : undefined };
    const unread = sources.find(({ buffer, next }) => buffer.length === 0 && next !== undefined);
    if (unread !== undefined && !(await reader.readMore(unread))) return { entries, next: last };
    if (unread !== undefined) continue;
    const newest = newestOf(sources);
    if (newest === undefined) return { entries, next: undefined };
    const record = newest.buffer.shift();
    if (record === undefined) continue;
    last = record.id;
    if (matches(record, query)) entries.push(record);
  }
}

const hasMore = ({ buffer, next }: Source): boolean => buffer.length > 0 || next !== undefined;

/** An id that the account never had has no calls, whoever's it is. */
async function readKeyIds(
  keys: AccountCallsDependencies['keys'],
  accountId: string,
  only: string | undefined,
): Promise<readonly string[]> {
  if (only === undefined) return keys.some(accountId, MAX_KEYS);
  return (await keys.has(accountId, only)) ? [only] : [];
}

/** Reads at most `MAX_RECORDS` records, for any number of requests. */
class Reader {
  readonly #usage: Pick<AccountCallsDependencies['usage'], 'list'>;
  readonly #span: Span;
  #remaining = MAX_RECORDS;

  constructor(usage: Pick<AccountCallsDependencies['usage'], 'list'>, span: Span) {
    this.#usage = usage;
    this.#span = span;
  }

  /** The first records of each key, with half of what may be read. */
  async open(keyIds: readonly string[], limit: number): Promise<readonly Source[]> {
    // A store reads one record more than it returns, to detect if there are more.
    const share = Math.floor(MAX_RECORDS / 2 / Math.max(1, keyIds.length)) - 1;
    const size = Math.max(1, Math.min(limit, share));
    const sources: Source[] = [];
    for (let at = 0; at < keyIds.length; at += AT_ONCE) {
      const batch = keyIds
        .slice(at, at + AT_ONCE)
        .map(async (keyId) => ({ keyId, size, ...(await this.#read(keyId, size, this.#span.before)) }));
      sources.push(...(await Promise.all(batch)));
    }
    return sources;
  }

  /** Reads on in one key's calls, twice as many at each time; false when nothing more may be read. */
  async readMore(source: Source): Promise<boolean> {
    source.size = Math.min(2 * source.size, MAX_PAGE_RECORDS, this.#remaining - 1);
    if (source.size < 1) return false;
    Object.assign(source, await this.#read(source.keyId, source.size, source.next));
    return true;
  }

  async #read(
    keyId: string,
    limit: number,
    before: string | undefined,
  ): Promise<Pick<Source, 'buffer' | 'next'>> {
    const { from, to } = this.#span;
    const cursor = before === undefined ? {} : { before };
    const { records, next } = await this.#usage.list({ keyId, from, to, limit, ...cursor });
    this.#remaining -= records.length + (next === undefined ? 0 : 1);
    return { buffer: [...records], next };
  }
}

/** The maximum number of records in one read of one key. */
const MAX_PAGE_RECORDS = 100;

function newestOf(sources: readonly Source[]): Source | undefined {
  let newest: Source | undefined;
  for (const source of sources) {
    const id = source.buffer[0]?.id;
    if (id !== undefined && (newest?.buffer[0] === undefined || id > newest.buffer[0].id)) newest = source;
  }
  return newest;
}

const matches = (record: UsageRecord, { model, kind, status }: UsageListQuery): boolean =>
  (model === undefined || record.model === model) &&
  (kind === undefined || record.kind === kind) &&
  (status === undefined || record.status === status);

/** The id of a request, or of the response of a conversation, which has the same ULID. */
const CALL_ID = /^(?:req_|chatcmpl-|msg_|resp_)([0-9A-HJKMNP-TV-Z]{26})$/;

/**
 * Returns the record of a call of the account, by the id of its request or of its response. Throws the same 404 for another
 * account's call and for an id that does not exist.
 */
export async function accountCall(
  { keys, usage }: AccountCallsDependencies,
  accountId: string,
  callId: string,
): Promise<UsageRecord> {
  const [, ulid] = CALL_ID.exec(callId) ?? [];
  if (ulid === undefined) throw unknownCall();
  const requestId = `req_${ulid}`;
  const keyIds = (await keys.some(accountId, MAX_KEYS)).filter(
    (keyId) => timeOfId(keyId) <= timeOfId(requestId) + SKEW_MS,
  );
  const record = await usage.find(keyIds, requestId);
  if (record === undefined || record.accountId !== accountId) throw unknownCall();
  return record;
}

const unknownCall = (): ServiceError =>
  new ServiceError(
    'not_found',
    'You have no call with this id, or it is not settled yet. A call has the id in x-request-id, a conversation that of its response too.',
  );
