import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { source } from './amounts.ts';

describe('the amounts that the console reads', () => {
  it('agree with the schemas of the service: `npm run amounts` writes them', () => {
    const file = join(import.meta.dirname, '..', '..', 'console', 'src', 'api', 'amounts.ts');
    expect(readFileSync(file, 'utf8')).toBe(source);
    for (const row of ["'GET /api/v1/credits':", 'sale.refunded', 'policy.daily_usd', 'drift'])
      expect(source).toContain(row);
  });
});
