/**
 * Processes of several versions in one history, and its keys, which their owner changes through any of them. Each law is
 * checked after every step:
 *
 * - No key has a later layout than the record of the stage permits.
 * - A key has the policy that its owner has set last, whichever versions have changed it since.
 * - A version that does not read a layout of the record serves no call; every other version serves.
 * - A version that writes the later layout does so from the finish of the update on.
 */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import { changeKey, type KeyRegistry } from '../../access/core/keys/api-keys.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import { DynamoKeyRegistry } from '../../access/store/keys/key-registry.ts';
import {
  finishedLayouts,
  LAYOUTS,
  type Layout,
  type StageLayouts,
  unreadableKinds,
  writtenLayout,
} from '../../platform/contract/layouts.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { createStageCheck, type StageCheck } from '../../platform/core/stage-check.ts';
import { readNumber, text } from '../../platform/dynamodb/attribute-values.ts';
import { SILENT, type TestAccount } from './running-ledger.ts';

/** The layouts of the last release, of this version, and of one that does not read the layouts of this one. */
const VERSIONS = {
  older: { ...LAYOUTS, keys: { reads: 1, writes: 1 } },
  release: { ...LAYOUTS, keys: { reads: 2, writes: 1 } },
  candidate: LAYOUTS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, Layout>>>>;

type Version = keyof typeof VERSIONS;

/** A step of a process: it restarts with a version, the operator finishes the update, or a key's owner changes it. */
export const VERSION_STEPS = [
  'older',
  'release',
  'candidate',
  'finish',
  'rename',
  'read account',
  'read own',
] as const;

export type VersionStep = (typeof VERSION_STEPS)[number];

/** Changes the product, as an error in it would. */
export interface VersionMutation {
  readonly stage?: (stage: StageCheck) => StageCheck;
  readonly registry?: (registry: KeyRegistry) => KeyRegistry;
}

export interface VersionOptions {
  readonly database: TestDatabase;
  readonly account: TestAccount;
  readonly policies: readonly Policy[];
  /** The clocks of the processes. */
  readonly clocks: readonly Clock[];
  readonly mutation?: VersionMutation | undefined;
}

/** A process uses its view of the record for as long. */
const VIEW_MS = 5_000;

interface VersionedProcess {
  readonly version: Version;
  readonly stage: StageCheck;
}

const isVersion = (step: VersionStep): step is Version => step in VERSIONS;

export class Versions {
  /** The laws that were broken. */
  readonly broken: string[] = [];
  readonly #options: VersionOptions;
  readonly #processes: VersionedProcess[];
  /** The policies of each key by its version, undefined where a change has none. */
  readonly #policies = new Map<string, Map<number, Policy | undefined>>();
  #record: StageLayouts = {};
  #finishedMs = Number.POSITIVE_INFINITY;

  constructor(options: VersionOptions) {
    this.#options = options;
    this.#processes = options.clocks.map((_, at) => this.#start(at, 'release'));
    for (const [at, { keyId }] of options.account.keys.entries())
      this.#policies.set(keyId, new Map([[1, options.policies[at]]]));
  }

  #start(at: number, version: Version): VersionedProcess {
    const { clocks, mutation } = this.#options;
    const read = async () => ({ isClosed: false, layouts: this.#record });
    const layouts = VERSIONS[version];
    const stage = createStageCheck({
      read,
      version: {
        unreadableKinds: (record) => unreadableKinds(record, layouts),
        writtenLayout: (kind, record) => writtenLayout(kind, record, layouts),
      },
      clock: clocks[at] ?? Date.now,
      log: SILENT,
    });
    return { version, stage: mutation?.stage?.(stage) ?? stage };
  }

  /** Returns whether a process that serves from now on must have read the finish of the update. */
  #isFinishRead(at: number): boolean {
    return (this.#options.clocks[at]?.() ?? 0) - this.#finishedMs >= VIEW_MS;
  }

  /** Throws 503 if a process may not serve. Returns the process that serves. */
  async serve(at: number): Promise<VersionedProcess & { readonly hasReadFinish: boolean }> {
    const process = this.#processes[at];
    if (process === undefined) throw new Error('there is no such process');
    const { version, stage } = process;
    const hasReadFinish = this.#isFinishRead(at);
    const isReader = () => unreadableKinds(this.#record, VERSIONS[version]).length === 0;
    try {
      await stage.check('change');
    } catch (failure) {
      if (isReader()) this.broken.push(`${version} does not serve a stage that it reads`);
      throw failure;
    }
    if (!isReader() && hasReadFinish) this.broken.push(`${version} serves a stage that it does not read`);
    return { ...process, hasReadFinish };
  }

  async take(step: VersionStep, at: number, keyId: string): Promise<void> {
    if (isVersion(step)) this.#processes[at] = this.#start(at, step);
    else if (step === 'finish') {
      this.#record = finishedLayouts(this.#record, VERSIONS.candidate);
      this.#finishedMs = Math.min(this.#finishedMs, this.#options.clocks[0]?.() ?? 0);
    } else await this.#changeKey(step, at, keyId).catch(ignoreRejection);
    await this.check();
  }

  async #changeKey(step: Exclude<VersionStep, Version | 'finish'>, at: number, keyId: string): Promise<void> {
    const { version, stage, hasReadFinish } = await this.serve(at);
    const { database, account, policies, clocks, mutation } = this.#options;
    const own = policies[account.keys.findIndex((key) => key.keyId === keyId)] ?? {};
    const policy: Policy | undefined =
      step === 'rename' ? undefined : step === 'read own' ? own : { ...own, reads: 'account' };
    if (policy?.reads !== undefined) {
      const isStorable = stage.layoutOf('keys') >= 2;
      if (!isStorable && version === 'candidate' && hasReadFinish)
        this.broken.push('the next version does not write the later layout after the finish');
      if (!isStorable) return;
    }
    const plain = new DynamoKeyRegistry(database.client, database.tables, clocks[at] ?? Date.now);
    const registry = mutation?.registry?.(plain) ?? plain;
    const change = policy === undefined ? { name: 'renamed' } : { policy };
    const changed = await changeKey(registry, account.accountId, keyId, change);
    this.#policies.get(keyId)?.set(changed.version, policy);
  }

  async check(): Promise<void> {
    const { client, tables } = this.#options.database;
    for (const [keyId, policies] of this.#policies) {
      const { Item: item = {} } = await client.send(
        new GetItemCommand({ TableName: tables.keys, Key: { key_id: text(keyId) }, ConsistentRead: true }),
      );
      const isLater = item.read_scope !== undefined;
      if (isLater && (this.#record.keys ?? 1) < 2)
        this.broken.push('a key has a later layout than the record permits');
      const expected = policyAt(policies, readNumber(item, 'version'));
      if (expected !== undefined && isLater !== (expected.reads !== undefined))
        this.broken.push('a key has not the policy that its owner has set last');
    }
  }
}

/** Returns the policy of a version of a key; undefined if a change up to it is still under way. */
function policyAt(policies: ReadonlyMap<number, Policy | undefined>, version: number): Policy | undefined {
  let current: Policy | undefined;
  for (let at = 1; at <= version; at += 1) {
    if (!policies.has(at)) return undefined;
    current = policies.get(at) ?? current;
  }
  return current;
}

/** Ignores a rejection that callers see; throws every other failure. */
function ignoreRejection(failure: unknown): void {
  if (!(failure instanceof ServiceError)) throw failure;
}
