/** The descriptions of the service's own routes: health, index and documentation. */
import * as z from 'zod';
import { answer, tagged } from '../platform/contract/operation.ts';
import { healthySchema, indexSchema, unavailableSchema } from '../platform/core/api/service-status.ts';

export const SERVICE_OPERATIONS = tagged('Service', {
  'get-health': {
    answers: {
      200: answer('The service can answer calls.', healthySchema),
      503: answer('The service cannot answer calls now.', unavailableSchema),
    },
  },
  'get-index': { answers: { 200: answer('The routes and limits.', indexSchema) } },
  'get-openapi': { answers: { 200: answer('This document.', z.looseObject({ openapi: z.string() })) } },
  'get-docs': { answers: { 200: { description: 'The page.', otherForms: { 'text/html': 'The page.' } } } },
  'get-docs-asset': {
    answers: {
      200: {
        description: 'The file.',
        otherForms: { 'text/javascript': 'A script.', 'text/css': 'A style sheet.' },
      },
    },
  },
  'get-console': { answers: { 200: { description: 'The page.', otherForms: { 'text/html': 'The page.' } } } },
  'get-console-asset': {
    answers: {
      200: {
        description: 'The file.',
        otherForms: { 'text/javascript': 'A script.', 'text/css': 'A style sheet.' },
      },
    },
  },
});
