/** Fields of the Messages protocol that no price depends on (Claude API reference, Create a Message, with its beta). */
import type { Decisions } from '../classification.ts';

const CONTENT = [
  ...['TextBlockParam', 'ImageBlockParam', 'Base64ImageSource', 'URLImageSource', 'FileImageSource'],
  ...['ImageTransformationsParam', 'DocumentBlockParam', 'RequestDocumentBlock', 'Base64PDFSource'],
  ...[
    'PlainTextSource',
    'ContentBlockSource',
    'URLPDFSource',
    'FileDocumentSource',
    'SearchResultBlockParam',
  ],
  ...['CitationCharLocationParam', 'CitationPageLocationParam', 'CitationContentBlockLocationParam'],
  ...['CitationWebSearchResultLocationParam', 'CitationSearchResultLocationParam', 'CitationsConfigParam'],
  ...['ThinkingBlockParam', 'RedactedThinkingBlockParam', 'ToolUseBlockParam', 'ToolResultBlockParam'],
  ...['DirectCaller', 'ServerToolCaller', 'ServerToolCaller20260120', 'ToolReferenceBlockParam'],
  ...['BrowserStateBlockParam', 'BrowserStateTabEntry', 'BrowserStateChangeTabOpened'],
  ...['BrowserStateChangeDownloadStarted', 'BrowserStateChangeDownloadCompleted'],
  ...['BrowserStateChangeDownloadFailed', 'ServerToolUseBlockParam', 'WebSearchToolResultBlockParam'],
  ...['WebSearchResultBlockParam', 'WebSearchToolRequestErrorObject', 'WebFetchToolResultBlockParam'],
  ...['WebFetchToolResultErrorBlockParam', 'WebFetchBlockParam', 'CodeExecutionToolResultBlockParam'],
  ...['CodeExecutionToolResultErrorParam', 'CodeExecutionResultBlockParam', 'CodeExecutionOutputBlockParam'],
  ...['EncryptedCodeExecutionResultBlockParam', 'BashCodeExecutionToolResultBlockParam'],
  ...['BashCodeExecutionToolResultErrorParam', 'BashCodeExecutionResultBlockParam'],
  ...['BashCodeExecutionOutputBlockParam', 'TextEditorCodeExecutionToolResultBlockParam'],
  ...['TextEditorCodeExecutionToolResultErrorParam', 'TextEditorCodeExecutionViewResultBlockParam'],
  ...['TextEditorCodeExecutionCreateResultBlockParam', 'TextEditorCodeExecutionStrReplaceResultBlockParam'],
  ...['ToolSearchToolResultBlockParam', 'ToolSearchToolResultErrorParam'],
  ...['ToolSearchToolSearchResultBlockParam', 'AdvisorToolResultBlockParam', 'AdvisorToolResultErrorParam'],
  ...['AdvisorResultBlockParam', 'AdvisorRedactedResultBlockParam', 'MCPToolUseBlockParam'],
  ...['RequestMCPToolResultBlockParam', 'CompactionBlockParam', 'FallbackBlockParam', 'FallbackInfoParam'],
].join(' ');

/** The members of the toolsets that the caller's own side runs; each may be switched off. */
const configs = (toolset: string, members: string): string =>
  members
    .split(' ')
    .map((member) => `${toolset}${member}Config`)
    .join(' ');

const POINTER =
  'DoubleClick HoldKey Key LeftClick LeftClickDrag LeftMouseDown LeftMouseUp MiddleClick MouseMove RightClick ' +
  'Screenshot Scroll TripleClick Type Wait Zoom';

const MEMBERS =
  'double_click hold_key key left_click left_click_drag left_mouse_down left_mouse_up middle_click mouse_move ' +
  'right_click screenshot scroll triple_click type wait zoom';

/** What every tool may say of itself. */
const OF_A_TOOL = 'name allowed_callers defer_loading strict';

const OF_A_SEARCH = `${OF_A_TOOL} allowed_domains blocked_domains max_uses user_location`;

/** Pages that are fetched are output of the tool, which its price bounds. */
const OF_A_FETCH = `${OF_A_TOOL} allowed_domains blocked_domains citations max_content_tokens max_uses url_sources`;

