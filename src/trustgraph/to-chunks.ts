/** The events of a run as the chunks of TrustGraph's streaming protocol. */
import { aBoolean } from '../actors/strict/checks.ts'
import { defaultsOf, readOptions, withDefault, type Fields } from '../actors/strict/read-options.ts'
import type { RunEvent } from '../runtime/handle/run-event.ts'
import type { TrustGraphChunk } from './chunk.ts'
import { Dialog } from './dialog.ts'

/** The options of `toTrustGraphChunks`. */
export interface TrustGraphChunkOptions {
  /**
   * Text of a model that may also call tools is either an answer or a thought beside calls, and only its end decides.
   * `false`: such text is passed on when it is complete. `true`: it is passed on as it comes, as an answer; where calls
   * follow, the last chunk of the message is a `thought`. Default: `false`.
   */
  readonly liveText?: boolean
}

const fields = { liveText: withDefault(aBoolean, false) } satisfies Fields<TrustGraphChunkOptions>

/**
 * Yields the chunks of a run as its events come, live or from a replay. All chunks of a message have one `message_id`.
 * Each message is ended when it is complete; that of the root agent's answer when it is known whether the run ends with
 * it. Throws a `ConfigurationError` for a wrong option.
 */
export function toTrustGraphChunks(
  events: AsyncIterable<RunEvent>,
  options: TrustGraphChunkOptions = {},
): AsyncGenerator<TrustGraphChunk> {
  const read = readOptions<TrustGraphChunkOptions>(options, 'toTrustGraphChunks', fields)
  const { liveText } = { ...defaultsOf(fields), ...read }
  return chunksOf(events, new Dialog(liveText))
}

async function* chunksOf(events: AsyncIterable<RunEvent>, dialog: Dialog): AsyncGenerator<TrustGraphChunk> {
  for await (const event of events) yield* dialog.take(event)
}
