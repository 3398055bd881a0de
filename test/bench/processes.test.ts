import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { usesOf } from '../../bench/start/processes.ts';

describe('what the processes of a program use', () => {
  it('is of the program and all that it has started, and of no other', async () => {
    const other = spawn('sleep', ['30']);
    const program = spawn('sh', [
      '-c',
      'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep 30 & echo $!; wait',
    ]);
    const [line] = (await once(program.stdout, 'data')) as [Buffer];
    const started = Number(line.toString());
    const uses = usesOf(program.pid ?? 0);
    other.kill();
    process.kill(started);
    await once(program, 'close');
    expect([...uses.keys()].sort()).toEqual([program.pid, started].sort());
    expect(uses.get(program.pid ?? 0)?.cpuSeconds).toBeGreaterThan(0);
    for (const { memoryMb } of uses.values()) expect(memoryMb).toBeGreaterThan(0);
    expect([...usesOf(program.pid ?? 0)]).toEqual([]);
  });
});
