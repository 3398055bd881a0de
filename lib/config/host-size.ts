/** The size of a task of the shared host, and the load at which another task starts. */

/**
 * A streamed call of 300 chunks takes 13 ms of CPU (a profile of 2026-11-23, and `npm run bench -- stream`), so 300 open
 * calls of 5 s, which are 60 a second, take three quarters of a vCPU; longer calls take less. 2 GB are what a thousand open
 * streams have been seen to take (330 MB, `npm run bench -- host`), the bodies that are read at once (768 MB as text and
 * values), and again as much.
 */
export const HOST_TASK = {
  vcpu: 1,
  gb: 2,
  /** Open calls of a task, in the mean, at which another one starts. */
  openCalls: 300,
  /** The same for its CPU, which calls fill first that end soon: embeddings, and answers from a cache. */
  cpuPercent: 70,
} as const;
