/** The descriptions of what the service says of itself. */
import * as z from 'zod';
import type { Operation } from './operation.ts';

export const SERVICE_OPERATIONS = {
  'get-health': {
    tag: 'Service',
    answers: {
      200: { description: 'It can answer calls.', schema: z.looseObject({ status: z.literal('ok') }) },
      503: {
        description: 'It cannot answer calls now.',
        schema: z.looseObject({ status: z.literal('unavailable') }),
      },
    },
  },
  'get-index': {
    tag: 'Service',
    answers: {
      200: {
        description: 'The routes and limits.',
        schema: z.object({
          name: z.string(),
          version: z.string(),
          interface_version: z.string(),
          endpoints: z.array(z.object({ method: z.string(), path: z.string(), purpose: z.string() })),
          limits: z.record(z.string(), z.number()),
        }),
      },
    },
  },
  'get-openapi': {
    tag: 'Service',
    answers: { 200: { description: 'This document.', schema: z.looseObject({ openapi: z.string() }) } },
  },
  'get-docs': {
    tag: 'Service',
    answers: { 200: { description: 'The page.', otherForms: { 'text/html': 'The page.' } } },
  },
  'get-docs-asset': {
    tag: 'Service',
    answers: {
      200: {
        description: 'The file.',
        otherForms: { 'text/javascript': 'A script.', 'text/css': 'A style sheet.' },
      },
    },
    errors: [404],
  },
} as const satisfies Readonly<Record<string, Operation>>;
