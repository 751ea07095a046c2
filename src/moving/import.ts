/** Writes the lines of an export into a store: a section is in whole, or not at all. */
import { ConfigurationError, type Store } from '../index.ts'
import {
  type Fields,
  defaultsOf,
  having,
  positiveInteger,
  readOptions,
  required,
  toErrorData,
  withDefault,
} from '../kit/index.ts'
import { excessOf } from '../kit/wire/index.ts'
import { bytesOf, digestOf, formatName, formatVersion, type Counts, type MessageLine } from './format.ts'
import { ImportError, type ImportReport } from './import-error.ts'
import { importedRun } from './imported-run.ts'
import { linesOf, LongLine, type ImportSource } from './lines.ts'
import { isObject, isText, readBlob, readNote, readThread, readMessage, type Line } from './read-lines.ts'

export type { ImportSource } from './lines.ts'

/** The options of an import. */
export interface ImportOptions {
  /** The most characters of a line. A longer line is refused before it is read whole. Default: 268 435 456. */
  readonly maxLine?: number
  /** The most entries of a run, and messages of a thread, which are held in memory until they are in. Default: 1 000 000. */
  readonly maxEntries?: number
}

const optionFields = {
  maxLine: withDefault(positiveInteger, 268_435_456),
  maxEntries: withDefault(positiveInteger, 1_000_000),
} satisfies Fields<ImportOptions>

const storeFields: Fields<{ readonly store: Store }> = {
  store: required(having('a store', 'append', 'read', 'list', 'renew', 'enqueueSignal')),
}

/**
 * Brings an export into a store, run by run. Each run is there with its questions and timers at once, and free: `recover` goes on with
 * it. A run that may go on where it comes from too asks before calls that may have been made (`run.restored`). What the store has
 * already stays as it is, so that a repeated import changes nothing. Rejects with an `ImportError` that names the line, and tells what
 * is in by then: `IMPORT_INVALID`, `IMPORT_INCOMPLETE` for a text without its end, `IMPORT_NEWER` for a later format, and
 * `IMPORT_CONFLICT` where the store has another run, or another owner of a thread, under an id.
 */
export async function importRuns(
  store: Store,
  source: ImportSource,
  options: ImportOptions = {},
): Promise<ImportReport> {
  readOptions<{ readonly store: Store }>({ store }, 'importRuns', storeFields)
  const limits = {
    ...defaultsOf(optionFields),
    ...readOptions<ImportOptions>(options, 'importRuns', optionFields),
  }
  const lines = linesOf(source, limits.maxLine)
  const importing = new Import(store, limits.maxEntries)
  let number = 0
  try {
    for await (const text of lines) {
      number++
      await importing.take(text)
    }
    return importing.ended()
  } catch (error) {
    if (error instanceof ImportError || error instanceof ConfigurationError) throw error
    const isOfText = error instanceof Problem || error instanceof LongLine
    if (!isOfText) throw error // of the store, or of the source
    const code = error instanceof Problem ? error.code : 'IMPORT_INVALID'
    const line = error instanceof LongLine ? number + 1 : number
    const where = code === 'IMPORT_INCOMPLETE' ? '' : `line ${line}: `
    throw new ImportError(code, `${where}${error.message}`, importing.report, error.cause)
  }
}

class Problem extends Error {
  readonly code: ImportError['code']

  constructor(message: string, code: ImportError['code'] = 'IMPORT_INVALID', cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
  }
}

type Count = { -readonly [Name in keyof ImportReport]: number }

class Import {
  readonly report: Count = { runs: 0, present: 0, threads: 0, notes: 0, blobs: 0 }
  readonly #store: Store
  readonly #maxEntries: number
  readonly #found: { -readonly [Name in keyof Counts]: number } = { runs: 0, threads: 0, notes: 0, blobs: 0 }
  #hasBegun = false
  #hasEnded = false
  /** The section that is under way. */
  #lines: Line[] = []
  #text: string[] = []

  constructor(store: Store, maxEntries: number) {
    this.#store = store
    this.#maxEntries = maxEntries
  }

