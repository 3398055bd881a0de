/** The item of a stage's record. */
import type { StageLayouts } from '../contract/layouts.ts';
import type { StageRecord } from '../core/stage-check.ts';
import { type Item, map, number } from './attribute-values.ts';

/** Returns the record; that of a stage that has no item is open, with data of the first layouts. */
export const decodeStage = (item: Item | undefined): StageRecord => ({
  isClosed: item?.closed_since !== undefined,
  layouts: Object.fromEntries(
    Object.entries(item?.layouts?.M ?? {}).map(([kind, value]) => [kind, Number(value.N)]),
  ),
});

export const encodeLayouts = (layouts: StageLayouts) =>
  map(Object.fromEntries(Object.entries(layouts).map(([kind, layout]) => [kind, number(layout)])));
