/**
 * An account's bill of a period, recomputed from its usage records: by the line items of each record, by the catalog
 * that was current at each call, and by another catalog.
 */
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import type { Prices } from '../../lambdas/inference/core/pricing/prices.ts';
import type { UsageRecord } from '../../lambdas/ledger/core/usage-record.ts';
import type { JsonObject } from '../../lambdas/platform/core/json/lossless-json.ts';
import { type NanoUsd, usdJson } from '../../lambdas/platform/core/money.ts';
import type { TimeSpan } from '../calls/usage-records.ts';
import type { Operator } from '../operator.ts';
import { billedAmount, byOwnLines, byPrices, pricesById } from './recompute.ts';

/** Differences that are listed by request id; all are counted. */
const MAX_LISTED = 100;

/** The totals of the records of one model, or of all. */
class ModelTotals {
  calls = 0;
  paid: NanoUsd = 0n;
  waived: NanoUsd = 0n;
  billed: NanoUsd = 0n;
  wouldBe: NanoUsd = 0n;

  add(record: UsageRecord, wouldBe: NanoUsd): void {
    this.calls += 1;
    this.paid += record.cost;
    this.waived += record.waived ?? 0n;
    this.billed += billedAmount(record);
    this.wouldBe += wouldBe;
  }

  json(): JsonObject {
    return {
      calls: this.calls,
      paid: usdJson(this.paid),
      waived: usdJson(this.waived),
      billed: usdJson(this.billed),
      would_be_billed: usdJson(this.wouldBe),
    };
  }
}

/** A record whose recomputed bill differs. */
interface Difference {
  readonly id: string;
  readonly by: 'lines' | 'catalog';
  readonly billed: NanoUsd;
  readonly recomputed: NanoUsd;
}

type BillStores = Pick<Operator, 'catalogVersion' | 'usageOf'>;

/** Recomputes the bill of the period; `json`: a catalog to use instead of the catalogs that were current. */
export async function recomputeBill(
  operator: BillStores,
  { accountId, span, json }: { accountId: string; span: TimeSpan; json?: string | undefined },
): Promise<{ readonly output: JsonObject; readonly differences: number }> {
  const other = json === undefined ? undefined : pricesById(parseCatalog(JSON.parse(json)));
  const bill = new Bill(operator, other);
  for await (const record of operator.usageOf(accountId, span)) await bill.add(record);
  return { output: bill.json(), differences: bill.differences };
}

class Bill {
  readonly #versions = new Map<string, Promise<ReadonlyMap<string, Prices> | undefined>>();
  readonly #models = new Map<string, ModelTotals>();
  readonly #total = new ModelTotals();
  readonly #listed: Difference[] = [];
  readonly #unknown = new Set<string>();
  #unpriced = 0;
  differences = 0;

  readonly #stored: BillStores;
  readonly #other: ReadonlyMap<string, Prices> | undefined;

  constructor(stored: BillStores, other: ReadonlyMap<string, Prices> | undefined) {
    this.#stored = stored;
    this.#other = other;
  }

  async add(record: UsageRecord): Promise<void> {
    this.#compare(record, 'lines', byOwnLines(record));
    const model = record.model ?? '';
    const price = (this.#other ?? (await this.#catalogOf(record)))?.get(model);
    if (price === undefined && record.lines !== undefined) this.#unpriced += 1;
    const amount = price === undefined ? billedAmount(record) : byPrices(price, record);
    if (this.#other === undefined && price !== undefined) this.#compare(record, 'catalog', amount);
    const totals = this.#models.get(model) ?? new ModelTotals();
    this.#models.set(model, totals);
    for (const each of [totals, this.#total]) each.add(record, amount);
  }

  /** The prices that were current at the call; undefined when the record names none, or one that is not stored. */
  async #catalogOf({ catalog: version }: UsageRecord): Promise<ReadonlyMap<string, Prices> | undefined> {
    if (version === undefined) return undefined;
    const read = async () => {
      const storedCatalog = await this.#stored.catalogVersion(version);
      if (storedCatalog === undefined) this.#unknown.add(version);
      return storedCatalog === undefined
        ? undefined
        : pricesById(parseCatalog(JSON.parse(storedCatalog.json)));
    };
    const prices = this.#versions.get(version) ?? read();
    this.#versions.set(version, prices);
    return prices;
  }

  #compare(record: UsageRecord, by: Difference['by'], recomputed: NanoUsd): void {
    const billed = billedAmount(record);
    if (recomputed === billed) return;
    this.differences += 1;
    if (this.#listed.length < MAX_LISTED) this.#listed.push({ id: record.id, by, billed, recomputed });
  }

  json(): JsonObject {
    return {
      ...this.#total.json(),
      models: [...this.#models]
        .map(([model, totals]) => ({ model: model === '' ? null : model, ...totals.json() }))
        .sort((a, b) => String(a.model).localeCompare(String(b.model))),
      differences: this.differences,
      different: this.#listed.map(({ id, by, billed, recomputed }) => ({
        id,
        by,
        billed: usdJson(billed),
        recomputed: usdJson(recomputed),
      })),
      without_price: this.#unpriced,
      unknown_catalogs: [...this.#unknown],
    };
  }
}
