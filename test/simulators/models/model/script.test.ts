import { describe, expect, it } from '@jest/globals';
import type { ModelRequest, ModelTool } from '../../../../simulators/models/model/model.ts';
import { scriptOf } from '../../../../simulators/models/model/script.ts';

const message = (role: 'user' | 'tool', text: string) => ({ role, text, imageCount: 0, toolCalls: [] });

const request = (text: string, tools: readonly ModelTool[], results = 0): ModelRequest => ({
  ...{ model: 'm', tools, toolChoice: 'auto', parallelToolCalls: true, stop: [], choiceCount: 1 },
  messages: [message('user', text), ...Array.from({ length: results }, () => message('tool', 'ok'))],
});

const shell = (name: string, property: string, type: string): ModelTool => ({
  name,
  parameters: { type: 'object', properties: { [property]: { type } } },
});
const CREATE = 'create file a.txt:\none\nend file';
const CAT = "cat > a.txt <<'END_OF_FILE'\none\nEND_OF_FILE";

describe('a script of tool calls', () => {
  it.each<[string, ModelTool, object]>([
    ['a shell that takes a list', shell('shell', 'command', 'array'), { command: ['bash', '-lc', CAT] }],
    ['a shell that takes a text', shell('exec_command', 'cmd', 'string'), { cmd: CAT }],
  ])('creates a file with %s', (_name, tool, input) => {
    const [call] = scriptOf(request(CREATE, [tool]))?.next ?? [];
    expect([call?.name, JSON.parse(call?.arguments ?? '')]).toEqual([tool.name, input]);
  });

  it('edits a file with a hunk, by the tool for patches before any shell', () => {
    const tools = [shell('shell', 'command', 'array'), { name: 'apply_patch', freeform: true as const }];
    expect(scriptOf(request('edit file a.txt:\n-one\n+two', tools))?.next).toEqual([
      {
        name: 'apply_patch',
        arguments: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n',
      },
    ]);
  });

  it('goes one step on with each round of results, and ends', () => {
    const text = 'call f {"n":1}\nthen\ncall f {"n":2}';
    const next = (results: number) => scriptOf(request(text, [{ name: 'f' }], results))?.next;
    expect(next(0)).toEqual([{ name: 'f', arguments: '{"n":1}' }]);
    expect(next(1)).toEqual([{ name: 'f', arguments: '{"n":2}' }]);
    const ended = request(text, [{ name: 'f' }], 1);
    const answered = { ...message('user', ''), role: 'assistant' as const };
    const messages = [...ended.messages, answered, message('tool', 'ok')];
    expect(scriptOf({ ...ended, messages })?.next).toEqual([]);
  });

  it('calls nothing without the tools that it names', () => {
    expect(scriptOf(request('call f {}', [{ name: 'g' }]))).toBeUndefined();
    expect(scriptOf(request(CREATE, [{ name: 'g' }]))).toBeUndefined();
    expect(scriptOf(request('please call f', [{ name: 'f' }]))).toBeUndefined();
  });
});
