import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { ignoredFieldsHeader, ignoredParametersHeader } from './ignored-fields.ts';

describe('the header x-ignored-fields', () => {
  const header = (names: readonly string[]) => ignoredFieldsHeader(new Set(names))['x-ignored-fields'];

  it('stays absent if no field is ignored', () => {
    expect(ignoredFieldsHeader(new Set())).toEqual({});
  });

  it('lists names, percent-encoded, so that no name ends the header or splits into two', () => {
    expect(header(['top_k', 'messages[].a'])).toBe('top_k,messages%5B%5D.a');
    expect(header(['a\r\nset-cookie: b', 'c,d', 'é\ud800', ''])).toBe(
      'a%0D%0Aset-cookie%3A%20b,c%2Cd,%C3%A9%EF%BF%BD,',
    );
  });

  it('lists 20 names and 1 KB at most, then three dots', () => {
    const names = Array.from({ length: 21 }, (_, index) => `f${index}`);
    expect(header(names.slice(1))).toBe(names.slice(1).join(','));
    expect(header(names)).toBe(`${names.slice(0, 20).join(',')},...`);
    expect(header(['a', 'é'.repeat(180), 'b'])).toBe('a,...');
    expect(header(['x'.repeat(1_025)])).toBe('...');
  });

  it('lists the parameters of a query that its schema does not have', () => {
    const schema = z.object({ model: z.string().optional() });
    expect(ignoredParametersHeader({ model: 'a', models: 'b', toString: 'c' }, schema)).toEqual({
      'x-ignored-fields': 'models,toString',
    });
    expect(ignoredParametersHeader({ model: 'a' }, schema)).toEqual({});
  });
});
