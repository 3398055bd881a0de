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
  readonly #hosts: ReadonlyMap<string, FunctionHost>;

  constructor({ functions, environmentOf, log }: FunctionFleetOptions) {
    this.#hosts = new Map(
      functions.map((description) => {
        const { arn, label, timeoutMs } = description;
        return [arn, new FunctionHost({ label, timeoutMs, environment: environmentOf(description), log })];
      }),
    );
  }

  /** See `FunctionHost.invoke`; throws an error that names an ARN that no stack defines. */
  async invoke(functionArn: string, event: Buffer, requestId: string): Promise<Readable> {
    const host = this.#hosts.get(functionArn);
    if (host === undefined) throw new Error(`no stack defines the function ${functionArn}`);
    return host.invoke(event, requestId);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.close()));
  }
}
