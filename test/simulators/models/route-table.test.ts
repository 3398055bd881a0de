import { describe, expect, it } from '@jest/globals';
import { RouteTable } from '../../../simulators/models/exchange/route-table.ts';
import { ROUTES } from '../../../simulators/models/provider-api.ts';

const table = new RouteTable(ROUTES);

describe('the table of routes', () => {
  it('finds a route by its path, and decodes the named segments', () => {
    expect(table.matches('/v1/messages')).toMatchObject([{ parameters: {} }]);
    expect(table.matches('/model/eu.maker.x%3A0%2Fy/converse')).toMatchObject([
      { route: { path: '/model/{modelId}/converse' }, parameters: { modelId: 'eu.maker.x:0/y' } },
    ]);
  });

  it.each(['/model//converse', '/model/a/b/converse', '/model/%E0%A4%A/converse', '/model/x', '/'])(
    'finds none for %s',
    (path) => {
      expect(table.matches(path)).toEqual([]);
    },
  );

  it.each([
    ['/v1/messages/nowhere', '/v1/messages'],
    ['/model/x/nowhere', '/model/x/converse'],
    ['/openai/v1/models', '/openai/v1/chat/completions'],
    ['/v1/nowhere', '/v1/chat/completions'],
    ['/nowhere', '/v1/chat/completions'],
  ])('refuses %s in the protocol of %s', (path, known) => {
    expect(table.protocolNear(path)).toBe(table.matches(known)[0]?.route.protocol);
  });
});