  async take(text: string): Promise<void> {
    if (this.#hasEnded) throw new Problem('there is a line behind the end.')
    const line = parsed(text)
    if (!this.#hasBegun) return this.#begin(line)
    if (isText(line['sealed'])) return this.#seal(line['sealed'])
    if (isObject(line['end'])) return this.#end(line['end'])
    if (this.#lines.length > 2 * this.#maxEntries) {
      throw new Problem(`the section has more than ${2 * this.#maxEntries} lines: give a higher maxEntries.`)
    }
    this.#lines.push(line)
    this.#text.push(text)
  }

  ended(): ImportReport {
    if (!this.#hasEnded) throw new Problem('the text has no end.', 'IMPORT_INCOMPLETE')
    return this.report
  }

  #begin({ format, version }: Line): void {
    if (format !== formatName) throw new Problem(`it is no export: expected "format":"${formatName}".`)
    if (typeof version !== 'number') throw new Problem('the export has no version.')
    if (version > formatVersion) {
      const message = `the export has version ${version}, and this release reads up to ${formatVersion}.`
      throw new Problem(message, 'IMPORT_NEWER')
    }
    this.#hasBegun = true
  }

  #end(counts: Readonly<Record<string, unknown>>): void {
    if (this.#lines.length > 0) throw new Problem('a section has no seal.')
    for (const [name, found] of Object.entries(this.#found)) {
      if (counts[name] !== found) {
        throw new Problem(
          `the export says that it has ${String(counts[name])} ${name}, and there are ${found}.`,
        )
      }
    }
    this.#hasEnded = true
  }

  async #seal(seal: string): Promise<void> {
    const [lines, text] = [this.#lines, this.#text.map((line) => `${line}\n`).join('')]
    this.#lines = []
    this.#text = []
    if (seal !== (await digestOf(text))) throw new Problem('the section before it was changed or damaged.')
    const [first] = lines
    if (first === undefined) throw new Problem('a seal has no section.')
    if ('run' in first) return this.#run(lines)
    if ('thread' in first) return this.#thread(lines)
    if ('note' in first) return this.#note(first)
    if ('blob' in first) return this.#blob(first)
    throw new Problem('the section before it is of no kind that there is: run, thread, note or blob.')
  }

  async #run(lines: readonly Line[]): Promise<void> {
    const outcome = await importedRun(this.#store, lines)
    if (outcome.type === 'invalid') throw new Problem(outcome.problem)
    if (outcome.type === 'conflict') throw new Problem(outcome.problem, 'IMPORT_CONFLICT')
    this.#found.runs++
    if (outcome.type === 'present') this.report.present++
    else this.report.runs++
  }

  async #thread([first, ...rest]: readonly Line[]): Promise<void> {
    const thread = readThread(first)
    const messages = rest.map((line) => readMessage(line))
    const whole = messages.filter((line): line is MessageLine => line !== undefined)
    if (thread === undefined || whole.length !== messages.length || thread.messages !== whole.length) {
      throw new Problem('the section before it is no thread with its messages.')
    }
    const { memory, blobs } = this.#store
    if (memory === undefined) throw lacks('threads', 'memory')
    const id = thread.thread
    try {
      const named = new Set(
        Array.from(JSON.stringify(whole).matchAll(/"ref":"([0-9a-f]{64})"/g), ([, ref = '']) => ref),
      )
      for (const ref of named) await blobs?.put(ref, undefined, { threadId: id })
      await memory.save(
        id,
        whole.map(({ message }) => message),
        thread.resourceId,
      )
    } catch (error) {
      const { code, message } = toErrorData(error)
      if (code !== 'THREAD_OF_ANOTHER_RESOURCE') throw error
      throw new Problem(message, 'IMPORT_CONFLICT', error)
    }
    this.#found.threads++
    this.report.threads++
  }

  /** A note that the store has is newer, or the same. */
  async #note(line: Line): Promise<void> {
    const note = readNote(line)
    if (note === undefined) throw new Problem('the section before it is no note.')
    const { memory } = this.#store
    if (memory === undefined) throw lacks('notes', 'memory')
    this.#found.notes++
    if ((await memory.workingMemory(note.note)) !== undefined) return
    await memory.workingMemory(note.note, note.content)
    this.report.notes++
  }

  async #blob(line: Line): Promise<void> {
    const blob = readBlob(line)
    const bytes = blob && bytesOf(blob.bytes)
    if (blob === undefined || bytes === undefined) throw new Problem('the section before it is no file.')
    if ((await digestOf(bytes)) !== blob.blob) throw new Problem(`the file "${blob.blob}" has other bytes.`)
    if (this.#store.blobs === undefined) throw lacks('files', 'blobs')
    await this.#store.blobs.put(blob.blob, bytes)
    this.#found.blobs++
    this.report.blobs++
  }
}

function lacks(what: string, port: string): ConfigurationError {
  return new ConfigurationError(`importRuns: the export has ${what}, and the store has no ${port}.`, {
    code: 'STORE_LACKS_PORT',
  })
}

/** Most levels of a line: those of the deepest value that a run takes, and those around it. */
const mostLevels = 1_100

function parsed(text: string): Line {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem(`it is no JSON: ${text.slice(0, 80)}`, 'IMPORT_INVALID', error)
  }
  if (!isObject(value)) throw new Problem(`it is no object: ${text.slice(0, 80)}`)
  if (excessOf(value, { levels: mostLevels, values: Infinity }) !== undefined)
    throw new Problem(`it has more than ${mostLevels} levels.`)
  return value
}
