/** Reads deltas from workers that serve them: a run may be at work on any, so each is asked. */
import { is } from '../actors/checks.ts'
import { readOptions, required, type Fields } from '../actors/strict.ts'
import type { DeltaSource, WorkerDelta } from './deltas.ts'

/** Milliseconds before a worker that is away is asked again. */
const pause = 500

export interface DeltaReaderOptions {
  /** Addresses at which `serveDeltas` listens, at least one. One that does not answer is asked again and again. */
  readonly workers: readonly string[]
}

const isUrl = (given: unknown): boolean => typeof given === 'string' && URL.canParse(given)

const fields: Fields<DeltaReaderOptions> = {
  workers: required(
    is('a list of addresses', (given) => Array.isArray(given) && given.length > 0 && given.every(isUrl)),
  ),
}

/** Throws a `ConfigurationError` for a wrong option. */
export function readDeltas(options: DeltaReaderOptions): DeltaSource {
  const { workers } = readOptions<DeltaReaderOptions>(options, 'readDeltas', fields)
  return {
    subscribe(runId, take) {
      const controller = new AbortController()
      for (const url of workers) void listen(`${url.replace(/\/+$/, '')}/${runId}`, take, controller.signal)
      return () => controller.abort()
    },
  }
}

async function listen(url: string, take: (delta: WorkerDelta) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readOnce(url, take, signal)
    } catch {
      // It is away, or the reader has left: nothing is lost that would not come with the message.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, pause).unref())
  }
}

async function readOnce(url: string, take: (delta: WorkerDelta) => void, signal: AbortSignal): Promise<void> {
  const { body, ok } = await fetch(url, { signal })
  if (!ok || body === null) return
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as WorkerDelta)
  }
}
