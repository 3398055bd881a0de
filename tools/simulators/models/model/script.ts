/** The tool calls that the user writes out, by which a test or a demo chooses what an agent does, step by step. */
import { parsedJson } from '../../parsed-json.ts';
import { lastQuestion } from './asked.ts';
import type { ModelRequest, ModelTool, ModelToolCall } from './model.ts';

export type PlannedCall = Pick<ModelToolCall, 'name' | 'arguments'>;

/** `call NAME {...}`: calls the tool NAME with these arguments. */
const CALL = /^call (\S+) (\{.*\})\s*$/u;
/** `edit file PATH:` and the lines of a hunk. They end with `end file`. */
const FILE = /^edit file (\S+?):?\s*$/u;
const END_OF_FILE = /^end file\s*$/u;
/** Separates the steps: the calls after it are made when the results of those before it are there. */
const NEXT_STEP = /^then\s*$/u;

interface FileChange {
  readonly path: string;
  readonly lines: string[];
}

const propertiesOf = ({ parameters }: ModelTool): Readonly<Record<string, unknown>> =>
  Object(Object(parameters).properties);

/** The property in which Codex's shell takes a command. */
const COMMAND = 'cmd';

/**
 * The change of a file in the format of `apply_patch` (OpenAI's Codex, `apply_patch` instructions): by that tool, or as a
 * command of the shell if the tool is not offered.
 */
function fileCall({ path, lines }: FileChange, tools: readonly ModelTool[]): PlannedCall | undefined {
  const change = [`*** Update File: ${path}`, '@@', ...lines].join('\n');
  const text = `*** Begin Patch\n${change}\n*** End Patch\n`;
  const tool = tools.find(({ name }) => name === 'apply_patch');
  const shell = tools.find((each) => propertiesOf(each)[COMMAND] !== undefined);
  if (tool === undefined && shell !== undefined) {
    const command = `apply_patch <<'END_OF_PATCH'\n${text}END_OF_PATCH`;
    return { name: shell.name, arguments: JSON.stringify({ [COMMAND]: command }) };
  }
  if (tool === undefined) return undefined;
  const [property = 'input'] = Object.keys(propertiesOf(tool));
  return { name: tool.name, arguments: tool.freeform ? text : JSON.stringify({ [property]: text }) };
}

/** A tool that takes a text gets the `input` of a JSON text, or the text itself. */
function namedCall(name: string, text: string, tools: readonly ModelTool[]): PlannedCall | undefined {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  const { input = text }: { input?: unknown } = Object(tool.freeform ? parsedJson(text) : undefined);
  return { name, arguments: String(input) };
}

/** The steps that a text writes out; a step names the calls that the offered tools allow. */
function stepsOf(text: string, tools: readonly ModelTool[]): readonly (readonly PlannedCall[])[] {
  const steps: PlannedCall[][] = [[]];
  const add = (call: PlannedCall | undefined) => call !== undefined && steps.at(-1)?.push(call);
  let change: FileChange | undefined;
  const endFile = () => {
    if (change !== undefined) add(fileCall(change, tools));
    change = undefined;
  };
  for (const line of text.split('\n')) {
    const [, path] = FILE.exec(line) ?? [];
    const [, name, input] = CALL.exec(line) ?? [];
    if (END_OF_FILE.test(line)) endFile();
    else if (change !== undefined) change.lines.push(line);
    else if (path !== undefined) change = { path, lines: [] };
    else if (name !== undefined && input !== undefined) add(namedCall(name, input, tools));
    else if (NEXT_STEP.test(line)) steps.push([]);
  }
  endFile();
  return steps.filter((step) => step.length > 0);
}

/** The calls of the next step of the script in the user's last message, none if all are done; undefined without a script. */
export function nextCalls(request: ModelRequest): readonly PlannedCall[] | undefined {
  const { messages, tools, toolChoice } = request;
  if (toolChoice === 'none' || tools.length === 0) return undefined;
  const question = lastQuestion(messages);
  const steps = stepsOf(question.text, tools);
  if (steps.length === 0) return undefined;
  const since = messages.slice(question.index + 1);
  const isLast = (role: string, index: number) => role === 'tool' && since[index + 1]?.role !== 'tool';
  const results = since.filter(({ role }, index) => isLast(role, index)).length;
  return steps[results] ?? [];
}
