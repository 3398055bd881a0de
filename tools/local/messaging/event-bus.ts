/** Event buses: each event goes to the queues of every rule that waits for it (EventBridge user guide, events). */
import { randomUUID } from 'node:crypto';
import type { EventBusDescription, EventRule } from '../assembly/event-rules.ts';
import { matches } from '../assembly/event-rules.ts';
import { ACCOUNT_ID, REGION } from '../assembly/intrinsics.ts';
import type { Queues } from './queues.ts';

export interface BusEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: unknown;
}

export interface EventBusesOptions {
  readonly buses: readonly EventBusDescription[];
  readonly rules: readonly EventRule[];
  readonly queues: Queues;
  readonly clock: () => number;
  /** Invokes a function; it handles the failures. */
  readonly invoke?: (functionArn: string, event: unknown) => void;
}

export class EventBuses {
  readonly #options: EventBusesOptions;

  constructor(options: EventBusesOptions) {
    this.#options = options;
  }

  /** Finds a bus by name or ARN. */
  find(bus: string): EventBusDescription | undefined {
    return this.#options.buses.find(({ name, arn }) => name === bus || arn === bus);
  }

  /** Returns the event's id; it is in every queue, and on its way to every function, when this returns. */
  put(bus: EventBusDescription, { source, detailType, detail }: BusEvent): string {
    const { rules, queues, clock } = this.#options;
    const event = {
      version: '0',
      id: randomUUID(),
      'detail-type': detailType,
      source,
      account: ACCOUNT_ID,
      // EventBridge sends whole seconds.
      time: `${new Date(clock()).toISOString().slice(0, 19)}Z`,
      region: REGION,
      resources: [],
      detail,
    };
    const body = JSON.stringify(event);
    for (const { busName, pattern, queueArns, functionArns } of rules) {
      if (busName !== bus.name || !matches(pattern, event)) continue;
      for (const arn of queueArns) queues.byArn(arn).send([{ body }]);
      for (const arn of functionArns) this.#options.invoke?.(arn, event);
    }
    return event.id;
  }
}
