/** Finds the answer to a request by its method and its path. */
import type { IncomingMessage } from 'node:http'
import { notFound, RefusedRequest, wrongRequest } from './refusals.ts'
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

/** `path`: below `/api`. Throws a `RefusedRequest` where there is nothing, or not by this method. */
export function findRoute(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): { readonly route: Route; readonly named: Readonly<Record<string, string>> } {
  const found = routes.flatMap((route) => {
    const named = match(route.path, path)
    return named === undefined ? [] : [{ route, named }]
  })
  const [first] = found
  if (first === undefined) throw notFound(`/api${path}`)
  const fit = found.find(({ route }) => route.method === method)
  if (fit !== undefined) return fit
  const methods = [...new Set(found.map(({ route }) => route.method))]
  throw new WrongMethod(methods)
}

/** There is something at the path, by other methods. */
export class WrongMethod extends RefusedRequest {
  readonly allowed: string

  constructor(methods: readonly string[]) {
    super(405, 'METHOD_NOT_ALLOWED', `Use ${methods.join(' or ')}.`)
    this.allowed = methods.join(', ')
  }
}

function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const named: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) named[part.slice(1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return named
}

/** Throws a `RefusedRequest` for a text that is malformed: a client may ask for anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrongRequest(`A part of the path is malformed: ${text.slice(0, 80)}`)
  }
}
