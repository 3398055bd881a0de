/** The size of a task of the shared host, and the load at which another task starts. */

/**
 * The size of a task. A streamed call of 300 chunks takes 13 ms of CPU (a profile of 2026-11-23, and `npm run bench --
 * stream`). 300 open calls of 5 s, which are 60 per second, therefore take three quarters of a vCPU; longer calls take
 * less. The memory of 2 GB covers a thousand open streams (315 MB measured on 2026-11-28), the bodies that
 * are read concurrently (768 MB as text and values), and as much again.
 */
export const HOST_TASK = {
  vcpu: 1,
  gb: 2,
  /** Open calls of a task, in the mean, at which another one starts. */
  openCalls: 300,
  /** The same for its CPU, which short calls fill first: embeddings, and responses from a cache. */
  cpuPercent: 70,
} as const;
