/** Logs as JSON lines through Powertools. */
import { Logger } from '@aws-lambda-powertools/logger';
import type { Log } from '../core/ports.ts';
import { embedded } from './metrics.ts';

/** The function's name and level come from `POWERTOOLS_SERVICE_NAME` and `POWERTOOLS_LOG_LEVEL`. */
export function createLog(): Log {
  const logger = new Logger();
  return {
    info: (message, fields = {}, measured) =>
      logger.info(
        message,
        measured === undefined ? fields : { ...fields, ...embedded(measured, Date.now()) },
      ),
    warn: (message, fields = {}) => logger.warn(message, fields),
    error: (message, fields = {}) => logger.error(message, fields),
  };
}
