/** Reads the queries of requests. Each function throws a `RefusedRequest` for a wrong value. */
import { unknownKeyText } from '../../actors/strict/known-keys.ts'
import type { PageOptions } from '../../runtime/journal/run-index.ts'
import { wrongRequest } from './refusals.ts'

const usualLimit = 50
const longestPage = 100

/** The parameters of a page. */
export const pageNames = ['limit', 'before', 'order'] as const

/** Throws for a parameter of another name, and for one that is given twice. */
export function assertNames(query: URLSearchParams, names: readonly string[]): void {
  for (const name of new Set(query.keys())) {
    if (!names.includes(name)) throw wrongRequest(unknownKeyText(name, names, 'parameter'))
    if (query.getAll(name).length > 1) throw wrongRequest(`The parameter "${name}" is given twice.`)
  }
}

/** At most 100 items, the newest first. */
export function pageOptionsIn(query: URLSearchParams): PageOptions {
  const before = query.get('before')
  const order = query.get('order') ?? 'newest'
  if (order !== 'newest' && order !== 'oldest') throw wrongRequest('order must be oldest or newest.')
  const limit = query.get('limit') ?? String(usualLimit)
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw wrongRequest('limit must be a positive integer.')
  return {
    limit: Math.min(Number(limit), longestPage),
    order,
    ...(before === null ? {} : { before }),
  }
}

/** The given parameters that have these names. */
export function textsOf<Name extends string>(
  query: URLSearchParams,
  ...names: readonly Name[]
): { readonly [Key in Name]?: string } {
  const given = names.flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(given) as { readonly [Key in Name]?: string }
}

/** 0 or a positive integer. */
export function numberOf(text: string | undefined, name: string): number {
  const number = /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
  if (number === undefined) throw wrongRequest(`${name}: a number is expected.`)
  return number
}
