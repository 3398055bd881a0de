/** Names of fields as errors of upstreams spell them: a path of other names may be an upstream's own text. */

const NAMES: ReadonlySet<string> = new Set(
  `
  model messages system role content name type text refusal metadata user image_url url detail source
  data media_type title context citations index input_audio audio modalities file file_id file_data
  filename format voice tools tool_choice tool_calls tool_call_id tool_use_id id input is_error custom
  function functions function_call arguments parameters description strict input_schema response_format
  json_schema schema output_config thinking signature budget_tokens effort reasoning reasoning_effort
  verbosity prediction cache_control ttl max_tokens max_completion_tokens temperature top_p top_k stop
  stop_sequences n seed presence_penalty frequency_penalty logit_bias logprobs top_logprobs user_id
  stream stream_options include_usage parallel_tool_calls disable_parallel_tool_use service_tier store
  container context_management mcp_servers safety_identifier prompt_cache_key encoding_format dimensions
  prompt size quality style background output_format instructions speed stream_format language
  timestamp_granularities properties required items enum additionalProperties max_output_tokens include summary call_id output
  encrypted_content max_tool_calls truncation reasoning_content reasoning_details extra_content
`.match(/\w+/g),
);

const SEGMENT = /[a-zA-Z_][a-zA-Z0-9_]*/g;

/** Returns whether every name in a path is the name of a field of a request. Indexes of lists are numbers. */
export const isFieldPath = (path: string): boolean =>
  (path.match(SEGMENT) ?? []).every((segment) => NAMES.has(segment));
