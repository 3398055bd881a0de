/**
 * Makes a process one of the next version, whose tables need one more index: loaded by `--import` before the CDK app or a
 * command of the operator.
 */
import { TABLES, type Table } from '../../../lambdas/platform/contract/tables.ts';

const identities: { indexes?: Table['indexes'] } = TABLES.identities as Table;
identities.indexes = [{ name: 'by-account', partitionKey: 'account_id', sortKey: 'identity' }];
