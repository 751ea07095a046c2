/** The output of a response, a list of items, as one part. Items of other built-in tools are skipped. */
import type { Source } from '../../content/source.ts'
import { isRecord } from '../../values/json.ts'
import {
  citing,
  readCitations,
  readArguments,
  readText,
  readTexts,
  type CallPart,
  type Part,
} from '../shared/part.ts'
import { keptReasoning } from './kept-reasoning.ts'
import { isBase64 } from '../../content/base64.ts'
import type { FilePart } from '../../content/content.ts'
import { isMediaType } from '../../content/media-type.ts'

const nothing: Part = { text: '', reasoning: '', refusal: '', calls: [] }

export function readOutput(output: unknown): Part {
  const items = Array.isArray(output) ? output.filter(isRecord) : []
  const parts = items.map(readItem)
  const files = parts.flatMap((part) => part.files ?? [])
  return {
    ...keptReasoning(items),
    text: parts.map((part) => part.text).join(''),
    reasoning: paragraphs(parts.map((part) => part.reasoning)),
    refusal: parts.map((part) => part.refusal).join(''),
    calls: parts.flatMap((part) => part.calls),
    ...(files.length === 0 ? {} : { files }),
    ...citing(parts.flatMap(({ sources = [] }) => sources)),
  }
}

/** A function call; its fragments in a stream are distinguished by the index of their item. */
export function readCall(item: Record<string, unknown>, index?: number): CallPart {
  return {
    index,
    id: readText(item['call_id']) || readText(item['id']),
    name: readText(item['name']),
    args: readArguments(item['arguments']),
  }
}

/** Field by field, the value of the first part that has one. */
export function firstOf(...parts: readonly Part[]): Part {
  const text = (key: 'text' | 'reasoning' | 'refusal') =>
    parts.map((part) => part[key]).find((one) => one !== '') ?? ''
  return {
    text: text('text'),
    reasoning: text('reasoning'),
    refusal: text('refusal'),
    calls: parts.map((part) => part.calls).find((calls) => calls.length > 0) ?? [],
    ...parts.map(({ data }) => (data === undefined ? {} : { data })).find((kept) => kept.data !== undefined),
    ...parts
      .map(({ files }) => (files === undefined ? {} : { files }))
      .find((made) => made.files !== undefined),
    ...parts
      .map(({ sources }) => (sources === undefined ? {} : { sources }))
      .find((cited) => cited.sources !== undefined),
  }
}

function readItem(item: Record<string, unknown>): Part {
  switch (item['type']) {
    case 'message':
      return {
        ...nothing,
        text: readText(item['content']),
        refusal: readTexts(item['content'], 'refusal').join(''),
        ...citing(citedIn(item['content'])),
      }
    case 'reasoning':
      // some servers send the same reasoning under both names
      return {
        ...nothing,
        reasoning: paragraphs(readTexts(item['summary'])) || paragraphs(readTexts(item['content'])),
      }
    case 'function_call':
      return { ...nothing, calls: [readCall(item)] }
    case 'image_generation_call': {
      const image = readMadeImage(item)
      return image === undefined ? nothing : { ...nothing, files: [image] }
    }
    default:
      return nothing
  }
}

// The images that the tool `image_generation` of the server has made. The API takes them back as images of the user.

/** `undefined` for an item without an image, such as that of a call that has failed. */
function readMadeImage(item: Record<string, unknown>): FilePart | undefined {
  const data = readText(item['result'])
  if (data === '' || !isBase64(data)) return undefined
  const mediaType = `image/${readText(item['output_format'])}`
  return { type: 'file', mediaType: isMediaType(mediaType) ? mediaType : 'image/png', data }
}

function citedIn(content: unknown): readonly Source[] {
  if (!Array.isArray(content)) return []
  return content.filter(isRecord).flatMap(({ annotations }) => readCitations(annotations))
}

/** The parts of a summary do not end with a line break; each is a paragraph of its own. */
function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n')
}
