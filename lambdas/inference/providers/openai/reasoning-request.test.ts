import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { pricedFeaturesIn } from '../../testing/fields/samples/all.ts';
import { nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { convertedPayload } from '../../testing/providers/payloads.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toRequestBody } from './request.ts';

type Dialect = NonNullable<Parameters<typeof toRequestBody>[1]['dialect']>;

const NAMES = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'chat_template_kwargs',
  'prompt_mode',
  'max_tokens',
  'max_completion_tokens',
] as const;

/** The fields about reasoning, and the bound where it is not the caller's. */
function requestedReasoning(body: JsonObject): JsonObject {
  const sentFields = NAMES.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]] as const]));
  return Object.fromEntries(sentFields.filter(([name, value]) => name !== 'max_tokens' || value !== 10_000));
}

const route = (dialect: Dialect) => ({ upstream_model: 'm', reasoning: false, dialect });

const converted = (reasoning: Conversation['reasoning'], dialect: Dialect) =>
  requestedReasoning(
    toRequestBody(
      convertedPayload({ maxTokens: 10_000, ...(reasoning && { reasoning }) }),
      route(dialect),
      SIGNATURES,
    ),
  );

const native = (fields: JsonObject, dialect: Dialect) =>
  requestedReasoning(
    toRequestBody(nativePayload({ max_tokens: 10_000, ...fields }), route(dialect), SIGNATURES),
  );

const kwargs = (on: boolean) => ({ chat_template_kwargs: { enable_thinking: on, thinking: on } });
const dashScope = (budget: number) => ({
  enable_thinking: true,
  thinking_budget: budget,
  max_tokens: 10_000 - budget,
});

/** Fields of each dialect for a high effort, and for no reasoning. */
const FLAGGED_MODES: readonly (readonly [Dialect, JsonObject, JsonObject])[] = [
  [{ reasoning_request: 'effort' }, { reasoning_effort: 'high' }, { reasoning_effort: 'none' }],
  [
    { reasoning_request: 'effort', reasoning_efforts: ['low', 'medium'] },
    { reasoning_effort: 'medium' },
    { reasoning_effort: 'low' },
  ],
  [{ reasoning_request: 'adaptive' }, { reasoning_effort: 'high' }, { reasoning_effort: 'none' }],
  [{ reasoning_request: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 8_000 } }, {}],
  [{ reasoning_request: 'switch' }, { thinking: { type: 'enabled' } }, { thinking: { type: 'disabled' } }],
  [
    { reasoning_request: 'switch', reasoning_efforts: ['high', 'max'] },
    { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    { thinking: { type: 'disabled' } },
  ],
  [{ reasoning_request: 'enable_thinking' }, dashScope(8_000), { enable_thinking: false }],
  [{ reasoning_request: 'chat_template_kwargs' }, kwargs(true), kwargs(false)],
  [{ reasoning_request: 'reasoning' }, { reasoning: { effort: 'high' } }, { reasoning: { effort: 'none' } }],
  [
    { reasoning_request: 'reasoning_enabled' },
    { reasoning: { enabled: true } },
    { reasoning: { enabled: false } },
  ],
  [{ reasoning_request: 'prompt_mode' }, { prompt_mode: 'reasoning' }, {}],
  [{ reasoning_request: 'none' }, {}, {}],
];

/** A request disables reasoning on hosts that do not count it within the limit of the output. */
const unrequested = ({ reasoning_request: mode }: Dialect): JsonObject =>
  mode === 'enable_thinking' ? { enable_thinking: false } : {};

