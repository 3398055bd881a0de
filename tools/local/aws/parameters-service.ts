/**
 * Parameter Store, as far as the service uses it: values of type `String`, stored in the state folder. Source: Systems
 * Manager API reference, GetParameter and PutParameter.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { regionalArn } from '../assembly/identities.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';

interface ParameterRequest {
  readonly Name?: string;
  readonly Value?: string;
  readonly Type?: string;
  readonly Overwrite?: boolean;
}

interface StoredParameter {
  readonly value: string;
  readonly version: number;
  /** Epoch seconds. */
  readonly modified: number;
}

/** A full name; `aws` and `ssm` are reserved. */
const NAME = /^(?!\/?(?:aws|ssm))\/[\w.-]+(?:\/[\w.-]+){0,14}$/i;

/** Characters of a standard parameter. */
const MAX_VALUE = 4_096;

const invalid = (message: string) => new AwsError('ValidationException', message);

/** Opens the store in that folder. */
export function createParametersService(stateDir: string): AwsServiceHandler {
  const file = join(stateDir, 'parameters.json');
  const stored = new Map<string, StoredParameter>(
    existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : [],
  );

  function put({ Value: value, Type: type, Overwrite: overwrite = false }: ParameterRequest, name: string) {
    if (value === undefined || value === '' || value.length > MAX_VALUE)
      throw invalid(`Value must have from 1 to ${MAX_VALUE} characters.`);
    const previous = stored.get(name);
    if (previous === undefined && type !== 'String')
      throw invalid('the local runtime stores parameters of type String only');
    if (previous !== undefined && !overwrite)
      throw new AwsError('ParameterAlreadyExists', 'The parameter already exists.');
    const version = (previous?.version ?? 0) + 1;
    stored.set(name, { value, version, modified: Math.floor(Date.now() / 1000) });
    writeFileSync(`${file}.new`, `${JSON.stringify(Object.fromEntries(stored), null, 2)}\n`);
    renameSync(`${file}.new`, file);
    return { Version: version, Tier: 'Standard' };
  }

  function get(name: string, arn: string) {
    const parameter = stored.get(name);
    if (parameter === undefined) throw new AwsError('ParameterNotFound', '');
    const { value, version, modified } = parameter;
    return {
      Parameter: {
        Name: name,
        ARN: arn,
        Type: 'String',
        DataType: 'text',
        Value: value,
        Version: version,
        LastModifiedDate: modified,
      },
    };
  }

  return async ({ operation, body, authorize }) => {
    const request = parseBody<ParameterRequest>(body);
    const { Name: name = '' } = request;
    if (operation !== 'GetParameter' && operation !== 'PutParameter')
      throw unknownCall(`Systems Manager call ${operation}`);
    if (!NAME.test(name)) throw invalid(`"${name}" is not a name of a parameter`);
    const arn = regionalArn('ssm', `parameter${name}`);
    authorize(`ssm:${operation}`, arn);
    return operation === 'GetParameter' ? get(name, arn) : put(request, name);
  };
}
