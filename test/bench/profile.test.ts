import { describe, expect, it } from '@jest/globals';
import { sourceMapOf } from '../../bench/profile/readable-bundle.ts';
import { partOf, summarize } from '../../bench/profile/summary.ts';

describe('a line of a bundle', () => {
  it('belongs to the module whose head stands above it', () => {
    const bundle = [
      'banner',
      '// lambdas/core/money.ts',
      'code',
      '// a remark',
      '// node_modules/zod/z.js',
      'zod',
    ];
    const sourceOf = sourceMapOf(bundle.join('\n'));
    expect([0, 2, 3, 5, 99].map(sourceOf)).toEqual([
      ...['bundle', 'lambdas/core/money.ts', 'lambdas/core/money.ts', 'node_modules/zod/z.js', 'bundle'],
    ]);
  });
});

describe('a part of the program', () => {
  it.each([
    ['node_modules/@smithy/core/x.js', 'f', 'AWS SDK'],
    ['node_modules/@middy/core/index.js', 'f', '@middy/core'],
    ['lambdas/core/ledger/admission.ts', 'f', 'lambdas/core'],
    ['local/gateway/proxy-event.ts', 'f', 'host of the bench'],
    ['node:http', 'f', 'Node'],
    ['', '(garbage collector)', 'garbage collector'],
  ])('of %s is known by its folder or package', (source, name, part) => {
    expect(partOf(source, name)).toBe(part);
  });
});

describe('the summary of a profile', () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('(idle)', '') },
      { id: 2, callFrame: frame('admit', 'lambdas/core/a.ts') },
      { id: 3, callFrame: frame('send', 'node_modules/@aws-sdk/b.js') },
    ],
    samples: [2, 1, 3, 2],
    timeDeltas: [10, 1_000, 50, 20],
  };

  it('adds self times up by function and part, greatest first, without the time of doing nothing', () => {
    const { busyMicroseconds, parts, functions } = summarize(profile, (url) => url);
    expect(busyMicroseconds).toBe(80);
    expect(parts).toEqual([
      { name: 'AWS SDK', microseconds: 50 },
      { name: 'lambdas/core', microseconds: 30 },
    ]);
    expect(functions[1]).toEqual({ name: 'admit (lambdas/core/a.ts)', microseconds: 30 });
  });
});
