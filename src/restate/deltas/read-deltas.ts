/** Reads deltas from workers that serve them: a run may be live on any worker, so it reads from each. */
import { linesOf } from '../../actors/text/lines.ts'
import { withoutEnd } from '../../actors/text/without-end.ts'
import { sleep } from '../../actors/values/timer.ts'
import { aFunction, is } from '../../actors/strict/checks.ts'
import { optional, readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import { reporterOf, type OnError, type Reporter } from '../../runtime/report.ts'
import { aToken, type DeltaSource, type WorkerDelta } from './deltas.ts'

/** Milliseconds before the next request to a worker that is unavailable. */
const pause = 500

/** The options of `readDeltas`. */
export interface DeltaReaderOptions {
  /** Addresses at which `serveDeltas` listens, at least one. An address that does not answer is retried without end. */
  readonly workers: readonly string[]
  /** The token of the servers, where they require one. Default: none is sent. */
  readonly token?: string
  /** Receives the refusal of a worker (401 or 403), once per worker. Default: one `console.warn` each. */
  readonly onError?: OnError
}

const isUrl = (given: unknown): boolean => typeof given === 'string' && URL.canParse(given)

const fields: Fields<DeltaReaderOptions> = {
  workers: required(
    is('a list of addresses', (given) => Array.isArray(given) && given.length > 0 && given.every(isUrl)),
  ),
  token: optional(aToken),
  onError: optional(aFunction),
}

/** Throws a `ConfigurationError` for a wrong option. */
export function readDeltas(options: DeltaReaderOptions): DeltaSource {
  const { workers, token, onError } = readOptions<DeltaReaderOptions>(options, 'readDeltas', fields)
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const refused = refusals(reporterOf(onError))
  return {
    subscribe(runId, take) {
      const controller = new AbortController()
      const { signal } = controller
      for (const url of workers) {
        const address = `${withoutEnd(url, '/')}/${runId}`
        void listen(async () => {
          const { body, ok, status } = await fetch(address, { signal, headers })
          if (status === 401 || status === 403) refused(url, status)
          if (ok && body !== null) await readAll(body, take)
        }, signal)
      }
      return () => controller.abort()
    },
  }
}

/** Reports a refusal once per worker: a worker that refuses continues to do so. */
function refusals(report: Reporter): (url: string, status: number) => void {
  const told = new Set<string>()
  return (url, status) => {
    if (told.has(url)) return
    told.add(url)
    const { host } = new URL(url)
    const error = new ConfigurationError(`The worker at ${host} answered ${status}: see token and hostnames.`)
    report({
      message: `deltas of the worker at ${host} cannot be read`,
      code: 'DELTAS_NOT_READ',
      where: 'observer',
      error,
    })
  }
}

async function listen(readOnce: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readOnce()
    } catch {
      // The worker is unavailable, or the reader has left: the complete message holds the text of lost deltas.
    }
    if (!signal.aborted) await sleep(pause, { background: true })
  }
}

async function readAll(
  body: NonNullable<Response['body']>,
  take: (delta: WorkerDelta) => void,
): Promise<void> {
  for await (const line of linesOf(body)) {
    if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as WorkerDelta)
  }
}
