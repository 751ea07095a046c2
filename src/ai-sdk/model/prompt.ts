/** Our conversation as the prompt of a language model. */
import {
  type AssistantMessage,
  type Content,
  type JsonValue,
  type ModelRequest,
  type ToolCall,
  type ToolMessage,
  textOf,
} from '../../index.ts'
import { filesOf, isRecord } from '../../kit/index.ts'
import { replayableName } from '../../kit/host.ts'
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { toFilePart } from './files.ts'
import { partsKeptBy, wordsOf, type KeptPart } from './kept-parts.ts'

type AssistantPrompt = Extract<LanguageModelV4Message, { readonly role: 'assistant' }>
type AssistantPart = AssistantPrompt['content'][number]
type UserPart = Extract<LanguageModelV4Message, { readonly role: 'user' }>['content'][number]
type ToolPrompt = Extract<LanguageModelV4Message, { readonly role: 'tool' }>

/** The results of one step are one message; a message of the model without text and calls is left out. */
export function toPrompt({ messages, tools }: ModelRequest): LanguageModelV4Prompt {
  const nameOf = replayableName(tools)
  const prompt: LanguageModelV4Prompt = []
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: message.content })
        break
      case 'user':
        prompt.push({ role: 'user', content: userParts(message.content) })
        break
      case 'assistant': {
        const content = assistantParts(message, nameOf)
        if (content.length > 0) prompt.push({ role: 'assistant', content })
        break
      }
      case 'tool': {
        const last = prompt.at(-1)
        const results = last?.role === 'tool' ? last : newResults(prompt)
        results.content.push(toResult(message, nameOf))
        break
      }
    }
  }
  return prompt
}

function newResults(prompt: LanguageModelV4Prompt): ToolPrompt {
  const results: ToolPrompt = { role: 'tool', content: [] }
  prompt.push(results)
  return results
}

function toResult(
  { toolCallId, toolName, content, isError }: ToolMessage,
  nameOf: (name: string) => string,
): ToolPrompt['content'][number] {
  const result = { type: 'tool-result', toolCallId, toolName: nameOf(toolName) } as const
  if (isError === true) return { ...result, output: { type: 'error-text', value: textOf(content) } }
  if (typeof content === 'string') return { ...result, output: { type: 'text', value: content } }
  return { ...result, output: { type: 'content', value: partsOf(content) } }
}

/** A text is sent as it is; beside other parts an empty one is not sent. */
function userParts(content: Content): UserPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : partsOf(content)
}

function partsOf(content: Content): UserPart[] {
  if (typeof content === 'string') return textParts(content)
  return content.flatMap((part): UserPart[] =>
    part.type === 'file' ? [toFilePart(part)] : textParts(part.text),
  )
}

function assistantParts(message: AssistantMessage, nameOf: (name: string) => string): AssistantPart[] {
  const { content, toolCalls = [] } = message
  const parts = partsKeptBy(message)
  if (parts === undefined) {
    return [...partsOf(content), ...toolCalls.map((call) => toCall(call, nameOf))]
  }
  const words = wordsOf(content)
  const files = filesOf(content)
  let at = 0
  return parts.flatMap((part): AssistantPart[] => {
    switch (part.type) {
      case 'text':
        return textParts(words.slice(at, (at += part.length)), part.options)
      case 'call': {
        const call = toolCalls[part.index]
        return call === undefined ? [] : [{ ...toCall(call, nameOf), ...given(part.options) }]
      }
      case 'file': {
        const file = files[part.index]
        return file === undefined ? [] : [{ ...toFilePart(file), ...given(part.options) }]
      }
      case 'reasoning':
      case 'provider-call':
      case 'provider-result':
      case 'custom':
        return [toOwnPart(part)]
    }
  })
}

/** No server takes an empty text, except one that has a signature. */
function textParts(text: string, options?: JsonValue): LanguageModelV4TextPart[] {
  return text === '' && options === undefined ? [] : [{ type: 'text', text, ...given(options) }]
}

function toCall(
  { id, name, args, malformed }: ToolCall,
  nameOf: (name: string) => string,
): LanguageModelV4ToolCallPart {
  const input = malformed === undefined && isRecord(args) ? args : {}
  return { type: 'tool-call', toolCallId: id, toolName: nameOf(name), input }
}

type OwnPart = Exclude<KeptPart, { readonly type: 'text' | 'call' | 'file' }>

/** A part that the message holds for its provider alone. */
function toOwnPart(part: OwnPart): AssistantPart {
  const options = given(part.options)
  switch (part.type) {
    case 'reasoning':
      return { type: 'reasoning', text: part.text, ...options }
    case 'custom':
      return { type: 'custom', kind: part.kind, ...options }
    case 'provider-call': {
      const { id: toolCallId, name: toolName, input } = part
      return { type: 'tool-call', toolCallId, toolName, input, providerExecuted: true, ...options }
    }
    case 'provider-result': {
      const { id: toolCallId, name: toolName, result, isError } = part
      const output = { type: isError ? ('error-json' as const) : ('json' as const), value: result }
      return { type: 'tool-result', toolCallId, toolName, output, ...options }
    }
  }
}

function given(options: JsonValue | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions }
}
