/**
 * The types of the attributes, and the metrics, that the published schema has for what is exported: `model/gen-ai`,
 * `model/http` and `model/error` of github.com/open-telemetry/semantic-conventions, whose names are those of the package
 * `@opentelemetry/semantic-conventions` 1.45.0 (read on 2026-11-29).
 */

/** `enum`: a text, of which the schema lists some. */
export const ATTRIBUTE_TYPES: Readonly<Record<string, 'string' | 'int' | 'double' | 'boolean' | 'enum'>> = {
  'error.type': 'enum',
  'gen_ai.operation.name': 'enum',
  'gen_ai.output.type': 'enum',
  'gen_ai.provider.name': 'enum',
  'gen_ai.request.model': 'string',
  'gen_ai.request.stream': 'boolean',
  'gen_ai.response.model': 'string',
  'gen_ai.response.time_to_first_chunk': 'double',
  'gen_ai.system': 'enum',
  'gen_ai.token.type': 'enum',
  'gen_ai.usage.cache_read.input_tokens': 'int',
  'gen_ai.usage.completion_tokens': 'int',
  'gen_ai.usage.input_tokens': 'int',
  'gen_ai.usage.output_tokens': 'int',
  'gen_ai.usage.prompt_tokens': 'int',
  'http.request.method': 'enum',
  'http.response.status_code': 'int',
};

/** The units of histograms. */
export const METRIC_UNITS: Readonly<Record<string, string>> = {
  'gen_ai.client.operation.duration': 's',
  'gen_ai.client.token.usage': '{token}',
  'gen_ai.server.request.duration': 's',
  'gen_ai.server.time_to_first_token': 's',
};
