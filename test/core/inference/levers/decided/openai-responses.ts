/** Fields of Responses that no price depends on (OpenAI API reference, Create a model response). */
import type { Decisions } from '../classification.ts';

/** Items and parts of the input, which are nothing but prompt; some prefix, then the names under it. */
const under = (prefix: string, names: string): string[] =>
  names.split(' ').map((name) => (name === '' ? prefix : `${prefix}.${name}`));

const ACTIONS = 'Click DoubleClick Drag Drag.Path Keypress Move Screenshot Scroll Type Wait';

const CONTENT = [
  ...['EasyInputMessage', 'ResponseOutputMessage', 'ResponseOutputRefusal'],
  'ResponseComputerToolCallOutputScreenshot',
  ...['ResponseInputTextContent', 'ResponseInputImageContent', 'ResponseInputFileContent'],
  ...under('ResponseOutputText', ' FileCitation URLCitation ContainerFileCitation FilePath Logprob'),
  'ResponseOutputText.Logprob.TopLogprob',
  ...under('ResponseFileSearchToolCall', ' Result'),
  ...under('ResponseComputerToolCall', ` PendingSafetyCheck ${ACTIONS}`),
  ...under('ComputerAction', ACTIONS),
  ...under('ResponseFunctionWebSearch', ' Search Search.Source OpenPage Find'),
  ...under('ResponseFunctionToolCall', ' Direct Program'),
  ...under('ResponseReasoningItem', ' Summary Content'),
  ...under('ResponseCodeInterpreterToolCall', ' Logs Image'),
  ...under('ResponseFunctionShellCallOutputContent', ' Timeout Exit'),
  ...under('McpToolCallError', 'McpProtocolError McpToolExecutionError HTTPError'),
  ...under('ResponseCustomToolCallOutput', ' Direct Program'),
  ...under('ResponseCustomToolCall', ' Direct Program'),
  ...under('ResponseInputItem', 'Message LocalShellCall LocalShellCall.Action LocalShellCallOutput'),
  ...under('ResponseInputItem', 'ComputerCallOutput ComputerCallOutput.AcknowledgedSafetyCheck'),
  ...under('ResponseInputItem.FunctionCallOutput', ' Direct Program'),
  ...under('ResponseInputItem.ShellCall', ' Action Direct Program'),
  ...under('ResponseInputItem.ShellCallOutput', ' Direct Program'),
  ...under('ResponseInputItem.ApplyPatchCall', ' CreateFile DeleteFile UpdateFile Direct Program'),
  ...under('ResponseInputItem.ApplyPatchCallOutput', ' Direct Program'),
  ...under('ResponseInputItem', 'McpListTools McpListTools.Tool McpApprovalRequest McpApprovalResponse'),
  ...under('ResponseInputItem.ImageGenerationCall', ' Error Error.ModerationDetails SvgUsage'),
  ...under('ResponseInputItem', 'McpCall Program ProgramOutput'),
].join(' ');

/** The same tools are declared for the request and for an item that adds some. */
const tools = (name: string): string => `Tool.${name} ResponseToolSearchOutputItemParam.${name}`;

