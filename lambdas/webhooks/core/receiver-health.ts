/** A receiver's health by its attempts: since when it fails, and when its subscription is disabled. */
import type { Clock, Log } from '../../platform/core/ports.ts';
import { ENDPOINT_DISABLED } from './event.ts';
import type { Publish, SubscriptionHealth } from './ports.ts';
import { type DisabledReason, FAILING_SPAN_MS, type Subscription } from './subscription.ts';

/** The receiver is permanently gone (RFC 9110, section 15.5.11). */
const GONE = 410;

export interface ReceiverHealthDependencies {
  readonly store: SubscriptionHealth;
  readonly publish: Publish;
  readonly clock: Clock;
  readonly onDisabled: (reason: DisabledReason) => void;
  readonly log: Log;
}

export class ReceiverHealth {
  readonly #dependencies: ReceiverHealthDependencies;

  constructor(dependencies: ReceiverHealthDependencies) {
    this.#dependencies = dependencies;
  }

  async succeeded(subscription: Subscription): Promise<void> {
    if (subscription.failingSinceMs !== undefined) await this.#dependencies.store.markHealthy(subscription);
  }

  /** Records a failed attempt. Returns the reason when this attempt disabled the subscription. */
  async failed(subscription: Subscription, status: number | undefined): Promise<DisabledReason | undefined> {
    const { store, clock } = this.#dependencies;
    if (status === GONE) return this.#disable(subscription, 'gone');
    const { failingSinceMs } = subscription;
    if (failingSinceMs === undefined) await store.markFailing(subscription, clock());
    else if (clock() - failingSinceMs >= FAILING_SPAN_MS) return this.#disable(subscription, 'failing');
    return undefined;
  }

  /** Publishes the notice that a process left unpublished when it died; its id makes it one event. */
  async publishNotice(subscription: Subscription): Promise<void> {
    const { notice, disabledReason } = subscription;
    if (notice === undefined) return;
    await this.#dependencies.publish({
      accountId: subscription.accountId,
      type: ENDPOINT_DISABLED,
      id: notice,
      data: { webhook_id: subscription.id, url: subscription.url, reason: disabledReason ?? 'failing' },
    });
    await this.#dependencies.store.clearNotice(subscription, notice);
  }

  async #disable(
    subscription: Subscription,
    reason: 'gone' | 'failing',
  ): Promise<DisabledReason | undefined> {
    const { store, clock, onDisabled, log } = this.#dependencies;
    const notice = `evt_${subscription.id}.disabled.${clock()}`;
    if (!(await store.disable(subscription, reason, notice))) return undefined;
    onDisabled(reason);
    log.warn('a webhook was disabled', { webhookId: subscription.id, reason });
    await this.publishNotice({ ...subscription, disabledReason: reason, notice });
    return reason;
  }
}
