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
} as const;
