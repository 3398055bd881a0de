/** The descriptions of the service's own routes: health, index and documentation. */
import * as z from 'zod';
import { healthySchema, indexSchema, unavailableSchema } from '../core/api/service-status.ts';
import type { Operation } from './operation.ts';

export const SERVICE_OPERATIONS = {
  'get-health': {
    tag: 'Service',
    answers: {
      200: { description: 'The service can answer calls.', schema: healthySchema },
      503: { description: 'The service cannot answer calls now.', schema: unavailableSchema },
    },
  },
  'get-index': {
    tag: 'Service',
    answers: {
      200: { description: 'The routes and limits.', schema: indexSchema },
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
