/**
 * Puts the resources of nested stacks into the template of their parent, which then reads as one stack. Sources: AWS
 * CloudFormation user guide, nested stacks; template reference, `AWS::CloudFormation::Stack`.
 */
type RecordOf<T> = Readonly<Record<string, T>>;

/** A template, its intrinsic functions unresolved. */
export interface Template {
  readonly Resources: RecordOf<{
    readonly Type: string;
    readonly Properties?: RecordOf<unknown>;
    readonly DependsOn?: readonly string[];
  }>;
  readonly Parameters?: RecordOf<{ readonly Default?: unknown }>;
  readonly Outputs?: RecordOf<{ readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>;
}

const NESTED_STACK = 'AWS::CloudFormation::Stack';

interface NestedStackProperties {
  readonly TemplateURL: unknown;
  readonly Parameters?: RecordOf<unknown>;
}

/** Returns what stands in the place of a reference, or undefined if it stays. */
type Replace = (name: 'Ref' | 'Fn::GetAtt', argument: unknown) => unknown;

/**
 * Returns the template with its nested stacks, whose templates `read` returns by their key in the bucket of the assets.
 * Throws if two of the templates use one id.
 */
export function inlineNestedStacks(template: Template, read: (objectKey: string) => Template): Template {
  const stacks = Object.entries(template.Resources).filter(([, { Type }]) => Type === NESTED_STACK);
  return stacks.reduce((parent, [id, { Properties }]) => {
    const properties = Properties as unknown as NestedStackProperties;
    return inline(parent, id, properties, inlineNestedStacks(read(objectKeyOf(properties)), read));
  }, template);
}

function inline(
  template: Template,
  id: string,
  { Parameters: given = {} }: NestedStackProperties,
  read: Template,
): Template {
  const nested = replaced(read, (name, argument) => (name === 'Ref' ? given[String(argument)] : undefined));
  const { [id]: _, ...own } = template.Resources;
  const ids = Object.keys(nested.Resources);
  const twice = ids.find((each) => Object.hasOwn(own, each));
  if (twice !== undefined) throw new Error(`${id}: its resource ${twice} has the id of another one`);
  const resources = Object.entries({ ...own, ...nested.Resources }).map(([name, resource]) => {
    const { DependsOn: before } = resource;
    if (!before?.includes(id)) return [name, resource];
    return [name, { ...resource, DependsOn: [...before.filter((each) => each !== id), ...ids] }];
  });
  const whole = { ...template, Resources: Object.fromEntries(resources) };
  return replaced(whole, (name, argument) => {
    const [resource, attribute = ''] = name === 'Fn::GetAtt' ? (argument as readonly string[]) : [];
    if (resource !== id) return undefined;
    return nested.Outputs?.[attribute.replace(/^Outputs\./, '')]?.Value;
  });
}

/** The last part of the URL, which the CDK writes as a join. */
const objectKeyOf = ({ TemplateURL: url }: NestedStackProperties): string => {
  const parts = (url as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'][1];
  return String(parts.at(-1)).replace(/^.*\//, '');
};

function replaced<T>(value: T, replace: Replace): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, replace)) as T;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && (name === 'Ref' || name === 'Fn::GetAtt'))
    return (replace(name, argument) ?? value) as T;
  return Object.fromEntries(entries.map(([key, item]) => [key, replaced(item, replace)])) as T;
}
