/** Where a run is: behind the routes of `troupe/http`, or in this process. */
import type { RunEvent, RunSignal } from '../../index.ts'

/** The options of `useRun`. Those of requests matter for a URL alone. */
export interface UseRunOptions {
  /** The headers of each request, for example `authorization`; a function is called before each. Default: none. */
  readonly headers?: Headers | (() => Headers | Promise<Headers>)
  /** Sends the requests. Default: that of the platform. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export type Headers = Readonly<Record<string, string>>

/** A connection that is open: the events arrive in groups. */
export interface OpenRun {
  readonly events: AsyncIterable<readonly RunEvent[]>
  /** After how many milliseconds to come back where the connection is lost; known once events arrive. */
  readonly retryIn: () => number | undefined
}

export interface RunSource {
  /** Runs with equal keys are the same run: they share a connection. */
  readonly key: readonly [object | string, string]
  /** Whether a connection that is lost may be made again. */
  readonly isRemote: boolean
  /** Opens the events behind a cursor, or all. Rejects with a `RequestError` where the server has refused. */
  open(after: string | undefined, signal: AbortSignal, options: UseRunOptions): Promise<OpenRun>
  send(signal: RunSignal, options: UseRunOptions): Promise<void>
}
