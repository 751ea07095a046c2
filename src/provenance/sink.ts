/** The graph of a run, written while the run goes on. */
import { ConfigurationError, type JournalEntry, type OnError, type RunEvent } from '../index.ts'
import { type Fields, aFunction, optional, readOptions, reporterOf, required } from '../kit/index.ts'
import { settled } from '../kit/host.ts'
import {
  prefixField,
  urisOf,
  ProvenanceRecorder,
  type ProvenanceOptions,
  type Provenance,
} from './recorder.ts'
import type { Quad } from './rdf/rdf.ts'

/** The options of `provenanceSink`. */
export interface ProvenanceSinkOptions extends ProvenanceOptions {
  /**
   * Called with the statements that an event adds, as soon as they are known; each statement once. A promise is not waited for;
   * where it rejects, the error goes to `onError`.
   */
  readonly write: (quads: readonly Quad[]) => unknown
  /** Receives the errors of promises that `write` returns. Default: one `console.warn` each. */
  readonly onError?: OnError
}

/** Takes the events of one run, and writes its graph. */
export interface ProvenanceSink {
  /**
   * Takes the next event of the run. Throws a `ConfigurationError` for an event of another run, for one that does not
   * follow from those before it, and after the end; and throws what `write` throws.
   */
  take(event: RunEvent): void
  /**
   * Writes what is left: open iterations and calls as they are, and, where the journal is given, the facts that only it
   * holds. Returns the whole graph: with the journal it is that of `provenanceOf`. Throws a `ConfigurationError` where
   * there were no events, and for a second call.
   */
  end(journal?: readonly JournalEntry[]): Provenance
}

const fields: Fields<ProvenanceSinkOptions> = {
  ...prefixField,
  write: required(aFunction),
  onError: optional(aFunction),
}

/**
 * Makes the graph of a run event by event, live or from a replay. What was written is never taken back.
 * Throws a `ConfigurationError` for a wrong option.
 */
export function provenanceSink(options: ProvenanceSinkOptions): ProvenanceSink {
  const { write, prefix, onError } = readOptions<ProvenanceSinkOptions>(options, 'provenanceSink', fields)
  const recorder = new ProvenanceRecorder(urisOf(prefix))
  const report = reporterOf(onError)
  const failed = (error: unknown): void =>
    report({
      message: 'write of provenanceSink rejected',
      code: 'PROVENANCE_NOT_WRITTEN',
      where: 'observer',
      error,
    })
  let hasEnded = false
  const pass = (): void => {
    const quads = recorder.added()
    if (quads.length > 0) settled(write(quads), failed)
  }
  const assertOpen = (): void => {
    if (hasEnded) throw new ConfigurationError('provenanceSink: it has ended.')
  }
  return {
    take(event) {
      assertOpen()
      recorder.take(event)
      pass()
    },
    end(journal = []) {
      assertOpen()
      const whole = recorder.end(journal)
      hasEnded = true
      pass()
      return whole
    },
  }
}