describe('reasoning requested in the vendor’s own fields (D3)', () => {
  it.each(FLAGGED_MODES)('comes from requests of callers of another protocol: %j', (dialect, on, off) => {
    expect(converted({ effort: 'high' }, dialect)).toEqual(on);
    expect(converted({ effort: 'none' }, dialect)).toEqual(off);
    expect(converted(undefined, dialect)).toEqual(unrequested(dialect));
  });

  it.each(FLAGGED_MODES)(
    'comes from any reasoning field of callers of the same protocol: %j',
    (dialect, on, off) => {
      expect(native({ reasoning_effort: 'high' }, dialect)).toEqual(on);
      expect(native({ reasoning: { effort: 'high' } }, dialect)).toMatchObject(on);
      for (const body of [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }])
        expect(native(body, dialect)).toEqual(off);
      expect(native({}, dialect)).toEqual(unrequested(dialect));
    },
  );

  it('leaves the caller’s fields unchanged if the catalog sets no mode', () => {
    const body = { reasoning_effort: 'high', reasoning: { exclude: true }, thinking: { type: 'enabled' } };
    expect(native(body, {})).toEqual(body);
    expect(converted({ effort: 'high' }, {})).toEqual({});
  });

  it.each(['effort', 'adaptive', 'switch', 'budget'] as const)(
    'uses only fields without a separate price: %s',
    (mode) => {
      const fields = converted({ effort: 'high' }, { reasoning_request: mode });
      expect(pricedFeaturesIn('openai', fields)).toEqual([]);
    },
  );

  it('contains an effort in place of a budget of the caller', () => {
    expect(converted({ maxTokens: 2_000 }, { reasoning_request: 'effort' })).toEqual({
      reasoning_effort: 'low',
    });
  });
});

describe('a caller’s request for reasoning', () => {
  it('stays unchanged for the route to validate if the service does not recognize it', () => {
    const body = { reasoning_effort: 'frantic' };
    expect(native(body, { reasoning_request: 'switch' })).toEqual(body);
  });

  it('retains settings that only the vendor’s own field expresses', () => {
    expect(
      native({ reasoning: { enabled: true, exclude: true } }, { reasoning_request: 'reasoning' }),
    ).toEqual({
      reasoning: { effort: 'medium', enabled: true, exclude: true },
    });
    const thinking = { type: 'enabled', clear_thinking: false };
    expect(native({ thinking }, { reasoning_request: 'switch' })).toEqual({ thinking });
    const templateFields = { chat_template_kwargs: { enable_thinking: false, custom: 1 } };
    expect(native(templateFields, { reasoning_request: 'chat_template_kwargs' })).toEqual(templateFields);
    expect(
      native({ ...templateFields, reasoning_effort: 'low' }, { reasoning_request: 'chat_template_kwargs' }),
    ).toEqual({
      chat_template_kwargs: { enable_thinking: false, thinking: true, custom: 1 },
    });
  });

  it('stays within the output bound, even if the host counts thoughts in addition to it', () => {
    const dialect = { reasoning_request: 'enable_thinking' } as const;
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      const body = native({ max_tokens: undefined, [field]: 4_000, reasoning_effort: 'high' }, dialect);
      expect(body).toEqual({ enable_thinking: true, thinking_budget: 3_200, max_tokens: 800 });
    }
    expect(native({ max_tokens: 1, reasoning_effort: 'high' }, dialect)).toEqual({
      enable_thinking: false,
      max_tokens: 1,
    });
    expect(converted({ maxTokens: 2_000 }, dialect)).toEqual(dashScope(2_000));
  });

  it.each([{ reasoning_request: 'enable_thinking' }, {}] as const)(
    'counts its reasoning within the output bound if the fields are the host’s own: %j',
    (dialect) => {
      const thought = { enable_thinking: true, thinking_budget: 500 };
      expect(native({ ...thought, max_tokens: 4_000 }, dialect)).toEqual({ ...thought, max_tokens: 3_500 });
      expect(native({ enable_thinking: true, thinking_budget: 38_912, max_tokens: 16 }, dialect)).toEqual({
        enable_thinking: true,
        thinking_budget: 15,
        max_tokens: 1,
      });
      expect(native({ enable_thinking: true, max_tokens: 16 }, dialect)).toEqual({
        enable_thinking: true,
        thinking_budget: 8,
        max_tokens: 8,
      });
      for (const off of [{ enable_thinking: false }, { thinking_budget: 0 }])
        expect(native({ ...off, max_tokens: 16 }, dialect)).toEqual({
          enable_thinking: false,
          max_tokens: 16,
        });
    },
  );

  it('takes the route’s own form if the caller uses the fields of another host', () => {
    const thought = { enable_thinking: true, thinking_budget: 2_000 };
    expect(native(thought, { reasoning_request: 'effort' })).toEqual({ reasoning_effort: 'low' });
    expect(native(thought, { reasoning_request: 'none' })).toEqual({});
    expect(native({ reasoning_effort: 'frantic' }, { reasoning_request: 'enable_thinking' })).toEqual({
      reasoning_effort: 'frantic',
      enable_thinking: false,
    });
  });
});
