/**
 * The words of events and guards: `model done` rather than `xstate.done.actor.model`. The invokes and delays of the state
 * that has a transition give the names that XState's generated events hide; guards are named, with their simple parameters
 * and with combinators spelled out; an inline function has no name that means anything: it is a `condition` or an `action`.
 */
import type { AnyStateNode } from 'xstate'
import { invokedEffects } from './invoked-effects.ts'

/** Its type; `action` for an inline function. */
export function actionName(action: unknown): string {
  if (typeof action === 'string') return action
  const isNamed =
    (typeof action === 'object' || typeof action === 'function') && action !== null && 'type' in action
  if (!isNamed || typeof action.type !== 'string') return 'action'
  return action.type.replace(/^xstate\./, '')
}

const actorEvents = [
  ['xstate.done.actor.', 'done'],
  ['xstate.error.actor.', 'failed'],
  ['xstate.snapshot.', 'changed'],
] as const

/** `model done` rather than `xstate.done.actor.model`. Empty for a transition without an event. */
export function eventText(eventType: string, state: AnyStateNode): string {
  if (eventType === '*') return 'any event'
  for (const [prefix, verb] of actorEvents) {
    if (eventType.startsWith(prefix))
      return `${actorName(eventType.slice(prefix.length), state)} ${verb}`.trim()
  }
  const done = 'xstate.done.state.'
  if (eventType.startsWith(done)) {
    const id = eventType.slice(done.length)
    return id === state.id ? 'done' : `${id.slice(id.lastIndexOf('.') + 1)} done`
  }
  const delay = state.after.find((transition) => transition.eventType === eventType)?.delay
  if (delay === undefined) return eventType
  return typeof delay === 'number' ? `after ${delay} ms` : `after ${String(delay)}`
}

/** Empty for an inline invoke without an id, which has no name; an effect of an adapter has its own. */
function actorName(id: string, state: AnyStateNode): string {
  if (id === '*') return 'child'
  const index = state.invoke.findIndex((invoke) => invoke.id === id)
  const src = state.invoke[index]?.src
  // An invoke without an id is given `<index>.<state id>`; its source is clearer.
  const name =
    id !== `${index}.${state.id}` ? id : isNamed(src) ? src : (invokedEffects(state)[index]?.name ?? '')
  return name.replaceAll(':', ' ')
}

/** XState names what is inline. */
function isNamed(src: unknown): src is string {
  return typeof src === 'string' && !src.startsWith('xstate.')
}

type Operator = 'and' | 'or' | 'not'

const longestParam = 40

/** Combinators have no more parentheses than needed. */
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
