import { describe, expect, it } from '@jest/globals';
import { compilePolicy, type IamPolicy } from '../../tools/local/aws/iam/policy.ts';
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts';
import { policiesOf } from './permissions.ts';
import { joined, SERVICE_STACKS, SynthesizedApp } from './synthesized-app.ts';

const ACTION = 'lambda:InvokeFunction';

interface Call {
  /** The logical id of the role in which API Gateway calls. */
  readonly role: string;
  /** `stack:Function.Arn`. */
  readonly target: string;
}

/** The calls of the APIs of a configuration, and the policies of their roles, those of nested stacks with them. */
class ApiConfiguration {
  readonly #app: SynthesizedApp;
  readonly calls: readonly Call[];

  constructor(name: ConfigurationName) {
    this.#app = new SynthesizedApp(name);
    this.calls = SERVICE_STACKS.flatMap((stack) =>
      this.#app.properties(stack, 'AWS::ApiGateway::Method').map(({ Integration: integration }) => {
        const { Uri, Credentials } = integration as Readonly<Record<string, unknown>>;
        const [, reference = ''] = /\/functions\/<([\w.]+)>\/[\w-]*invocations$/.exec(joined(Uri)) ?? [];
        const { id = '' } = this.#app.reference(stack, Credentials) ?? {};
        return { role: `${stack}:${id}`, target: this.#named(stack, `<${reference}>`) };
      }),
    );
  }

  /** The policies by role; `isKept` tests each function that they allow. */
  policies(isKept: (target: string) => boolean = () => true): ReadonlyMap<string, IamPolicy> {
    const roles = new Set(this.calls.map(({ role }) => role));
    return new Map(
      SERVICE_STACKS.flatMap((stack) =>
        policiesOf(this.#app, stack).flatMap(([id, statements]) => {
          const role = `${stack}:${id}`;
          if (!roles.has(role)) return [];
          const readable = statements.map(({ Action, Resource }) => ({
            Effect: 'Allow' as const,
            Action,
            Resource: [Resource].flat().map((arn) => this.#named(stack, joined(arn))),
          }));
          const kept = readable.map((each) => ({ ...each, Resource: each.Resource.filter(isKept) }));
          return [[role, compilePolicy(kept)] as const];
        }),
      ),
    );
  }

  #named(stack: (typeof SERVICE_STACKS)[number], written: string): string {
    return `${stack}:${written}`;
  }
}

const configurations = new Map(
  (Object.keys(CONFIGURATIONS) as ConfigurationName[]).map(
    (name) => [name, new ApiConfiguration(name)] as const,
  ),
);

/** The calls that the policies do not allow. */
const denied = (calls: readonly Call[], policies: ReadonlyMap<string, IamPolicy>): readonly Call[] =>
  calls.filter(({ role, target }) => policies.get(role)?.(ACTION, target) !== 'allowed');

/**
 * The changes from a configuration to another that deny a call of the first. A role or a function that the other does not
 * have is deleted in the last step of the update.
 */
function deniedChanges(isKept?: (target: string) => boolean): readonly string[] {
  return [...configurations].flatMap(([to, configuration]) => {
    const allowed = configuration.policies(isKept);
    const called = new Set(configuration.calls.flatMap(({ role, target }) => [role, target]));
    return [...configurations].flatMap(([from, { calls }]) => {
      const staying = calls.filter(({ role, target }) => called.has(role) && called.has(target));
      return denied(staying, allowed).length > 0 ? [`${from} to ${to}`] : [];
    });
  });
}

describe('a change of settings', () => {
  it('allows what the deployed stage calls until the last step of the update, for every pair of configurations', () => {
    for (const { calls } of configurations.values()) expect(calls.length).toBeGreaterThan(60);
    expect(deniedChanges()).toEqual([]);
  });

  it('denies calls in between if the role loses a function', () => {
    const isKept = (target: string) => !/CreateChat\w*\.Arn>$/i.test(target);
    expect(deniedChanges(isKept)).toContain('standard to concurrency');
  });
});
