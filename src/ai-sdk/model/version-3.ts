/** A prompt as version 3 of the specification has it: the parts of files differ. */
import type {
  LanguageModelV3FilePart,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import { textOfData } from './files.ts'

type ResultPart = Extract<LanguageModelV4ToolResultOutput, { readonly type: 'content' }>['value'][number]
type ResultPartV3 = Extract<LanguageModelV3ToolResultOutput, { readonly type: 'content' }>['value'][number]

/** The prompt has files by bytes and by URL alone. */
export function toVersion3(prompt: LanguageModelV4Prompt): LanguageModelV3Prompt {
  return prompt.map((message) => {
    if (message.role === 'system') return message
    return { ...message, content: message.content.map(toPart) }
  }) as LanguageModelV3Prompt
}

type Part = Exclude<LanguageModelV4Prompt[number], { readonly role: 'system' }>['content'][number]

function toPart(part: Part): object {
  if (part.type === 'file') return toFile(part)
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  return { ...part, output: { type: 'content', value: part.output.value.map(toResultPart) } }
}

function toFile({ data, ...part }: LanguageModelV4FilePart): LanguageModelV3FilePart {
  return { ...part, data: dataOf(data) }
}

function toResultPart(part: ResultPart): ResultPartV3 {
  if (part.type !== 'file') return part
  const { mediaType, filename } = part
  const data = dataOf(part.data)
  const isImage = mediaType.startsWith('image/')
  if (data instanceof URL) return { type: isImage ? 'image-url' : 'file-url', url: data.href }
  return isImage
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, ...(filename === undefined ? {} : { filename }) }
}

function dataOf(data: LanguageModelV4FilePart['data']): string | URL {
  switch (data.type) {
    case 'url':
      return data.url
    case 'data':
      return textOfData(data.data)
    case 'text':
    case 'reference':
      throw new TypeError(`A prompt has no file of the form "${data.type}".`)
  }
}
