/**
 * The dialect of a route as the catalog document has it: the name of a preset, flags, or both, where the flags come
 * after those of the preset and one that is null takes back what the preset says.
 */
import * as z from 'zod';
import { dialect } from './dialect.ts';
import { PRESETS, type PresetName } from './dialect-presets.ts';

const NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

const flags = Object.fromEntries(Object.keys(dialect.shape).map((name) => [name, z.unknown().optional()]));

/** Reads what is written into the flags of the host, once. */
export const namedDialect = z
  .strictObject({ preset: z.enum(NAMES).optional(), ...flags })
  .transform(({ preset, ...given }): unknown => {
    const named = preset === undefined ? {} : PRESETS[preset as PresetName];
    return Object.fromEntries(Object.entries({ ...named, ...given }).filter(([, flag]) => flag != null));
  })
  .pipe(dialect);
