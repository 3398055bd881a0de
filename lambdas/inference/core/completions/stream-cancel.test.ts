import { describe, expect, it } from '@jest/globals';
import { NO_FIELDS } from '../../testing/fields/no-fields.ts';
import { canCancel } from './delivery.ts';

const cancelling = { cancels: true, reasoning: false } as const;
const plainPayload = { body: { model: 'm', messages: [], max_tokens: 5 }, fields: NO_FIELDS };

describe('a stream whose caller leaves', () => {
  it('closes on a route that cancels, for a plain request', () => {
    expect(canCancel(cancelling, plainPayload)).toBe(true);
    expect(canCancel({ ...cancelling, dialect: { store: false } }, plainPayload)).toBe(true);
  });

  it.each([
    { ...cancelling, cancels: false },
    { ...cancelling, reasoning: true },
    { ...cancelling, dialect: { reasoning_request: 'switch' as const } },
    { ...cancelling, dialect: { reasoning_return: 'reasoning_content' as const } },
  ])('runs to its end on the route %j', (route) => {
    expect(canCancel(route, plainPayload)).toBe(false);
  });

  it.each([
    { reasoning_effort: 'low' },
    { reasoning: { effort: 'low' } },
    { thinking: { type: 'adaptive' } },
    { output_config: { effort: 'high' } },
    { enable_thinking: true },
    { chat_template_kwargs: { thinking: true } },
    { prompt_mode: 'reasoning' },
  ])('runs to its end for a request with %j', (request) => {
    expect(canCancel(cancelling, { ...plainPayload, body: { ...plainPayload.body, ...request } })).toBe(
      false,
    );
  });

  it('continues to its end if an undocumented field of the request enables thinking', () => {
    const undocumented = [{ pattern: 'thinking', needs: [], isConverted: true }];
    expect(canCancel(cancelling, { ...plainPayload, fields: { ...NO_FIELDS, undocumented } })).toBe(false);
  });

  it('runs to its end for a request with a priced feature', () => {
    const search = { kind: 'server-tool', name: 'web_search', maxUses: 1, param: 'tools[0].type' } as const;
    expect(canCancel(cancelling, { ...plainPayload, fields: { ...NO_FIELDS, needs: [search] } })).toBe(false);
  });
});
