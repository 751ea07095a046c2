/** One reader of a run file. It asks for the next message when it has sent the one before: nothing waits in memory for it. */
import type { StreamMessage } from '../wire/routes.ts'
import { firstOf } from './changes.ts'
import type { RunFile } from './run-file.ts'

export interface ReadOptions {
  /** The number of rows that the reader has. */
  readonly from: number
  /** The series that these rows are of; one of another file: the reader begins with the first row. */
  readonly series: string | undefined
  /** Fires when the reader has left. */
  readonly signal: AbortSignal
}

/** The most rows of a message. */
const chunk = 500

export async function* readFile(
  file: Readable,
  { from, series, signal }: ReadOptions,
): AsyncGenerator<StreamMessage, void> {
  await file.begun
  const isContinued = series === undefined || series === file.series
  let position = isContinued ? Math.min(from, file.rows.length) : 0
  let [noted, spoken] = [0, 0]
  let isLive = false
  yield { type: 'run', run: file.run, series: file.series }
  while (!signal.aborted) {
    const change = file.changes.next
    const rows = file.rows.slice(position, position + chunk)
    if (rows.length > 0) {
      position += rows.length
      yield { type: 'rows', rows }
      continue
    }
    const notes = file.notesSince(noted)
    noted = notes.change
    yield* notes.messages
    const { speeches } = file.ear
    const spoke = speeches.since(spoken)
    spoken = speeches.change
    for (const speech of spoke) {
      const shown = await file.shownSpeech(speech)
      if (shown !== undefined) yield shown
    }
    if (position < file.rows.length) continue
    if (!isLive && file.isOpen) {
      isLive = true
      yield { type: 'live' }
    }
    if (file.isOver) {
      if (file.isWhole) yield { type: 'end' }
      return
    }
    await firstOf([change], { signal })
  }
}

/** The part of a run file that a reader uses. */
export type Readable = Pick<
  RunFile,
  | 'begun'
  | 'isOpen'
  | 'series'
  | 'rows'
  | 'run'
  | 'changes'
  | 'ear'
  | 'isOver'
  | 'isWhole'
  | 'notesSince'
  | 'shownSpeech'
>
