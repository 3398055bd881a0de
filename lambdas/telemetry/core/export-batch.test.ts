import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import { CALL, CALLS } from '../testing/calls.ts';
import { type ExportBatch, exportBatch } from './export-batch.ts';

const SERVICE = { name: 'service', version: '1.0.0' };

const bytesOf = ({ traces, metrics }: ExportBatch): readonly Buffer[] => [
  gunzipSync(traces),
  gunzipSync(metrics),
];

const isIn = (batch: ExportBatch, text: string): boolean =>
  bytesOf(batch).some((bytes) => bytes.includes(text));

describe('a batch of calls', () => {
  it('consists of the same bytes however often it is exported', () => {
    const batch = exportBatch(CALLS, 'both', SERVICE);
    expect(exportBatch(structuredClone(CALLS), 'both', { ...SERVICE })).toEqual(batch);
    for (const bytes of bytesOf(batch)) expect(bytes.includes('gen_ai.request.model')).toBe(true);
  });

  it('states the cost exactly, as a decimal and in nano-dollars', () => {
    const batch = exportBatch([{ ...CALL, cost: 12_345_678_901n }], 'stable', SERVICE);
    expect(isIn(batch, '12.345678901')).toBe(true);
  });

  it('contains no field of a record that it does not name, such as content, keys and headers', () => {
    const canaries = ['canary-prompt', 'sk-canary-key', 'canary-header', 'https://canary.upstream'];
    const [prompt, key, header, address] = canaries;
    const hostile = { ...CALL, prompt, attempt: key, lease: key, headers: { header }, address };
    const batch = exportBatch([hostile as unknown as UsageRecord], 'both', SERVICE);
    expect(canaries.filter((canary) => isIn(batch, canary))).toEqual([]);
    // The search finds what is there.
    const shown = exportBatch([{ ...CALL, model: 'canary-prompt' }], 'both', SERVICE);
    expect(canaries.filter((canary) => isIn(shown, canary))).toEqual(['canary-prompt']);
    expect([CALL.keyId, CALL.accountId].map((id) => isIn(batch, id))).toEqual([true, true]);
  });
});
