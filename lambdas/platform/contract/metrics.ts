/** The metrics of the service, named once for the functions that raise them and the stacks that watch them. */

/** The namespace of a deployment's metrics ends in its stage, so that two in one account stay apart. */
export const METRIC_NAMESPACE = 'UnifiedInference';

/** The variable that passes the complete namespace to a function. */
export const METRIC_NAMESPACE_VARIABLE = 'METRICS_NAMESPACE';

/**
 * Dimensions that a metric may have in addition to `application`. Each has few values, because each value is a separate
 * metric.
 */
export const DIMENSIONS = {
  /** The `type` of the error that the caller receives. */
  errorType: 'error_type',
  /** A route's id in the catalog. */
  route: 'route',
} as const;

export const METRICS = {
  /** The cost of usage beyond the bound of its call, nano-USD: the operator's loss, never charged. */
  unbilled: 'UnbilledNanoUsd',
  /** Expired holds that were settled from their usage record. */
  holdsSettled: 'HoldsSettled',
  /** Expired holds that were released. */
  holdsReleased: 'HoldsReleased',
  /** The drift of the ledger of the audited accounts, nano-USD. A value other than 0 is an incident. */
  auditDrift: 'AuditDriftNanoUsd',
  /** Objects and jobs of transcriptions that their calls have left, and the sweeper has deleted. */
  recordingsSwept: 'RecordingsSwept',
  /** Accounts whose ledger was verified. */
  accountsAudited: 'AccountsAudited',
  /** Accounts whose ledger an audit could not verify: they changed during every read, or could not be read. */
  accountsUnproven: 'AccountsUnproven',
  /** Credit that was ever bought or granted, nano-USD, as of an audit. */
  topUps: 'TopUpsNanoUsd',
  /** Credit that is left in all wallets, nano-USD, as of an audit. */
  balances: 'BalancesNanoUsd',
  /** Holds that are open when the sweeper runs. */
  holdsOpen: 'HoldsOpen',
  /** The age of the oldest of them, seconds. */
  overdueHold: 'OverdueHoldSeconds',
  /** Responses with an error, by its type. */
  errors: 'Errors',
  /** Requests that failed because of us or our dependencies: the measure of availability. */
  requestsFailed: 'RequestsFailed',
  /** Responses of hosts with a 5xx that no release causes: of a vendor's outage or a closed service. Alarms of releases leave them out. */
  failuresOfOthers: 'FailuresOfOthers',
  /** Milliseconds from a streamed request's arrival to the first event of its response. */
  timeToFirstToken: 'TimeToFirstTokenMs',
  /** Calls that were settled, by their route. */
  callsSettled: 'CallsSettled',
  inputTokens: 'InputTokens',
  outputTokens: 'OutputTokens',
  /** The amount that accounts paid, nano-USD, by route. */
  cost: 'CostNanoUsd',
  /** The cost of providers, nano-USD, by route, for calls whose route has a cost in the catalog. */
  providerCost: 'ProviderCostNanoUsd',
  /**
   * The amount that accounts paid for these calls minus the cost of providers, nano-USD, by route. A value below 0 is a
   * loss.
   */
  margin: 'MarginNanoUsd',
  /** The loss of a call that was sold below its cost, nano-USD, by route; each such call is one sample. */
  soldBelowCost: 'SoldBelowCostNanoUsd',
  /** Prices of the catalog below the reference prices, per check. */
  pricesPassed: 'PricesPassed',
  /** Costs of routes in the catalog below the reference prices, per check. */
  costsOutdated: 'CostsOutdated',
  /** Checks of reference prices that are too old to be relied on. */
  referencePricesOld: 'ReferencePricesOld',
  /** The maximum number of calls that a process of the shared host had open at once since its last report. */
  openCalls: 'OpenCalls',
  /** Requests to upstreams that were repeated, because their persistent connection turned out to be closed. */
  requestsRepeated: 'RequestsRepeated',
  /** Calls that failed at a route because of the route itself. */
  routeFailed: 'RouteFailed',
  /** Circuits that opened or stayed open after a probe: a route that failed too often is left alone for a while. */
  circuitOpened: 'CircuitOpened',
  /** Orders that were credited for their payment. */
  paymentsCredited: 'PaymentsCredited',
  /** Payment events without a valid signature, those of strangers included. */
  paymentEventsRejected: 'PaymentEventsRejected',
  /**
   * Facts of the payment provider that no event has brought: payments whose event was rejected, and what the
   * reconciliation applied.
   */
  paymentEventsMissed: 'PaymentEventsMissed',
  /** Payment events that the service failed to process, with a 5xx. The provider repeats them. */
  paymentEventsFailed: 'PaymentEventsFailed',
  /** Completed reconciliations with the payment provider, also those without a provider. */
  paymentsReconciled: 'PaymentsReconciled',
  /** Differences between the orders and the lists of the payment provider, per reconciliation. */
  paymentDifferences: 'PaymentDifferences',
  /** Events that were rejected: malformed, too large or of an unknown type. */
  eventsRejected: 'EventsRejected',
  /** Alerts that Amazon SES did not take to mail them, and never will. */
  mailsRejected: 'MailsRejected',
  /** Deliveries that an event created. */
  deliveriesCreated: 'DeliveriesCreated',
  /** Attempts to which the receiver responded with 2xx in time. */
  deliveriesSucceeded: 'DeliveriesSucceeded',
  /** Attempts that failed, whether or not the delivery succeeds later. */
  attemptsFailed: 'DeliveryAttemptsFailed',
  /** Milliseconds from an event's arrival to its first successful attempt. */
  deliveryLatency: 'DeliveryLatencyMs',
  /** Deliveries given up after 24 hours. */
  deliveriesDead: 'DeliveriesDead',
  /** Subscriptions disabled because their receiver responded with 410. */
  webhooksDisabled: 'WebhooksDisabled',
  /** Attempts that were blocked because the address is not on the public internet. */
  addressesForbidden: 'WebhookAddressesForbidden',
  /** Batches of calls that a receiver of telemetry has accepted. */
  telemetryDelivered: 'TelemetryBatchesDelivered',
  /** Attempts at receivers of telemetry that failed. */
  telemetryFailed: 'TelemetryAttemptsFailed',
  /** Batches of telemetry that were given up: rejected by their receiver, or after 24 hours. */
  telemetryDropped: 'TelemetryBatchesDropped',
  /** Seconds for which the oldest item of the market is due: an item that cannot be processed, or a schedule that stands still. */
  oldestDueItem: 'OldestDueItemSeconds',
  /** Seconds by which the payout that is furthest behind is late. */
  latestPayout: 'LatestPayoutSeconds',
  /** Listings in the search index, at each update. */
  listingsIndexed: 'ListingsIndexed',
  /** Stored size of the search index, bytes. */
  searchIndexBytes: 'SearchIndexBytes',
} as const;
