/** The URLs that a language model fetches itself: it lists them. */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Message } from '../../actors/message.ts'
import { filesOf, type FileUrl } from '../../actors/content/content.ts'
import { isAmong } from '../../actors/content/media-type.ts'
import { notAccepted } from '../../actors/messages/accepted-types.ts'

/** Throws a `TerminalError` for a file by a URL that the model does not fetch. */
export async function checkUrls(model: LanguageModelV4, messages: readonly Message[]): Promise<void> {
  const files = messages.flatMap(({ content }) => filesOf(content)).filter((file) => 'url' in file)
  if (files.length === 0) return
  const supported = Object.entries(await model.supportedUrls)
  const refused = files.find((file) => !supported.some((entry) => covers(entry, file)))
  if (refused !== undefined) throw notAccepted(refused, `Model "${model.modelId}"`)
}

/** `search` has no state, unlike `test` of a global expression. */
function covers(
  [type, patterns]: readonly [string, readonly RegExp[]],
  { mediaType, url }: FileUrl,
): boolean {
  return isAmong(mediaType, [type]) && patterns.some((pattern) => url.search(pattern) !== -1)
}
