import { expect, it } from '@jest/globals';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { PromptTokens } from '../../lambdas/inference/core/metering/estimate.ts';
import { promptSizeOf } from '../../lambdas/inference/core/metering/prompt-size.ts';
import { CODE, PROSE } from '../../tools/bench/tokens/honest.ts';
import { cellsOf, rowOf, rowsOf } from './pages.ts';

const TEXTS: Readonly<Record<string, string>> = { '"hi there"': 'hi there', ...PROSE, ...CODE };

/** Tokens around the text of a message and before the response (OpenAI cookbook, How to count tokens with tiktoken). */
const AROUND = 7;

function measuredRow(name: string): string {
  const text = TEXTS[name] ?? '';
  const counted = encode(text).length + AROUND;
  const prompt = new PromptTokens(promptSizeOf({ messages: [{ role: 'user', content: text }] }));
  const billed = prompt.upper({});
  return rowOf(name, counted, billed, `${Math.round((billed / counted - 1) * 100)} %`);
}

it('docs/benchmarks.md has the measured error of the billed tokens of 20 prompts, none of which is below the count', () => {
  const rows = rowsOf('docs/benchmarks.md', 'unreported-usage');
  const names = rows.map((row) => cellsOf(row)[0] ?? '');
  expect(new Set(names).size).toBe(20);
  expect(rows).toEqual(names.map(measuredRow));
  for (const row of rows) expect(Number(cellsOf(row)[2])).toBeGreaterThanOrEqual(Number(cellsOf(row)[1]));
});
