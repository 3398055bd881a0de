/** The metrics of the service, named once for the functions that raise them and the stacks that watch them. */

export const METRIC_NAMESPACE = 'UnifiedInference';

export const METRICS = {
  /** Cost that no balance covered, nano-USD; never charged. */
  writtenOff: 'WrittenOffNanoUsd',
  /** Expired holds that were settled from their usage record. */
  holdsSettled: 'HoldsSettled',
  /** Expired holds that were released. */
  holdsReleased: 'HoldsReleased',
  /** How far the books of the audited accounts are off, nano-USD; anything but 0 is an incident. */
  auditDrift: 'AuditDriftNanoUsd',
  /** Accounts whose books were proved. */
  accountsAudited: 'AccountsAudited',
  /** Calls that a route failed for reasons of its own. */
  routeFailed: 'RouteFailed',
  /** Circuits that opened: a route that failed too often is left alone for a while. */
  circuitOpened: 'CircuitOpened',
  /** Events that no subscription can be asked about: malformed, too large or of an unknown type. */
  eventsRejected: 'EventsRejected',
  /** Deliveries that an event made. */
  deliveriesCreated: 'DeliveriesCreated',
  /** Attempts that the receiver answered with 2xx in time. */
  deliveriesSucceeded: 'DeliveriesSucceeded',
  /** Attempts that failed, whatever comes of the delivery. */
  attemptsFailed: 'DeliveryAttemptsFailed',
  /** Milliseconds from an event's arrival to its first successful attempt. */
  deliveryLatency: 'DeliveryLatencyMs',
  /** Deliveries given up after 24 hours. */
  deliveriesDead: 'DeliveriesDead',
  /** Subscriptions put out of force because their receiver is gone. */
  webhooksDisabled: 'WebhooksDisabled',
  /** Attempts that were refused because the address is not one on the public internet. */
  addressesForbidden: 'WebhookAddressesForbidden',
  /** Listings in the search index, at each building. */
  listingsIndexed: 'ListingsIndexed',
  /** Stored size of the search index, bytes. */
  searchIndexBytes: 'SearchIndexBytes',
} as const;
