/**
 * A comparison of a catalog file with the current catalog: its changes, and the cost of the last 30 days' calls under
 * it.
 */
import { type CatalogDocument, parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import {
  catalogChange,
  factorText,
  largeChanges,
  type ModelChange,
  type RateChange,
} from '../../lambdas/inference/core/catalog/price-changes.ts';
import type { JsonObject } from '../../lambdas/platform/core/json/lossless-json.ts';
import { type NanoUsd, usdJson } from '../../lambdas/platform/core/money.ts';
import type { Operator } from '../operator.ts';
import { billedAmount, byPrices, pricesById } from './recompute.ts';

const DIFF_DAYS = 30;

/** Some 1 KB each: at most 125,000 read units, 3 cents. */
export const DIFF_RECORDS = 1_000_000;

/** The cost of the calls of a model: the actual amounts, and the amount at the new prices. */
class Calls {
  count = 0;
  spend: NanoUsd = 0n;
  billed: NanoUsd = 0n;
  wouldBe: NanoUsd = 0n;
}

export interface Diff {
  /** The output of the command. */
  readonly output: JsonObject;
  /** The same with the rates of all models in one list. */
  readonly forPerson: JsonObject;
  /** Models with a change of more than 20 % that is not accepted. */
  readonly blocked: readonly string[];
  /** Models that the file does not have, with their calls of the last 30 days. */
  readonly removed: readonly { readonly model: string; readonly calls: number }[];
}

/** Compares; reads at most `records` usage records. Throws when no catalog is current, or the file is not one. */
export async function diffCatalog(
  operator: Pick<Operator, 'catalog' | 'usageScan'>,
  json: string,
  { accepted, records, nowMs }: { accepted: ReadonlySet<string>; records: number; nowMs: number },
): Promise<Diff> {
  const after = parseCatalog(JSON.parse(json));
  const current = await operator.catalog();
  if (current === undefined) throw new Error('no catalog has been applied');
  const before = parseCatalog(JSON.parse(current.json));
  const change = catalogChange(before, after);
  const blocked = largeChanges(change).filter((id) => !accepted.has(id));
  const from = nowMs - DIFF_DAYS * 86_400_000;
  const calls = new Map<string, Calls>();
  const prices = pricesById(after);
  const read = await operator.usageScan(records, (record) => {
    if (record.created * 1_000 < from || record.model === null) return;
    const modelCalls = calls.get(record.model) ?? new Calls();
    calls.set(record.model, modelCalls);
    modelCalls.count += 1;
    modelCalls.spend += record.cost;
    const price = prices.get(record.model);
    if (price === undefined) return;
    modelCalls.billed += billedAmount(record);
    modelCalls.wouldBe += byPrices(price, record);
  });
  const removed = change.removed.map((id) => ({ model: id, ...spendOf(calls.get(id)) }));
  const output = {
    current: current.version,
    added: change.added,
    removed,
    changed: change.changed.map((each) => changedModel(each, calls.get(each.model))),
    route_costs: routeCosts(before, after),
    usage: {
      from: new Date(from).toISOString(),
      to: new Date(nowMs).toISOString(),
      records_read: read.read,
      complete: read.complete,
    },
    blocked,
    apply_needs: [...acceptOptions(blocked), ...(change.removed.length === 0 ? [] : ['--remove'])],
  };
  const rates = change.changed.flatMap(rateRows);
  const forPerson = { ...output, changed: output.changed.map(({ rates: _rates, ...rest }) => rest), rates };
  return { output, forPerson, blocked, removed };
}

const spendOf = ({ count, spend }: Calls = new Calls()) => ({ calls: count, spend: usdJson(spend) });

const amountOf = (value: NanoUsd | undefined) => (value === undefined ? null : usdJson(value));

const rateOf = ({ rate, before, after, large }: RateChange): JsonObject => ({
  rate,
  old: amountOf(before),
  new: amountOf(after),
  factor: factorText(before, after),
  large,
});

/** A row for each rate of a model. */
const rateRows = ({ model, changes }: ModelChange): readonly JsonObject[] =>
  changes.map((change) => ({ model, ...rateOf(change) }));

function changedModel({ model, changes }: ModelChange, calls: Calls = new Calls()) {
  return {
    model,
    rates: changes.map(rateOf),
    ...spendOf(calls),
    billed: usdJson(calls.billed),
    would_be_billed: usdJson(calls.wouldBe),
  };
}

/** Routes whose cost to the operator is another; no caller pays by it, so it blocks nothing. */
function routeCosts(before: CatalogDocument, after: CatalogDocument): readonly JsonObject[] {
  const text = (document: CatalogDocument) =>
    new Map(
      document.models.flatMap(({ routes }) =>
        routes.map(({ id, cost }) => [
          id,
          JSON.stringify(cost, (_name, value: unknown) =>
            typeof value === 'bigint' ? String(value) : value,
          ),
        ]),
      ),
    );
  const [old, now] = [text(before), text(after)];
  return [...now].flatMap(([route, cost]) => (old.has(route) && old.get(route) !== cost ? [{ route }] : []));
}

const acceptOptions = (models: readonly string[]): readonly string[] => models.map((id) => `--accept ${id}`);

/** The changes of a catalog that an operator has accepted. */
export interface AcceptedChanges {
  /** Models whose prices may change by more than 20 %. */
  readonly prices: ReadonlySet<string>;
  /** True if models may be removed. */
  readonly canRemove: boolean;
}

/** The changes to the catalog that was current. */
interface AcceptedChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly rates: readonly JsonObject[];
}

/**
 * Rejects a catalog that changes a price by more than 20 % or removes models, without it being accepted; the first
 * catalog does neither. Returns what it changes.
 */
export async function requireAccepted(
  operator: Pick<Operator, 'catalog' | 'usageScan'>,
  json: string,
  { prices, canRemove }: AcceptedChanges,
  nowMs: number,
): Promise<AcceptedChange> {
  const after = parseCatalog(JSON.parse(json));
  const current = await operator.catalog();
  if (current === undefined) return { added: after.models.map(({ id }) => id), removed: [], rates: [] };
  const change = catalogChange(parseCatalog(JSON.parse(current.json)), after);
  const blocked = largeChanges(change).filter((id) => !prices.has(id));
  if (blocked.length > 0) {
    const options = acceptOptions(blocked).join(' ');
    throw new Error(
      `prices of ${blocked.join(', ')} change by more than 20 %: compare with "catalog diff", then add ${options}`,
    );
  }
  if (change.removed.length > 0 && !canRemove) {
    const { removed } = await diffCatalog(operator, json, { accepted: prices, records: DIFF_RECORDS, nowMs });
    const models = removed.map(({ model, calls }) => `${model} (${calls} calls in ${DIFF_DAYS} days)`);
    throw new Error(
      `the file removes ${models.join(', ')}: add --remove to remove, or the models to the file`,
    );
  }
  const { added, removed, changed } = change;
  return { added, removed, rates: changed.flatMap(rateRows) };
}
