/** The routes of the server, and the requests that have found theirs. */
import type { IncomingMessage } from 'node:http'
import type { Answer } from './answers.ts'

/** A request that has found its route. */
export interface Call {
  /** The parts of the path that the route leaves open, by name. */
  readonly named: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Fires when the reader has left. */
  readonly signal: AbortSignal
  body(): Promise<Readonly<Record<string, unknown>>>
  readonly request: IncomingMessage
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parts with a colon are open: `/runs/:id`. */
  readonly path: string
  readonly answer: (call: Call) => Promise<Answer>
}
