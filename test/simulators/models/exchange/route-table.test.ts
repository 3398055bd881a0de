import { describe, expect, it } from '@jest/globals';
import { RouteTable } from '../../../../simulators/models/exchange/route-table.ts';
import { ROUTES } from '../../../../simulators/models/routes.ts';

const table = new RouteTable(ROUTES);
const found = (method: string, path: string) => {
  const match = table.find(method, path);
  return match === undefined ? undefined : [match.route.path, match.parameters];
};
const protocolOf = (method: string, path: string) => table.find(method, path)?.route.protocol;

describe('the table of routes', () => {
  it('finds a route by method and path, and decodes the named segments', () => {
    expect(found('POST', '/v1/messages')).toEqual(['/v1/messages', {}]);
    expect(found('POST', '/model/eu.maker.x%3A0%2Fy/converse')).toEqual([
      '/model/{modelId}/converse',
      { modelId: 'eu.maker.x:0/y' },
    ]);
  });

  it.each([
    ['GET', '/v1/messages'],
    ['POST', '/model//converse'],
    ['POST', '/model/a/b/converse'],
    ['POST', '/model/%E0%A4%A/converse'],
    ['POST', '/model/{modelId}'],
    ['POST', '/'],
  ])('finds none for %s %s', (method, path) => {
    expect(found(method, path)).toBeUndefined();
  });

  it('knows the paths that take another method', () => {
    expect(table.hasPath('/model/x/converse')).toBe(true);
    expect(table.hasPath('/model/x/nowhere')).toBe(false);
  });

  it.each([
    ['/v1/messages/nowhere', '/v1/messages'],
    ['/model/x/nowhere', '/model/x/converse'],
    ['/openai/v1/models', '/openai/v1/chat/completions'],
    ['/v1/nowhere', '/v1/chat/completions'],
    ['/nowhere', '/v1/chat/completions'],
  ])('has %s refused in the protocol of %s', (path, known) => {
    expect(table.protocolNear(path)).toBe(protocolOf('POST', known));
  });
});
