/** Lines that the code under test prints, for tests that expect and silence them. */
import { jest } from '@jest/globals';

export interface CapturedLines {
  /** Complete lines, in their order. */
  readonly lines: readonly string[];
  restore(): void;
}

/** Captures what this process writes to its standard output and its standard error, until it is restored. */
export function captureLines(): CapturedLines {
  const lines: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(
        ...String(chunk)
          .split('\n')
          .filter((line) => line !== ''),
      );
      return true;
    }),
  );
  return {
    lines,
    restore() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
