/** Fields of Gemini's generateContent that no price depends on (Gemini API reference, Generating content). */
import type { Decisions } from '../classification.ts';

export const OF_GEMINI: Decisions = {
  GenerateContentParameters: { prompt: 'contents', setting: 'config', service: 'model' },
  GenerateContentConfig: {
    prompt: 'systemInstruction responseSchema responseJsonSchema tools mediaResolution',
    setting:
      'temperature topP topK stopSequences responseLogprobs logprobs presencePenalty frequencyPenalty seed ' +
      'responseMimeType safetySettings toolConfig labels audioTimestamp audioTranscriptionConfig ' +
      'enableEnhancedCivicAnswers',
    output: 'candidateCount maxOutputTokens thinkingConfig',
    // The SDK's own.
    service: 'httpOptions abortSignal automaticFunctionCalling automaticContinuation',
  },
  'HttpOptions HttpRetryOptions AutomaticFunctionCallingConfig': { service: '*' },
  Tool: { prompt: 'functionDeclarations computerUse' },
  FunctionDeclaration: {
    prompt: 'behavior description name parameters parametersJsonSchema response responseJsonSchema',
  },
  ComputerUse: {
    setting: 'enablePromptInjectionDetection environment excludedPredefinedFunctions disabledSafetyPolicies',
  },
  ToolConfig: { setting: 'functionCallingConfig retrievalConfig includeServerSideToolInvocations' },
  FunctionCallingConfig: { setting: 'allowedFunctionNames mode streamFunctionCallArguments' },
  RetrievalConfig: { setting: 'languageCode latLng' },
  LatLng: { setting: 'latitude longitude' },
  SafetySetting: { setting: 'category method threshold' },
  ThinkingConfig: { output: 'includeThoughts thinkingBudget thinkingLevel' },
  AudioTranscriptionConfig: {
    setting:
      'languageCodes languageAuto languageHints customVocabulary adaptationPhrases wordTimestamp diarization mode ' +
      'sourceText',
  },
  LanguageHints: { setting: 'languageCodes' },
  Schema: { prompt: '*' },
  Content: { prompt: 'parts role' },
  Part: {
    prompt:
      'mediaResolution toolCall toolResponse audioTranscription codeExecutionResult executableCode functionCall ' +
      'functionResponse text thought thoughtSignature videoMetadata partMetadata mediaProcessing speechMetadata',
  },
  'PartMediaResolution ToolCall ToolResponse Transcription WordInfo CodeExecutionResult ExecutableCode': {
    prompt: '*',
  },
  'FunctionCall PartialArg VideoMetadata SpeechMetadata': { prompt: '*' },
  FunctionResponse: { prompt: 'id name parts response scheduling willContinue' },
  FunctionResponsePart: { prompt: 'mediaProcessing' },
};
