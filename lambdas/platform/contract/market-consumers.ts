/** The asynchronous functions of the market. */
export const MARKET_CONSUMERS = {
  'follow-listings': {
    purpose: 'publishes the events of listings, ranks them after installs, and purges those that are deleted',
    api: 'platform',
    // A batch is 100 records. The longest task is the removal of a popular listing's remaining items, which continues
    // where it stopped.
    timeoutSeconds: 60,
  },
  'build-search-index': {
    purpose: 'updates the stored search index by the changes of listings',
    api: 'platform',
    // The first one of 50,000 listings takes some 30 s, and an update seconds.
    timeoutSeconds: 300,
  },
  'rank-trending': {
    purpose: 'ranks what is trending anew, as installs grow old',
    api: 'platform',
    // Age reduces all scores alike. Only what leaves a window changes their order, and installs are counted by the hour.
    schedule: 'rate(1 hour)',
    timeoutSeconds: 60,
  },
  'record-scans': {
    purpose: 'inspects uploaded builds, and records the verdict of the malware scanner',
    api: 'platform',
    // 50 MB are read, hashed, inspected and written: ten seconds of a whole core, and S3.
    timeoutSeconds: 120,
  },
  'process-due-items': {
    purpose:
      'matures, holds and reverses the sales whose time has come, renews and ends subscriptions, takes the next step of payouts, and requests overdue scans of builds again',
    api: 'platform',
    // A sale that waits for seven days may wait for five more minutes.
    schedule: 'rate(5 minutes)',
    // It starts items for 240 s; an item takes a second at most.
    timeoutSeconds: 300,
  },
} as const;
