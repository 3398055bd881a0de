/** One-time schedules that send a message and are gone (EventBridge Scheduler user guide, one-time schedules). */
import type { MessagingStore, StoredSchedule } from './store.ts';

export interface SchedulesOptions {
  readonly groups: readonly string[];
  readonly store: MessagingStore;
  readonly clock: () => number;
  /** Does what a schedule says; its failure is logged, as Scheduler would retry and give up. */
  readonly fire: (schedule: StoredSchedule) => void;
  readonly log: (line: string) => void;
}

export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #pending = new Map<string, StoredSchedule>();
  /** Called when a schedule has been added. */
  onChange = () => {};

  constructor(options: SchedulesOptions) {
    this.#options = options;
    for (const schedule of options.store.schedules()) this.#pending.set(keyOf(schedule), schedule);
  }

  hasGroup(name: string): boolean {
    return this.#options.groups.includes(name);
  }

  has(groupName: string, name: string): boolean {
    return this.#pending.has(keyOf({ groupName, name }));
  }

  add(schedule: StoredSchedule): void {
    this.#options.store.addSchedule(schedule);
    this.#pending.set(keyOf(schedule), schedule);
    this.onChange();
  }

  get nextMs(): number | undefined {
    let next: number | undefined;
    for (const { dueMs } of this.#pending.values()) if (next === undefined || dueMs < next) next = dueMs;
    return next;
  }

  /** Fires what is due, each before it is removed: a crash between fires it again, as Scheduler may. */
  fireDue(): void {
    const { clock, fire, store, log } = this.#options;
    for (const schedule of this.#pending.values()) {
      if (schedule.dueMs > clock()) continue;
      try {
        fire(schedule);
      } catch (failure) {
        log(`schedule ${schedule.name}: ${(failure as Error).message}`);
      }
      store.removeSchedule(schedule.groupName, schedule.name);
      this.#pending.delete(keyOf(schedule));
    }
  }
}

const keyOf = ({ groupName, name }: Pick<StoredSchedule, 'groupName' | 'name'>) => `${groupName}/${name}`;
