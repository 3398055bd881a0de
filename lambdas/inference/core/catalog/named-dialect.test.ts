import { describe, expect, it } from '@jest/globals';
import { dialect } from './dialect.ts';
import { PRESETS } from './dialect-presets.ts';
import { route } from './route-document.ts';

const routeWith = (written: unknown, protocol = 'openai') =>
  route.safeParse({
    id: 'r',
    protocol,
    upstream_model: 'm',
    dialect: written,
    ...(protocol === 'bedrock' ? {} : { base_url: 'https://host.example/v1' }),
  });

const flagsOf = (written: unknown) => routeWith(written).data?.dialect;

describe('the dialect of a route', () => {
  it.each(Object.entries(PRESETS))('accepts a preset: %s', (preset, flags) => {
    expect(dialect.parse(flags)).toEqual(flags);
    expect(flagsOf({ preset })).toEqual(flags);
  });

  it('accepts changes and removals of single flags of a preset', () => {
    const { store: _store, ...rest } = PRESETS.xai;
    expect(flagsOf({ preset: 'xai', reasoning_request: 'effort', store: null })).toEqual({
      ...rest,
      reasoning_request: 'effort',
    });
  });

  it('stays the same if it is parsed again', () => {
    const read = flagsOf({ preset: 'mistral', stream_options: null });
    expect(flagsOf(read)).toEqual(read);
    expect(flagsOf({})).toEqual({});
  });

  it.each([
    [{ preset: 'nobody' }, 'dialect.preset'],
    [{ preset: 'vllm', no_such_flag: false }, 'dialect'],
    [{ store: true }, 'dialect.store'],
    [{ preset: 'vllm', reasoning_efforts: [] }, 'dialect.reasoning_efforts.0'],
    ['deepseek', 'dialect'],
  ])('fails validation if it is not a dialect: %j', (written, path) => {
    const { error } = routeWith(written);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
  });

  it('uses methods that only the OpenAI protocol has only on its own routes', () => {
    expect(routeWith({ reasoning_request: 'budget' }, 'bedrock').success).toBe(true);
    expect(routeWith({ reasoning_request: 'enable_thinking' }, 'bedrock').error?.issues[0]).toMatchObject({
      path: ['dialect'],
    });
  });
});
