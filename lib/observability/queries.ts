/**
 * The saved queries of CloudWatch Logs Insights: the first log queries for on-call engineers. The user of a query
 * replaces `ID`.
 */

/** A kind of log group, by what writes to it; `calls` are the functions of the stack that paid calls run in. */
export type LogKind = 'access' | 'functions' | 'calls' | 'host' | 'firewall';

export interface SavedQuery {
  /** Those that it reads; it is saved in each stack that has any. */
  readonly reads: readonly LogKind[];
  readonly lines: readonly string[];
}

/** The text that Lambda itself writes if a function ends before its work does. */
const DEATHS = ['Task timed out', 'Runtime.OutOfMemory', 'Runtime.ExitError', 'Runtime.ImportModuleError'];

/**
 * Queries by name. Fields are those that the access log, our own lines, the lines of Lambda and the firewall have (CloudWatch user
 * guide, supported logs and discovered fields): keys and accounts of calls are in none of them.
 */
export const QUERIES: Readonly<Record<string, SavedQuery>> = {
  /**
   * The log lines of one call. The access log and our line of a call have Lambda's id as a field, the lines of Lambda
   * as `@requestId`; a host has none, and one line. Ids of the gateway sort before ours, which start with `req_`.
   */
  'one-call': {
    reads: ['functions', 'access', 'host'],
    lines: [
      'fields coalesce(functionRequestId, @requestId, requestId) as invocation',
      "filter ispresent(invocation) and invocation != '-'",
      `stats ${[
        'min(@timestamp) as began',
        'sortsFirst(requestId) as gatewayId',
        'sortsLast(requestId) as callId',
        'sortsLast(extendedRequestId) as extendedId',
        'sortsLast(resource) as path',
        'max(status) as answered',
        'sortsLast(outcome) as ended',
        'sortsLast(code) as failedWith',
        'sortsLast(model) as model',
        'sortsLast(route) as route',
        'sortsLast(usd) as usd',
        'max(latencyMs) as gatewayMs',
        'max(ms) as ourMs',
        'max(@duration) as billedMs',
        'max(@initDuration) as coldStartMs',
        'max(@maxMemoryUsed) as memoryBytes',
      ].join(', ')} by invocation`,
      "filter invocation = 'ID' or gatewayId = 'ID' or callId = 'ID' or extendedId = 'ID'",
    ],
  },
  'lines-of-a-call': {
    reads: ['functions', 'access', 'host'],
    lines: [
      "filter requestId = 'ID' or extendedRequestId = 'ID' or functionRequestId = 'ID' or @requestId = 'ID'",
      'fields @timestamp, level, message, model, route, reason, status, outcome, code, usd, name, failure, error, @message',
      'sort @timestamp asc',
    ],
  },
  'failures-by-path': {
    reads: ['access'],
    lines: [
      'filter status >= 500',
      'stats count(*) as failed, max(latencyMs) as slowestMs by method, resource, status, error',
      'sort failed desc',
    ],
  },
  'rejections-by-code': {
    reads: ['calls', 'host'],
    lines: [
      'filter ispresent(code) and ispresent(ms)',
      'stats count(*) as calls, max(ms) as slowestMs by status, code, model',
      'sort calls desc',
    ],
  },
  'failures-by-route': {
    reads: ['calls', 'host'],
    lines: [
      "filter message = 'route failed'",
      'stats count(*) as failed, count_distinct(requestId) as calls by route, reason',
      'sort failed desc',
    ],
  },
  'dearest-routes': {
    reads: ['calls', 'host'],
    lines: [
      'filter ispresent(CallsSettled)',
      `stats ${[
        'sum(CostNanoUsd) / 1000000000 as paidUsd',
        'sum(ProviderCostNanoUsd) / 1000000000 as takenUsd',
        'sum(CallsSettled) as calls',
        'max(CostNanoUsd) / 1000000000 as dearestCallUsd',
      ].join(', ')} by route`,
      'sort paidUsd desc',
    ],
  },
  'cold-starts': {
    reads: ['calls'],
    lines: [
      "filter @type = 'REPORT'",
      `stats ${[
        'count(@initDuration) as coldStarts',
        'count(*) as invocations',
        'avg(@initDuration) as meanMs',
        'pct(@initDuration, 95) as p95Ms',
        'max(@maxMemoryUsed / @memorySize) as memoryShare',
      ].join(', ')} by @log`,
      'sort coldStarts desc',
    ],
  },
  deaths: {
    reads: ['functions'],
    lines: [
      `filter @message like /${DEATHS.join('|').replaceAll('.', '\\.')}/`,
      'fields @timestamp, @log, @requestId, @message',
      'sort @timestamp desc',
    ],
  },
  'refused-addresses': {
    reads: ['firewall'],
    lines: [
      "filter action = 'BLOCK'",
      'stats count(*) as refused by httpRequest.clientIp, httpRequest.country, terminatingRuleId',
      'sort refused desc',
    ],
  },
};
