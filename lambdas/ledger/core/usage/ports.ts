/** The ports from which the usage of an account is read. */
import type { RollupCall, RollupRow } from './rollups.ts';

/**
 * The current and former keys of an account. A key created moments ago may be missing only if it is already revoked.
 */
export interface AccountKeys {
  /** Ids of at most `maxKeys` keys: the live ones first, then the newest of those that are revoked. */
  some(accountId: string, maxKeys: number): Promise<readonly string[]>;
  /** Ids of the live keys, and of the first `maxKeys` (any number, or infinite) of all keys that sort after an id, in their order. */
  since(accountId: string, after: string, maxKeys: number): Promise<LiveAndLater>;
  /** Returns whether the key belongs or belonged to the account. */
  has(accountId: string, keyId: string): Promise<boolean>;
  /** Returns the names of keys (any number, without duplicates) by their ids, of the revoked ones too. */
  names(keyIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

interface LiveAndLater {
  readonly live: readonly string[];
  readonly later: readonly string[];
}

/** The usage rollups of a key on one UTC day. */
export interface KeyDay {
  readonly keyId: string;
  /** Days since the epoch. */
  readonly day: number;
  /** All records of hours before this one (hours since the epoch) are in the rows: the next hour, or the day's end. */
  readonly through: number;
  readonly rows: readonly RollupRow[];
}

/** Hours since the epoch. */
export interface OpenKey {
  /** All its rows of hours before this one are stored, and never change again. */
  readonly reached: number;
  /** The hour from which the key has no calls; undefined while it is live. */
  readonly end: number | undefined;
}

/**
 * The extent to which the usage rollups of an account are stored. Ended keys need no further reads, so that an account
 * may have had any number of keys.
 */
export interface RollupProgress {
  /** The id up to which all keys, except the open ones, have no more calls and have all their rows stored. */
  readonly endedTo: string;
  /** May have keys beyond `endedTo`. */
  readonly open: ReadonlyMap<string, OpenKey>;
  /** Changes with every write. 0: not stored yet. */
  readonly version: number;
}

export const NO_PROGRESS: RollupProgress = { endedTo: '', open: new Map(), version: 0 };

export interface RollupStore {
  progress(accountId: string): Promise<RollupProgress>;
  /** Stores the next version; returns false when another writer has stored one since it was read. */
  storeProgress(accountId: string, progress: RollupProgress): Promise<boolean>;
  /** Returns the stored rollups of all keys for the days from `first` to `last`, as of the last writes. */
  days(accountId: string, first: number, last: number): Promise<readonly KeyDay[]>;
  /** Stores a key's day, unless one is stored that has as many hours: that one has the same rows for them. */
  storeDay(accountId: string, day: KeyDay): Promise<void>;
}

/** Records of one key in the order of their ids. */
export interface CallPages {
  read(query: {
    readonly keyId: string;
    /** Request ids, both inclusive. */
    readonly from: string;
    readonly to: string;
    /** Continues after this id. */
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<{ readonly calls: readonly RollupCall[]; readonly next: string | undefined }>;
}
