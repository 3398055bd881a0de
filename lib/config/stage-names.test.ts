import { describe, expect, it } from '@jest/globals';
import { parseConfig } from './config.ts';
import { edgeAlarmsStackName, isStackOf, STACKS, stackNameOf } from './stage-names.ts';

describe('the stacks of a stage', () => {
  it('exclude those of a stage whose name begins with theirs', () => {
    const names = (stage: string) => [
      ...STACKS.map((part) => stackNameOf(stage, part)),
      edgeAlarmsStackName(stage, 'eu-central-1'),
    ];
    for (const name of names('test')) expect([name, isStackOf('test', name)]).toEqual([name, true]);
    for (const stage of ['test-eu', 'test2', 'tes', 'test-edge-alarms-a'])
      for (const name of names(stage)) expect([name, isStackOf('test', name)]).toEqual([name, false]);
    expect(isStackOf('test', 'Inference-test-something-of-mine')).toBe(false);
  });
});

describe('the name of a stage', () => {
  it.each(['test-data', 'a-platform'])('never ends with the name of a stack: %s', (stage) => {
    expect(() => parseConfig({ stage })).toThrow(/stage[\s\S]*must not end|must not end[\s\S]*stage/);
  });
});
