/** Reads deltas from workers that serve them: a run may be at work on any, so each is asked. */
import { aFunction, is } from '../../actors/strict/checks.ts'
import { optional, readOptions, required, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import { reporterOf, type OnError, type Reporter } from '../../runtime/report.ts'
import { aToken, type DeltaSource, type WorkerDelta } from './deltas.ts'

/** Milliseconds before a worker that is away is asked again. */
const pause = 500

export interface DeltaReaderOptions {
  /** Addresses at which `serveDeltas` listens, at least one. One that does not answer is asked again and again. */
  readonly workers: readonly string[]
  /** Of the servers, where they ask for one. Default: none is sent. */
  readonly token?: string
  /** Receives the refusal of a worker (401 or 403), once a worker. Default: one `console.warn` each. */
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
        const address = `${url.replace(/\/+$/, '')}/${runId}`
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

/** A worker that refuses goes on to do so: it is reported once. */
function refusals(report: Reporter): (url: string, status: number) => void {
  const told = new Set<string>()
  return (url, status) => {
    if (told.has(url)) return
    told.add(url)
    const { host } = new URL(url)
    const error = new ConfigurationError(`The worker at ${host} answered ${status}: see token and hostnames.`)
    report({ message: `deltas of the worker at ${host} cannot be read`, where: 'observer', error })
  }
}

async function listen(readOnce: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readOnce()
    } catch {
      // It is away, or the reader has left: nothing is lost that would not come with the message.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, pause).unref())
  }
}

async function readAll(
  body: NonNullable<Response['body']>,
  take: (delta: WorkerDelta) => void,
): Promise<void> {
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as WorkerDelta)
  }
}
