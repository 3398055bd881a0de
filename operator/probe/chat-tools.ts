/** What a host of chat completions wants of conversations in which tools were called. */
import type { Dialect } from '../../lambdas/core/inference/catalog/dialect.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { toolQuestions } from './chat-questions.ts';
import type { Thinking } from './chat-reasoning.ts';
import {
  assistant,
  type Base,
  CITY,
  chat,
  PLAIN_ID,
  tool,
  toolTurn,
  USUAL_ID,
  user,
} from './chat-requests.ts';
import type { Findings, Flag } from './findings.ts';

/** Stands for the signature of a call that the host did not make (Gemini API docs, Thought signatures, FAQs). */
const PLACEHOLDER = 'skip_thought_signature_validator';

interface Returned {
  readonly message?: JsonObject;
  readonly call?: JsonObject;
}

/** What may have to come with a call, and its flag. */
const RETURNS: readonly (readonly [Dialect['reasoning_return'], Returned])[] = [
  [undefined, {}],
  ['reasoning_content', { message: { reasoning_content: '' } }],
  ['thought_signature', { call: { extra_content: { google: { thought_signature: PLACEHOLDER } } } }],
];

const TURN_FLAGS: readonly Flag[] = ['reasoning_return', 'tool_call_ids', 'assistant_after_tools'];
const TOOL_FLAGS: readonly Flag[] = [
  'strict_tools',
  'parallel_tool_calls',
  'schemas',
  'all_properties_required',
];

/** Asks about tools, and about conversations with them; of a host that takes no tool nothing can be said. */
export async function findTools(findings: Findings, base: Base, { on }: Thinking): Promise<void> {
  const questions = toolQuestions(base);
  const [first] = questions;
  if (first === undefined) return;
  const plain = await findings.control('a tool', first.control);
  if (plain.kind !== 'taken') return findings.cannotSay([...TOOL_FLAGS, ...TURN_FLAGS], plain.reason);
  for (const question of questions) await findings.judge(question);
  await findTurns(findings, (messages) => chat(base, messages, { ...on, tools: [tool(CITY)] }));
}

type Write = (messages: readonly JsonObject[]) => JsonObject;

/** Finds what must come with a call, and asks the rest about conversations that have it. */
async function findTurns(findings: Findings, write: Write): Promise<void> {
  let reason = '';
  for (const [flag, returned] of RETURNS) {
    const control = write(toolTurn(PLAIN_ID, returned));
    const answer = await findings.control(
      `the result of a tool${flag === undefined ? '' : `, with ${flag}`}`,
      control,
    );
    if (answer.kind === 'taken') {
      if (flag !== undefined) findings.set('reasoning_return', flag);
      return askTurns(findings, { write, returned, control });
    }
    reason ||= answer.reason;
    if (answer.kind === 'unclear') break;
  }
  findings.cannotSay(TURN_FLAGS, reason);
}

interface Turns {
  readonly write: Write;
  readonly returned: Returned;
  readonly control: JsonObject;
}

async function askTurns(findings: Findings, { write, returned, control }: Turns): Promise<void> {
  await findings.judge({
    ...{ flag: 'tool_call_ids', value: 'nine-characters', about: 'an id of a tool call as OpenAI has them' },
    ...{ request: write(toolTurn(USUAL_ID, returned)), control },
  });
  const turn = toolTurn(PLAIN_ID, returned);
  const next = user('Thanks. Say OK.');
  await findings.judge({
    ...{
      flag: 'assistant_after_tools',
      value: true,
      about: "a user's message directly behind a tool's result",
    },
    request: write([...turn, next]),
    control: write([...turn, assistant('It rains.'), next]),
  });
}