export const OF_ANTHROPIC_MESSAGES: Decisions = {
  MessageCreateParamsBase: {
    prompt: 'messages system tools output_format',
    setting: 'metadata stop_sequences tool_choice diagnostics context_management',
    output: 'max_tokens output_config thinking',
    // Threads are refused with an error of their own; the last three are headers.
    service: 'model stream thread betas user_profile_id workspace_id',
  },
  ThreadCreateParams: { service: 'type' },
  ThreadContinueParams: { service: 'previous_message_id type' },
  Metadata: { setting: 'user_id' },
  DiagnosticsParam: { setting: 'previous_message_id' },
  OutputConfig: { prompt: 'format', output: 'effort task_budget' },
  JSONOutputFormat: { prompt: 'schema', setting: 'type' },
  TokenTaskBudget: { output: 'total type remaining' },
  ThinkingConfigEnabled: { output: 'budget_tokens type display block_binding' },
  ThinkingConfigAdaptive: { output: 'type display block_binding' },
  'ThinkingConfigDisabled ThinkingConfigBetweenTools': { output: 'type' },
  ThinkingBlockBinding: { setting: 'prefix_mismatch_behavior' },
  'ToolChoiceAuto ToolChoiceAny': { setting: 'type disable_parallel_tool_use' },
  ToolChoiceTool: { setting: 'name type disable_parallel_tool_use' },
  ToolChoiceNone: { setting: 'type' },
  // The type of an edit is the lever.
  ContextManagementConfig: { setting: 'edits' },
  ClearToolUses20250919Edit: { setting: 'clear_at_least clear_tool_inputs exclude_tools keep trigger' },
  ClearThinking20251015Edit: { setting: 'keep' },
  Compact20260112Edit: { setting: 'instructions pause_after_compaction trigger' },
  'InputTokensClearAtLeast ToolUsesKeep InputTokensTrigger ToolUsesTrigger ThinkingTurns': {
    setting: 'type value',
  },
  AllThinkingTurns: { setting: 'type' },

  Tool: {
    prompt: 'input_schema name description input_examples',
    setting: 'allowed_callers defer_loading eager_input_streaming strict',
  },
  'Tool.InputSchema': { prompt: 'type properties required' },
  'ToolBash20241022 ToolBash20250124 MemoryTool20250818 ToolTextEditor20241022 ToolTextEditor20250124 ToolTextEditor20250429':
    { setting: OF_A_TOOL, prompt: 'input_examples' },
  ToolTextEditor20250728: { setting: `${OF_A_TOOL} max_characters`, prompt: 'input_examples' },
  'ToolComputerUse20241022 ToolComputerUse20250124': {
    setting: `${OF_A_TOOL} display_height_px display_width_px display_number`,
    prompt: 'input_examples',
  },
  ToolComputerUse20251124: {
    setting: `${OF_A_TOOL} display_height_px display_width_px display_number enable_zoom`,
    prompt: 'input_examples',
  },
  'BrowserToolset20260801 ComputerToolset20260801': { setting: 'configs' },
  BrowserToolsetConfigs: {
    setting:
      `${MEMBERS} close_tab file_upload find form_input get_page_text hover javascript_exec list_tabs navigate ` +
      'new_tab read_console read_network read_page scroll_to switch_tab',
  },
  ComputerToolsetConfigs: { setting: `${MEMBERS} cursor_position` },
  [configs('Browser', POINTER)]: { setting: 'defer_loading enabled' },
  [configs('Computer', `${POINTER} CursorPosition`)]: { setting: 'defer_loading enabled' },
  [configs(
    'Browser',
    'CloseTab FileUpload Find FormInput GetPageText Hover JavascriptExec ListTabs Navigate',
  )]: {
    setting: 'defer_loading enabled',
  },
  [configs('Browser', 'NewTab ReadConsole ReadNetwork ReadPage ScrollTo SwitchTab')]: {
    setting: 'defer_loading enabled',
  },
  // Of the tools below the type is the lever, with `max_uses`.
  'CodeExecutionTool20250522 CodeExecutionTool20250825 CodeExecutionTool20260120 CodeExecutionTool20260521': {
    setting: OF_A_TOOL,
  },
  'ToolSearchToolBm25_20251119 ToolSearchToolRegex20251119': { setting: OF_A_TOOL },
  'WebSearchTool20250305 WebSearchTool20260209': { setting: OF_A_SEARCH },
  WebSearchTool20260318: { setting: `${OF_A_SEARCH} response_inclusion` },
  UserLocation: { setting: 'type city country region timezone' },
  'WebFetchTool20250910 WebFetchTool20260209': { setting: OF_A_FETCH },
  WebFetchTool20260309: { setting: `${OF_A_FETCH} use_cache` },
  WebFetchTool20260318: { setting: `${OF_A_FETCH} use_cache response_inclusion` },
  WebFetchURLSources: { setting: 'client_tool_results server_tool_results user_input' },
  'WebFetchURLSourceAll WebFetchURLSourceNone': { setting: 'type' },
  'WebFetchURLSourceOnly WebFetchURLSourceExcept': { setting: 'tools type' },
  WebFetchURLSourceToolReference: { setting: 'name type' },
  AdvisorTool20260301: { setting: `${OF_A_TOOL} model max_tokens max_uses` },
  MCPToolset: { setting: 'mcp_server_name configs default_config', prompt: 'tools' },
  'MCPToolConfig MCPToolDefaultConfig': { setting: 'defer_loading enabled' },
  MCPToolParam: { prompt: 'input_schema name description' },

  'UserMessageParam AssistantMessageParam': { prompt: 'content role' },
  SystemMessageParam: { prompt: 'role content', setting: 'clear_at', output: 'output_config' },
  SystemMessageOutputConfig: { output: 'effort' },
  'RequestToolAdditionBlock RequestToolRemovalBlock': { prompt: 'tool type' },
  ToolChangeToolReference: { prompt: 'name type' },
  ToolChangeMCPToolReference: { prompt: 'name server_name type' },
  ToolChangeMCPToolsetReference: { prompt: 'server_name type' },
  ToolChangeToolDefinitionParam: { prompt: 'definition type' },
  MCPToolListingBlockParam: { prompt: 'mcp_server_name tools' },
  // Its type is the lever.
  ContainerUploadBlockParam: { prompt: 'file_id' },
  // Within other blocks, where nothing is uploaded to a container.
  'TextBlockParam ImageBlockParam SearchResultBlockParam DocumentBlockParam RequestDocumentBlock': {
    prompt: 'type',
  },
  [CONTENT]: { prompt: '*' },
};
