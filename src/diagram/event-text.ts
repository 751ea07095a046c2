/**
 * The trigger of a transition, in words: `model done` rather than `xstate.done.actor.model`. The invokes
 * and delays of the state that has the transition give the names that XState's generated events hide.
 */
import type { AnyStateNode } from 'xstate'

const actorEvents = [
  ['xstate.done.actor.', 'done'],
  ['xstate.error.actor.', 'failed'],
  ['xstate.snapshot.', 'changed'],
] as const

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

/** Empty for an inline invoke without an id, which has no name. */
function actorName(id: string, state: AnyStateNode): string {
  if (id === '*') return 'child'
  const index = state.invoke.findIndex((invoke) => invoke.id === id)
  const src = state.invoke[index]?.src
  // An invoke without an id is given `<index>.<state id>`; its source is clearer.
  const name =
    id !== `${index}.${state.id}` ? id : typeof src === 'string' && !src.startsWith('xstate.') ? src : ''
  return name.replaceAll(':', ' ')
}
