/**
 * Makes a process one of the next version, whose tables need one more index, and which writes a layout of keys that this one
 * reads: loaded by `--import` before the CDK app or a command of the operator.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { LAYOUTS } from '../../../lambdas/platform/contract/layouts.ts';
import { TABLES, type Table } from '../../../lambdas/platform/contract/tables.ts';
import { BUNDLING, FUNCTION_BUNDLING } from '../../../lib/bundle.ts';

const identities: { indexes?: Table['indexes'] } = TABLES.identities as Table;
identities.indexes = [{ name: 'by-account', partitionKey: 'account_id', sortKey: 'identity' }];

const later = { keys: { reads: 2, writes: 2 } };
Object.assign(LAYOUTS, later);

/** Gives the functions the same table of layouts. */
const laterLayouts: Plugin = {
  name: 'later-layouts',
  setup({ onLoad }) {
    onLoad({ filter: /contract\/layouts\.ts$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\nObject.assign(LAYOUTS, ${JSON.stringify(later)});`,
      loader: 'ts',
    }));
  },
};
for (const options of [BUNDLING, FUNCTION_BUNDLING]) Object.assign(options, { plugins: [laterLayouts] });
