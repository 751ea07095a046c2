/**
 * The messages in which a provider finds the files of a conversation. Files of the user stay where they are; those of
 * other messages stay where the provider takes them, or follow in a message of the user.
 */
import type { AssistantMessage, Message, ToolMessage } from '../../actors/message.ts'
import { filesOf, type FilePart } from '../../actors/content/content.ts'
import { withFilesAfter } from '../../actors/messages/files-after.ts'
import { isAmong } from '../../actors/content/media-type.ts'
import { partsKeptBy } from './kept-parts.ts'

/** Providers that send the files of a result; the others write their bytes into its text. */
const withFilesInResults =
  /(^|\.)(anthropic|google|googleVertex|vertex|bedrock|amazon-bedrock)(\.|$)|^(openai|azure)\.responses$/

/** The types that all of these providers send there. */
const inResults = ['image/*', 'application/pdf']

export function placedFiles(messages: readonly Message[], provider: string): readonly Message[] {
  const inResult = withFilesInResults.test(provider)
  return withFilesAfter(messages, (file, message) => {
    if (!('data' in file)) return false
    return message.role === 'tool' ? inResult && staysInResult(file, message) : isOwn(message)
  })
}

/** The error of a call is sent as text. */
function staysInResult({ mediaType }: FilePart, { isError }: ToolMessage): boolean {
  return isError !== true && isAmong(mediaType, inResults)
}

/** The provider has made the files, and takes them back in their places. */
function isOwn(message: AssistantMessage): boolean {
  const places = partsKeptBy(message)?.filter(({ type }) => type === 'file') ?? []
  return places.length === filesOf(message.content).length
}
