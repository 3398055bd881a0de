import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { CALL as call } from '../testing/calls.ts';
import { type ExportBatch, exportBatch } from './export-batch.ts';

const bytesOf = ({ traces, metrics }: ExportBatch) => [gunzipSync(traces), gunzipSync(metrics)];

describe('a batch of calls', () => {
  it('consists of the same bytes however often it is exported', () => {
    const service = { name: 'service', version: '1.0.0' };
    const batch = exportBatch([call], 'stable', service);
    expect(exportBatch([{ ...call }], 'stable', { ...service })).toEqual(batch);
    for (const bytes of bytesOf(batch)) expect(bytes.includes('gen_ai.request.model')).toBe(true);
    expect(bytesOf(batch)[0]?.includes('0.001234567')).toBe(true);
  });
});
