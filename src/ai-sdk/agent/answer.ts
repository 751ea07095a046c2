/** The result of a run as the answer of a language model. */
import {
  type ErrorData,
  type FileData,
  type FileUrl,
  type FinalResult,
  type JsonValue,
  type RunResult,
  type Source,
  TroupeError,
  type Usage,
} from '../../index.ts'
import { errorOf } from '../../kit/index.ts'
import type {
  JSONValue,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4Source,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'

/** Throws the error of a run that has failed or waits for a person, and the reason of one that was aborted. */
export function finalOf(result: RunResult, signal: AbortSignal | undefined): FinalResult {
  switch (result.outcome) {
    case 'suspended':
      throw suspendedError(result.runId)
    case 'failed':
      throw errorOf(result.error, result.runId)
    case 'cancelled':
      if (signal?.aborted === true) throw signal.reason
      throw new TroupeError('CANCELLED', `The run was cancelled: ${result.reason}`, { runId: result.runId })
    case 'completed':
    case 'bailed':
    case 'exhausted':
    case 'stopped':
    case 'tripped':
      return result
  }
}

/** A language model cannot wait for an answer of a person. */
export function suspendedError(runId: string): TroupeError {
  return new TroupeError(
    'ANSWER_NEEDED',
    `The run "${runId}" waits for a person, and a language model cannot.`,
    {
      runId,
    },
  )
}

export function finishOf({ outcome }: FinalResult): LanguageModelV4FinishReason {
  if (outcome === 'exhausted') return { unified: 'length', raw: outcome }
  return { unified: outcome === 'tripped' ? 'content-filter' : 'stop', raw: outcome }
}

/** Some servers do not count cached tokens, or those of the reasoning, within the whole: no part is less than none. */
export function usageOf(usage: Usage): LanguageModelV4Usage {
  const {
    inputTokens,
    outputTokens,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = usage
  return {
    inputTokens: {
      total: inputTokens,
      noCache: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: {
      total: outputTokens,
      text: Math.max(0, outputTokens - reasoningTokens),
      reasoning: reasoningTokens,
    },
  }
}

/** The run, for whoever reads the metadata of the answer. */
export function metadataOf({ runId, outcome, by }: FinalResult): SharedV4ProviderMetadata {
  return { troupe: { runId, outcome, ...(by === undefined ? {} : { by }) } }
}

/** The sources and the calls of the steps with their results, and the final answer with its files. */
export function contentOf(
  { steps, text }: FinalResult,
  files: readonly (FileData | FileUrl)[],
): LanguageModelV4Content[] {
  const calls = steps.flatMap(({ step, sources = [], toolCalls, toolResults }) => [
    ...sources.map((source, index) => toSource(source, `${step}.${index + 1}`)),
    ...toolCalls.map(({ id, name, args }) => toCall(id, name, args)),
    ...toolResults.map(({ id, name, outcome, value, error }) => {
      return error === undefined && outcome === 'succeeded'
        ? toResult(id, name, value ?? null)
        : toFailure(id, name, outcome, error)
    }),
  ])
  return [...calls, ...(text === '' ? [] : [{ type: 'text' as const, text }]), ...files.map(toFile)]
}

export function toFile(file: FileData | FileUrl): LanguageModelV4File {
  const data =
    'url' in file
      ? ({ type: 'url', url: new URL(file.url) } as const)
      : ({ type: 'data', data: file.data } as const)
  return { type: 'file', mediaType: file.mediaType, data }
}

/** `id`: unique in the answer. */
export function toSource(source: Source, id: string): LanguageModelV4Source {
  if (source.type === 'url') {
    const { url, title } = source
    return { type: 'source', sourceType: 'url', id, url, ...(title === undefined ? {} : { title }) }
  }
  const { title, mediaType = 'application/octet-stream' } = source
  return { type: 'source', sourceType: 'document', id, title, mediaType }
}

/** A call of the agent: for the caller it is one that the provider has executed, of a tool that the caller does not know. */
export function toCall(toolCallId: string, toolName: string, args: JsonValue): LanguageModelV4ToolCall {
  const input = JSON.stringify(args)
  return { type: 'tool-call', toolCallId, toolName, input, providerExecuted: true, dynamic: true }
}

/** A result of `null` is an empty text: the specification has no `null` here. */
export function toResult(toolCallId: string, toolName: string, value: JsonValue): LanguageModelV4ToolResult {
  const result = (value ?? '') as NonNullable<JSONValue>
  return { type: 'tool-result', toolCallId, toolName, result, dynamic: true }
}

export function toFailure(
  toolCallId: string,
  toolName: string,
  outcome: string,
  error: ErrorData | undefined,
): LanguageModelV4ToolResult {
  const result = { outcome, ...(error === undefined ? {} : { code: error.code, message: error.message }) }
  return { type: 'tool-result', toolCallId, toolName, result, isError: true, dynamic: true }
}
