/** Every function of the assembly, by its ARN. */
import type { Readable } from 'node:stream';
import type { FunctionDescription } from '../assembly/functions.ts';
import { FunctionHost } from './function-host.ts';

export interface FunctionFleetOptions {
  readonly functions: readonly FunctionDescription[];
  readonly environmentOf: (description: FunctionDescription) => Record<string, string>;
  readonly log: (line: string) => void;
}

export class FunctionFleet {
  readonly #options: FunctionFleetOptions;
  readonly #descriptions: ReadonlyMap<string, FunctionDescription>;
  readonly #hosts = new Map<string, FunctionHost>();

  constructor(options: FunctionFleetOptions) {
    this.#options = options;
    this.#descriptions = new Map(options.functions.map((description) => [description.arn, description]));
  }

  /** See `FunctionHost.invoke`; throws an error that names an ARN that no stack defines. */
  async invoke(functionArn: string, event: Buffer, requestId: string): Promise<Readable> {
    return this.#hostOf(functionArn).invoke(event, requestId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.close()));
  }

  /** Made at the first call: some variables are known only when the gateway listens. */
  #hostOf(functionArn: string): FunctionHost {
    const runningHost = this.#hosts.get(functionArn);
    if (runningHost !== undefined) return runningHost;
    const description = this.#descriptions.get(functionArn);
    if (description === undefined) throw new Error(`no stack defines the function ${functionArn}`);
    const { environmentOf, log } = this.#options;
    const { label, timeoutMs } = description;
    const host = new FunctionHost({ label, timeoutMs, environment: environmentOf(description), log });
    this.#hosts.set(functionArn, host);
    return host;
  }
}
