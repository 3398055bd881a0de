/** The tool calls that the user writes out, by which a test or a demo chooses what an agent does, step by step. */
import { lastQuestion } from './asked.ts';
import type { ModelRequest, ModelTool, ModelToolCall } from './model.ts';

/** A call before it has an id. */
export type PlannedCall = Pick<ModelToolCall, 'name' | 'arguments'>;

/** `call NAME {...}`: calls the tool NAME with these arguments. */
const CALL = /^call (\S+) (\{.*\})\s*$/u;
/** `create file PATH:` and the lines of its content; `edit file PATH:` and the lines of a hunk. They end with `end file`. */
const FILE = /^(create|edit) file (\S+?):?\s*$/u;
const END_OF_FILE = /^end file\s*$/u;
/** Separates the steps: the calls after it are made when the results of those before it are there. */
const NEXT_STEP = /^then\s*$/u;

interface FileChange {
  readonly verb: string;
  readonly path: string;
  readonly lines: readonly string[];
}

/** The change in the format of `apply_patch` (OpenAI's Codex, `apply_patch` instructions). */
function patchOf({ verb, path, lines }: FileChange): string {
  const body =
    verb === 'create'
      ? [`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)]
      : [`*** Update File: ${path}`, '@@', ...lines];
  return ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n');
}

/** The properties that shells of agents take a command in. */
const COMMAND_PROPERTIES = ['command', 'cmd'];

const propertiesOf = ({ parameters }: ModelTool): Readonly<Record<string, { readonly type?: unknown }>> =>
  Object(Object(parameters).properties);

function shellCall(tool: ModelTool, change: FileChange): PlannedCall | undefined {
  const properties = propertiesOf(tool);
  const property = COMMAND_PROPERTIES.find((name) => properties[name] !== undefined);
  if (property === undefined) return undefined;
  const command =
    change.verb === 'create'
      ? `cat > ${change.path} <<'END_OF_FILE'\n${change.lines.join('\n')}\nEND_OF_FILE`
      : `apply_patch <<'END_OF_PATCH'\n${patchOf(change)}END_OF_PATCH`;
  const value = [properties[property]?.type].flat().includes('array') ? ['bash', '-lc', command] : command;
  return { name: tool.name, arguments: JSON.stringify({ [property]: value }) };
}

/** Plans a change of a file with the tool `apply_patch` if it is offered, otherwise with a shell. */
function fileCall(change: FileChange, tools: readonly ModelTool[]): PlannedCall | undefined {
  const patching = tools.find(({ name }) => name === 'apply_patch');
  if (patching?.freeform) return { name: patching.name, arguments: patchOf(change) };
  if (patching !== undefined) {
    const [property = 'input'] = Object.keys(propertiesOf(patching));
    return { name: patching.name, arguments: JSON.stringify({ [property]: patchOf(change) }) };
  }
  for (const tool of tools) {
    const call = shellCall(tool, change);
    if (call !== undefined) return call;
  }
  return undefined;
}

/** The `input` of a JSON text, or the text itself. */
function inputOf(text: string): string {
  try {
    const { input = text }: { input?: unknown } = Object(JSON.parse(text));
    return String(input);
  } catch {
    return text;
  }
}

function namedCall(name: string, text: string, tools: readonly ModelTool[]): PlannedCall | undefined {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return undefined;
  if (tool.freeform !== true) return { name, arguments: text };
  return { name, arguments: inputOf(text) };
}

/** The steps that a text writes out; a step names the calls that the offered tools allow. */
function stepsOf(text: string, tools: readonly ModelTool[]): readonly (readonly PlannedCall[])[] {
  const steps: PlannedCall[][] = [[]];
  const add = (call: PlannedCall | undefined) => call !== undefined && steps.at(-1)?.push(call);
  let change: { verb: string; path: string; lines: string[] } | undefined;
  const endFile = () => {
    if (change !== undefined) add(fileCall(change, tools));
    change = undefined;
  };
  for (const line of text.split('\n')) {
    const [, verb, path] = FILE.exec(line) ?? [];
    const [, name, input] = CALL.exec(line) ?? [];
    if (END_OF_FILE.test(line)) endFile();
    else if (change !== undefined) change.lines.push(line);
    else if (verb !== undefined && path !== undefined) change = { verb, path, lines: [] };
    else if (name !== undefined && input !== undefined) add(namedCall(name, input, tools));
    else if (NEXT_STEP.test(line)) steps.push([]);
  }
  endFile();
  return steps.filter((step) => step.length > 0);
}

/** The rest of the script in the user's last message: the calls of the next step, none if all are done. */
export interface Script {
  readonly next: readonly PlannedCall[];
}

/** The script of the conversation; undefined without one. */
export function scriptOf({ messages, tools, toolChoice }: ModelRequest): Script | undefined {
  if (toolChoice === 'none' || tools.length === 0) return undefined;
  const question = lastQuestion(messages);
  const steps = stepsOf(question.text, tools);
  if (steps.length === 0) return undefined;
  const since = messages.slice(question.index + 1);
  const results = since.filter(
    ({ role }, index) => role === 'tool' && since[index + 1]?.role !== 'tool',
  ).length;
  return { next: steps[results] ?? [] };
}
