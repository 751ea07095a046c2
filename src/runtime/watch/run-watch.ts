/** The watch of a run: its events and its text, from any process, without taking it. */
import { aText } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { JournalMismatch } from '../../errors.ts'
import { readCursor, ReaderPosition } from '../handle/cursor.ts'
import { leavable } from '../handle/leavable.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { Speech } from '../handle/speech.ts'
import { textOf } from '../handle/text-stream.ts'

/** The options of `watch`. */
export interface WatchOptions {
  /** The `cursor` of an event: the watch goes on behind it. Default: the first event. */
  readonly after?: string
}

/**
 * The events of a run, from the first on or from behind a cursor; each reader is a cursor of its own. It ends with the
 * run, whose last event is `final`. The first `next` rejects as `ready` does; a later one with the cause when the run cannot
 * be followed any more: the store's error, a `JournalMismatchError`, or a `TroupeError` of the code `TROUPE_CLOSED`; on
 * Restate also the error of a run that Restate has given up.
 */
export interface RunWatch extends AsyncIterable<RunEvent> {
  readonly runId: string
  /**
   * Resolves when the run was found, with its agents. Rejects with a `RunNotFoundError`, or with a `TroupeError` of the code
   * `AGENT_NOT_HERE`.
   */
  readonly ready: Promise<void>
  /**
   * The first effect whose input differs from the recorded one, of the entries that were read so far: instructions, tools
   * or options have changed since. `undefined`: there is none.
   */
  readonly diverged: JournalMismatch | undefined
  /**
   * The text of the root agent, as on the handle of a run; behind `after`, the text that follows: a message that is begun
   * again there is held to the text before.
   */
  readonly textStream: AsyncIterable<string>
}

/** The part of an engine that watches a run. */
export interface Watched {
  /** `position`: moves with the reader. */
  read(position: ReaderPosition): AsyncIterableIterator<RunEvent>
  ready(): Promise<void>
  diverged(): JournalMismatch | undefined
}

const fields: Fields<WatchOptions> = { after: optional(aText) }

/** Throws a `ConfigurationError` for an unknown option, and for a cursor that is none, or of another run. */
export function runWatch(runId: string, options: WatchOptions | undefined, watched: Watched): RunWatch {
  const { after } = readOptions<WatchOptions>(options ?? {}, 'watch', fields)
  const position = (): ReaderPosition =>
    after === undefined ? new ReaderPosition() : readCursor(after, runId, 'watch: after')
  position() // a wrong cursor is refused at once
  return {
    runId,
    get ready() {
      return watched.ready()
    },
    get diverged() {
      return watched.diverged()
    },
    textStream: {
      [Symbol.asyncIterator]() {
        const place = position()
        const speech = place.resumeSpeech()
        return watchedText(watched.read(place), speech)
      },
    },
    [Symbol.asyncIterator]: () => watched.read(position()),
  }
}

/**
 * The text, and at the end that of a bail; throws the error of a run that has failed. `speech`: the text before the first
 * event.
 */
function watchedText(events: AsyncIterableIterator<RunEvent>, speech: Speech): AsyncIterableIterator<string> {
  let end: Extract<RunEvent, { type: 'run-finish' }> | undefined
  async function* noted(): AsyncGenerator<RunEvent, void> {
    for await (const event of events) {
      if (event.type === 'run-finish') end = event
      yield event
    }
  }
  const read = leavable(noted(), () => events.return?.())
  return textOf(read, async () => end && { runId: end.runId, ...end.payload }, speech)
}
