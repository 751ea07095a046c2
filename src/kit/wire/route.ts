/** Finds the route of a request by its method and its path. */
import { notFound, wrongMethod, wrongRequest } from './refusals.ts'

/** A request that has found its route. */
export interface Call {
  readonly request: Request
  readonly url: URL
  /** The parts of the path that the route leaves open, by name. */
  readonly named: Readonly<Record<string, string>>
}

/** The answer to the requests of one method and one form of path. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parts with a colon are open: `/runs/:id`. */
  readonly path: string
  readonly answer: (call: Call) => Promise<Response>
}

/** What the routes of any server have. */
type AnyRoute = Pick<Route, 'method' | 'path'>

/** The route of a request, and the open parts of its path. Throws a `RefusedRequest` where there is nothing, or not by this method. */
export function routeTo<Found extends AnyRoute>(
  routes: readonly Found[],
  method: string | undefined,
  path: string,
  base = '',
): { readonly route: Found; readonly named: Call['named'] } {
  const below = pathBelow(base, path)
  const found = routes.flatMap((route) => {
    const named = below === undefined ? undefined : match(route.path, below)
    return named === undefined ? [] : [{ route, named }]
  })
  if (found.length === 0) throw notFound(path)
  const fit = found.find(({ route }) => route.method === method)
  if (fit === undefined) throw wrongMethod(found.map(({ route }) => route.method))
  return fit
}

/** Throws a `RefusedRequest` as `routeTo` does. */
export function findRoute(routes: readonly Route[], base: string, request: Request): readonly [Route, Call] {
  const url = new URL(request.url)
  const { route, named } = routeTo(routes, request.method, url.pathname, base)
  return [route, { request, url, named }]
}

/** `undefined`: the path is not below the base. */
function pathBelow(base: string, path: string): string | undefined {
  if (path === base) return '/'
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined
}

function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const isFit = wanted.every((part, index) => part.startsWith(':') || part === given[index])
  if (!isFit) return undefined
  const open = wanted.flatMap((part, index) =>
    part.startsWith(':') ? [[part.slice(1), decoded(given[index] ?? '')] as const] : [],
  )
  return Object.fromEntries(open)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrongRequest('A part of the path is malformed.')
  }
}
