/**
 * A guard in words: its name, its simple parameters, and the combinators spelled out with no more
 * parentheses than needed. An inline function has no name that means anything, so it is a `condition`.
 */
type Operator = 'and' | 'or' | 'not'

const longestParam = 40

export function guardText(guard: unknown, within?: Operator): string {
  if (typeof guard === 'string') return guard
  if (typeof guard === 'function') return combinatorText(guard, within) ?? 'condition'
  if (!isRecord(guard) || typeof guard.type !== 'string') return 'condition'
  const params = paramsText(guard.params)
  return params === '' ? guard.type : `${guard.type} ${params}`
}

/** XState's combinators are functions that carry their operands. */
function combinatorText(guard: { readonly name: string }, within: Operator | undefined): string | undefined {
  if ('stateValue' in guard) {
    const states = statePaths(guard.stateValue).map((path) => `in ${path}`)
    return joined('and', states, within)
  }
  if (!('guards' in guard) || !Array.isArray(guard.guards)) return undefined
  const operator = guard.name
  if (operator !== 'and' && operator !== 'or' && operator !== 'not') return undefined
  const operands = guard.guards.map((operand: unknown) => guardText(operand, operator))
  return operator === 'not' ? `not ${operands.join('')}` : joined(operator, operands, within)
}

function joined(operator: 'and' | 'or', operands: readonly string[], within: Operator | undefined): string {
  const text = operands.join(` ${operator} `)
  return within === undefined || within === operator || operands.length < 2 ? text : `(${text})`
}

/** `{ a: { b: 'c' } }` is `a.b.c`; parallel regions give several paths. */
function statePaths(value: unknown): string[] {
  if (typeof value === 'string') return [value.replace(/^#/, '')]
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const paths = statePaths(inner)
    return paths.length === 0 ? [key] : paths.map((path) => `${key}.${path}`)
  })
}

/** Computed and nested parameters mean nothing in a drawing: they are left out. */
function paramsText(params: unknown): string {
  if (isSimple(params)) return String(params)
  if (!isRecord(params)) return ''
  const entries = Object.entries(params).filter(([, value]) => value !== undefined)
  if (!entries.every(([, value]) => isSimple(value))) return ''
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] !== 'boolean') return String(only?.[1])
  return entries.map(([key, value]) => `${key}=${String(value)}`).join(', ')
}

function isSimple(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && value.length <= longestParam
  return typeof value === 'number' || typeof value === 'boolean' || value === null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
