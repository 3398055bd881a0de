/** The probe of a host of chat completions: what it takes, call by call. */
import { plainQuestions } from './chat-questions.ts';
import { findJsonAnswer, findReasoning } from './chat-reasoning.ts';
import { type Base, chat, GREETING } from './chat-requests.ts';
import { findTools } from './chat-tools.ts';
import type { Findings } from './findings.ts';

/** Throws with the host's reason when not even a plain call works. */
export async function probeChat(findings: Findings, model: string): Promise<void> {
  const base = await findBound(findings, model);
  for (const question of plainQuestions(base)) await findings.judge(question);
  const thinking = await findReasoning(findings, base);
  await findJsonAnswer(findings, base, thinking);
  await findTools(findings, base, thinking);
}

/** Finds the name of the output's bound: the first plain call, under either name. */
async function findBound(findings: Findings, model: string): Promise<Base> {
  const [older, newer] = [
    { model, boundField: 'max_tokens' },
    { model, boundField: 'max_completion_tokens' },
  ] as const;
  const plain = await findings.control('a plain call with max_tokens', chat(older, [GREETING]));
  if (plain.kind === 'unclear') throw new Error(`a plain call does not work: ${plain.reason}`);
  const other = await findings.control('max_completion_tokens', chat(newer, [GREETING]));
  if (plain.kind === 'taken') {
    if (other.kind === 'refused') findings.set('max_tokens_field', 'max_tokens');
    if (other.kind === 'unclear') findings.cannotSay(['max_tokens_field'], other.reason);
    return older;
  }
  if (other.kind !== 'taken') throw new Error(`a plain call does not work: ${plain.reason}`);
  findings.set('max_tokens_field', 'max_completion_tokens');
  return newer;
}
