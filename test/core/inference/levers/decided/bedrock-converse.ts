/** Fields of Converse that no price depends on (Amazon Bedrock API reference, Converse). */
import type { Decisions } from '../classification.ts';

export const OF_BEDROCK_CONVERSE: Decisions = {
  ConverseRequest: {
    prompt: 'messages system toolConfig',
    // Two of them hold levers.
    setting: 'additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier',
    output: 'inferenceConfig outputConfig',
    service: 'modelId',
  },
  InferenceConfiguration: { output: 'maxTokens', setting: 'temperature topP stopSequences' },
  OutputConfig: { prompt: 'textFormat', output: 'effort' },
  OutputFormat: { setting: 'type', prompt: 'structure' },
  'OutputFormatStructure.JsonSchemaMember': { prompt: 'jsonSchema' },
  JsonSchemaDefinition: { prompt: 'schema name description' },
  ToolConfiguration: { prompt: 'tools', setting: 'toolChoice' },
  // Its name is the lever.
  'Tool.SystemToolMember': { prompt: 'systemTool' },
  'Tool.ToolSpecMember': { prompt: 'toolSpec' },
  ToolSpecification: { prompt: 'name description inputSchema', setting: 'strict' },
  'ToolInputSchema.JsonMember': { prompt: 'json' },
  'ToolChoice.AnyMember': { setting: 'any' },
  'ToolChoice.AutoMember': { setting: 'auto' },
  'ToolChoice.ToolMember': { setting: 'tool' },
  SpecificToolChoice: { setting: 'name' },
  Message: { prompt: 'role content' },
  'SystemContentBlock.TextMember ContentBlock.TextMember': { prompt: 'text' },
  // Without a guardrail, which is a lever, they are text and images.
  'SystemContentBlock.GuardContentMember ContentBlock.GuardContentMember': { prompt: 'guardContent' },
  'GuardrailConverseContentBlock.ImageMember GuardrailConverseContentBlock.TextMember': { prompt: '*' },
  'GuardrailConverseImageBlock GuardrailConverseImageSource.BytesMember GuardrailConverseTextBlock': {
    prompt: '*',
  },
  'ContentBlock.CitationsContentMember': { prompt: 'citationsContent' },
  'CitationsContentBlock CitationGeneratedContent.TextMember Citation CitationSourceContent.TextMember': {
    prompt: '*',
  },
  'CitationLocation.DocumentCharMember CitationLocation.DocumentChunkMember CitationLocation.DocumentPageMember':
    {
      prompt: '*',
    },
  'CitationLocation.SearchResultLocationMember CitationLocation.WebMember': { prompt: '*' },
  'DocumentCharLocation DocumentChunkLocation DocumentPageLocation SearchResultLocation WebLocation': {
    prompt: '*',
  },
  'ContentBlock.DocumentMember ToolResultContentBlock.DocumentMember': { prompt: 'document' },
  'DocumentBlock DocumentSource.BytesMember DocumentSource.ContentMember DocumentContentBlock.TextMember': {
    prompt: '*',
  },
  'DocumentSource.S3LocationMember DocumentSource.TextMember CitationsConfig': { prompt: '*' },
  S3Location: { prompt: 'uri bucketOwner' },
  ErrorBlock: { prompt: 'message' },
  'ContentBlock.ImageMember ToolResultContentBlock.ImageMember': { prompt: 'image' },
  'ImageBlock ImageSource.BytesMember ImageSource.S3LocationMember': { prompt: '*' },
  'ContentBlock.ReasoningContentMember ReasoningContentBlock.ReasoningTextMember ReasoningTextBlock': {
    prompt: '*',
  },
  'ReasoningContentBlock.RedactedContentMember': { prompt: 'redactedContent' },
  'ContentBlock.SearchResultMember ToolResultContentBlock.SearchResultMember': { prompt: 'searchResult' },
  'SearchResultBlock SearchResultContentBlock': { prompt: '*' },
  'ContentBlock.ToolAdditionMember': { prompt: 'toolAddition' },
  'ContentBlock.ToolRemovalMember': { prompt: 'toolRemoval' },
  'ToolAdditionBlock ToolRemovalBlock': { prompt: 'tool' },
  ToolReference: { prompt: 'type name serverName' },
  'ContentBlock.ToolResultMember': { prompt: 'toolResult' },
  ToolResultBlock: { prompt: 'toolUseId content status type' },
  'ToolResultContentBlock.JsonMember': { prompt: 'json' },
  'ToolResultContentBlock.TextMember': { prompt: 'text' },
  'ContentBlock.ToolUseMember': { prompt: 'toolUse' },
  ToolUseBlock: { prompt: 'toolUseId name input type' },
};
