/**
 * Tools of a Responses request and the choice among them (OpenAI API reference, Create a model response, `tools`,
 * `tool_choice`). A tool of the provider's own is for the upstream and for its price to judge.
 */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { PLAIN_TOOL_CHOICES } from '../../core/fields/openai-rules.ts';
import { type CallerTool, type ResponsesTool, ToolNames } from './tool-names.ts';

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z A-Z 0-9 _ -');
const object = z.custom<JsonObject>(isJsonObject, 'must be an object');

const functionTool = z.looseObject({
  name,
  description: z.string().nullish(),
  parameters: object.nullish(),
  strict: z.boolean().nullish(),
});

const grammar = z.looseObject({
  type: z.enum(['text', 'grammar']),
  syntax: z.string().nullish(),
  definition: z.string().nullish(),
});

const customTool = z.looseObject({ name, description: z.string().nullish(), format: grammar.nullish() });

/** The maximum number of tools. Tools in namespaces are counted individually. */
const MAX_TOOLS = 1_024;

const toolOf = (types: Readonly<Record<string, z.ZodType>>, otherTypeMessage: string | undefined) =>
  z.looseObject({ type: z.string().min(1) }).superRefine((value, context) => {
    const schema = Object.hasOwn(types, value.type) ? types[value.type] : undefined;
    if (schema === undefined && otherTypeMessage !== undefined)
      context.addIssue({ code: 'custom', path: ['type'], message: otherTypeMessage });
    for (const issue of schema?.safeParse(value).error?.issues ?? []) context.addIssue({ ...issue });
  });

const callable = { function: functionTool, custom: customTool };

const namespaceTool = z.looseObject({
  name,
  description: z.string().nullish(),
  tools: z.array(toolOf(callable, 'must be one of function, custom')).max(MAX_TOOLS),
});

const tool = toolOf({ ...callable, namespace: namespaceTool }, undefined);

export const tools = z.array(tool).max(MAX_TOOLS).superRefine(uniqueNames);

function uniqueNames(declaredTools: readonly ResponsesTool[], context: z.core.$RefinementCtx): void {
  const outerNames = new Set<string>();
  const addName = (names: Set<string>, { type, name: called }: JsonObject, path: (string | number)[]) => {
    if (type !== 'function' && type !== 'custom' && type !== 'namespace') return;
    // A name that is not a string is reported separately.
    if (typeof called !== 'string') return;
    if (names.has(called))
      context.addIssue({
        code: 'custom',
        path: [...path, 'name'],
        message: 'is the name of another tool, too',
      });
    names.add(called);
  };
  let count = 0;
  for (const [index, each] of declaredTools.entries()) {
    addName(outerNames, each, [index]);
    const inner = each.type === 'namespace' && Array.isArray(each.tools) ? each.tools : [];
    const within = new Set<string>();
    for (const [at, one] of inner.entries())
      if (isJsonObject(one)) addName(within, one, [index, 'tools', at]);
    count += 1 + inner.length;
  }
  if (count > MAX_TOOLS)
    context.addIssue({ code: 'custom', path: [], message: `must be at most ${MAX_TOOLS} tools` });
}

const ofName = { name: z.string().min(1), namespace: z.string().nullish() };

/** A tool of the provider's, by its type; with what else its type needs. */
const hosted = z.looseObject({ type: z.string().min(1) });

const choiceOf = z.looseObject({ type: z.string().min(1) }).superRefine((value, context) => {
  const schema =
    value.type === 'function' || value.type === 'custom' ? z.looseObject({ ...ofName }) : undefined;
  for (const issue of schema?.safeParse(value).error?.issues ?? []) context.addIssue({ ...issue });
});

const allowed = z.looseObject({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required']),
  tools: z.array(choiceOf).min(1).max(MAX_TOOLS),
});

export const toolChoice = z.union(
  [
    z.enum(PLAIN_TOOL_CHOICES),
    hosted.superRefine((value, context) => {
      const schema = value.type === 'allowed_tools' ? allowed : choiceOf;
      for (const issue of schema.safeParse(value).error?.issues ?? []) context.addIssue({ ...issue });
    }),
  ],
  'must be "none", "auto", "required" or an object with a type',
);

/** Returns the wrong field within a choice among these tools, and the reason; undefined for a valid choice. */
export function wrongChoice(
  choice: unknown,
  declared: readonly ResponsesTool[],
): { readonly path: (string | number)[]; readonly message: string } | undefined {
  if (choice === null || choice === undefined || choice === 'none' || choice === 'auto') return undefined;
  if (declared.length === 0) return { path: [], message: 'needs tools' };
  if (!isJsonObject(choice)) return undefined;
  const callableNames = callableOf(declared);
  // A value that is not an object is reported separately.
  const isDeclared = (candidate: unknown) =>
    !isJsonObject(candidate) || !isCallable(candidate) || callableNames.has(nameOf(candidate));
  if (choice.type !== 'allowed_tools')
    return isDeclared(choice) ? undefined : { path: ['name'], message: NO_SUCH_TOOL };
  const at = Array.isArray(choice.tools) ? choice.tools.findIndex((candidate) => !isDeclared(candidate)) : -1;
  return at < 0 ? undefined : { path: ['tools', at, 'name'], message: NO_SUCH_TOOL };
}

const NO_SUCH_TOOL = 'must be the name of one of the tools, of the same type';

/** Returns whether a choice identifies a tool that the caller runs. */
export const isCallable = ({ type }: JsonObject): boolean => type === 'function' || type === 'custom';

/**
 * Returns the type, name and namespace of a tool, or of the tool that a choice identifies, as one text. The namespace
 * may be absent.
 */
const nameOf = ({ type, name: called, namespace }: JsonObject | CallerTool): string =>
  JSON.stringify([type, called, namespace ?? null]);

/** The tools that a choice can name, under every name that it can give them. */
function callableOf(declared: readonly ResponsesTool[]): ReadonlySet<string> {
  const callerTools = [...new ToolNames(declared).offered.values()];
  return new Set(callerTools.flatMap((each) => [nameOf(each), nameOf({ type: each.type, name: each.name })]));
}

/** The names on routes of the tools that a choice names. */
export function chosenNames(choice: JsonObject, names: ToolNames): string[] {
  const { type, name: called, namespace } = choice;
  return [...names.offered]
    .filter(
      ([, each]) =>
        each.type === type && each.name === called && (namespace == null || each.namespace === namespace),
    )
    .map(([routeName]) => routeName);
}