export const OF_OPENAI_RESPONSES: Decisions = {
  ResponseCreateParamsBase: {
    prompt: 'image input instructions tools',
    setting:
      'access_programs include max_tool_calls metadata parallel_tool_calls prompt_cache_key safety_identifier ' +
      'temperature tool_choice top_logprobs top_p truncation user ' +
      // They hold levers.
      'prompt_cache_options reasoning',
    output: 'max_output_tokens text',
    service: 'model stream stream_options',
  },
  'ResponseCreateParams.AccessPrograms': { setting: 'cyber' },
  'ResponseCreateParams.Image': { prompt: 'context_compression' },
  'ResponseCreateParams.PromptCacheOptions': { setting: 'comparison_response_id mode' },
  'ResponseCreateParams.StreamOptions': { service: 'include_obfuscation' },
  Reasoning: { prompt: 'context', output: 'effort generate_summary summary' },
  ResponseTextConfig: { prompt: 'format', output: 'verbosity' },
  'ResponseFormatText ResponseFormatJSONObject': { setting: 'type' },
  ResponseFormatTextJSONSchemaConfig: { prompt: 'name schema description', setting: 'type strict' },
  ToolChoiceAllowed: { setting: 'mode tools type' },
  'ToolChoiceTypes ToolChoiceApplyPatch ToolChoiceShell ResponseCreateParams.SpecificProgrammaticToolCallingParam':
    { setting: 'type' },
  'ToolChoiceFunction ToolChoiceCustom': { setting: 'name type' },
  ToolChoiceMcp: { setting: 'server_label type name' },

  FunctionTool: {
    prompt: 'name parameters description output_schema',
    setting: 'strict allowed_callers async defer_loading',
  },
  CustomTool: { prompt: 'name description format', setting: 'allowed_callers async defer_loading' },
  'CustomToolInputFormat.Text': { prompt: 'type' },
  'CustomToolInputFormat.Grammar': { prompt: 'definition syntax type' },
  'NamespaceTool ToolSearchOutputNamespaceTool': { prompt: 'description name tools' },
  'NamespaceTool.Function ToolSearchOutputNamespaceTool.Function': {
    prompt: 'name description output_schema parameters',
    setting: 'allowed_callers async defer_loading strict',
  },
  ComputerUsePreviewTool: { setting: 'display_height display_width environment' },
  ApplyPatchTool: { setting: 'allowed_callers' },
  // Of the tools below the type is the lever, which reads what else matters.
  ToolSearchTool: { prompt: 'description parameters', setting: 'execution' },
  FileSearchTool: { setting: 'vector_store_ids filters max_num_results ranking_options' },
  ComparisonFilter: { setting: 'key type value' },
  CompoundFilter: { setting: 'filters type' },
  'FileSearchTool.RankingOptions': { setting: 'hybrid_search ranker score_threshold' },
  'FileSearchTool.RankingOptions.HybridSearch': { setting: 'embedding_weight text_weight' },
  WebSearchTool: { setting: 'external_web_access filters search_context_size user_location' },
  'WebSearchTool.Filters': { setting: 'allowed_domains' },
  'WebSearchTool.UserLocation WebSearchPreviewTool.UserLocation': {
    setting: 'city country region timezone type',
  },
  WebSearchPreviewTool: { setting: 'search_content_types search_context_size user_location' },
  [tools('Mcp')]: {
    setting:
      'server_label allowed_callers allowed_tools authorization connector_id defer_loading headers ' +
      'require_approval server_description server_url tunnel_id',
  },
  [`${tools('Mcp.McpToolFilter')} ${tools('Mcp.McpToolApprovalFilter.Always')}`]: {
    setting: 'read_only tool_names',
  },
  [tools('Mcp.McpToolApprovalFilter.Never')]: { setting: 'read_only tool_names' },
  [tools('Mcp.McpToolApprovalFilter')]: { setting: 'always never' },
  [tools('CodeInterpreter')]: { setting: 'container allowed_callers' },
  [tools('CodeInterpreter.CodeInterpreterToolAuto')]: {
    setting: 'type file_ids memory_limit network_policy',
  },
  FunctionShellTool: { setting: 'allowed_callers environment' },
  ContainerAuto: { setting: 'type file_ids memory_limit network_policy skills' },
  ContainerReference: { setting: 'container_id type' },
  ContainerNetworkPolicyDisabled: { setting: 'type' },
  ContainerNetworkPolicyAllowlist: { setting: 'allowed_domains type domain_secrets' },
  ContainerNetworkPolicyDomainSecret: { setting: 'domain name value' },
  LocalEnvironment: { setting: 'type skills' },
  LocalSkill: { prompt: 'description name path' },
  SkillReference: { prompt: 'skill_id type version' },
  InlineSkill: { prompt: 'description name source type' },
  InlineSkillSource: { prompt: 'data media_type type' },
  [tools('ImageGeneration')]: {
    setting:
      'action background complexity frame_count frame_duration_ms input_fidelity input_image_mask model ' +
      'moderation output_compression output_format partial_images quality size svg',
  },
  [tools('ImageGeneration.InputImageMask')]: { setting: 'file_id image_url' },
  [tools('ImageGeneration.Svg')]: { setting: 'model reasoning' },
  [tools('ImageGeneration.Svg.Reasoning')]: { setting: 'effort' },

  'ResponseInputItem.AdditionalTools': { prompt: 'role tools id' },
  'ResponseInputItem.ToolSearchCall': { prompt: 'arguments id call_id execution status' },
  ResponseToolSearchOutputItemParam: { prompt: 'tools id call_id execution status' },
  ResponseConfigurationUpdateItemParam: { setting: 'id', output: 'reasoning text' },
  'ResponseConfigurationUpdateItemParam.Reasoning': { output: 'effort' },
  'ResponseConfigurationUpdateItemParam.Text': { prompt: 'format' },
  ResponseCompactionItemParam: { prompt: 'encrypted_content id' },
  'ResponseInputItem.CompactionTrigger ResponseInputItem.ItemReference': { setting: 'id' },
  // Within `prompt`, which is a lever, each of these fields is read by that one.
  ResponseInputText: { prompt: 'text type' },
  ResponseInputImage: { prompt: 'detail type file_id image_url' },
  ResponseInputFile: { prompt: 'type detail file_data file_id file_url filename' },
  [CONTENT]: { prompt: '*' },
};
