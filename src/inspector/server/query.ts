/** Reads the queries of requests. Each throws a `RefusedRequest` for a wrong value. */
import type { PageOptions } from '../../runtime/journal/run-index.ts'
import { wrongRequest } from './refusals.ts'

const usualLimit = 50
const longestPage = 100

/** At most 100 items. */
export function pageOf(query: URLSearchParams): PageOptions {
  const before = query.get('before')
  const order = query.get('order') ?? 'newest'
  if (order !== 'newest' && order !== 'oldest') throw wrongRequest('order: oldest or newest.')
  const limit = Math.min(numberOf(query.get('limit') ?? String(usualLimit), 'limit'), longestPage)
  return { limit, order, ...(before === null ? {} : { before }) }
}

/** 0 or a positive integer. */
export function numberOf(text: string | undefined, name: string): number {
  const number = /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
  if (number === undefined) throw wrongRequest(`${name}: a number is expected.`)
  return number
}

/** The given parts of a query that have these names. */
export function textsOf<Name extends string>(
  query: URLSearchParams,
  ...names: readonly Name[]
): { readonly [Key in Name]?: string } {
  const given = names.flatMap((name) => {
    const value = query.get(name)
    return value === null || value === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(given) as { readonly [Key in Name]?: string }
}
