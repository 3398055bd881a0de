/** What the service prints while a file's tests run, which they look at in place of the terminal. */
import { afterAll, beforeAll, jest } from '@jest/globals';

type Line = Readonly<Record<string, unknown>>;

/** The lines of JSON, which are metrics and the log. All else is printed as before. */
export function printedLines(): readonly Line[] {
  const lines: Line[] = [];
  const streams = [process.stdout, process.stderr];
  beforeAll(() => {
    for (const stream of streams) {
      const write = stream.write.bind(stream);
      jest.spyOn(stream, 'write').mockImplementation((chunk, ...rest) => {
        const text = String(chunk);
        if (!text.startsWith('{')) return write(chunk, ...rest);
        for (const line of text.trim().split('\n')) lines.push(JSON.parse(line));
        return true;
      });
    }
  });
  afterAll(() => void jest.restoreAllMocks());
  return lines;
}
