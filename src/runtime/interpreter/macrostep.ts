/** One macrostep: the transition for an event, and all that follow of their own accord. */
import type { AnyEventObject, AnyStateNode } from 'xstate'
import type { Candidate } from './configuration.ts'
import type { Test } from './guards.ts'
import { take } from './microstep.ts'
import { stopChildren } from './perform.ts'
import type { Work } from './work.ts'

/** Takes eventless transitions and raised events until there are none, and stops the children of an ended machine. */
export function settle(work: Work, first: AnyEventObject): boolean {
  let event = first
  let hasChanged = false
  let mayFollow = true
  while (work.status === 'active') {
    let chosen: Candidate | undefined = mayFollow ? chooseEventless(work, event) : undefined
    const isEventless: boolean = chosen !== undefined
    if (chosen === undefined) {
      const raised = work.queue.shift()
      if (raised === undefined) break
      event = raised
      chosen = choose(work, event)
    }
    const isChanged = chosen !== undefined && take(work, event, chosen)
    if (isChanged) hasChanged = true
    // An eventless transition that changes nothing is not taken again.
    mayFollow = !isEventless || isChanged
  }
  if (work.status !== 'active') stopChildren(work, event)
  return hasChanged
}

export function choose(work: Work, event: AnyEventObject): Candidate | undefined {
  for (const candidate of work.configuration.transitionsFor(event.type)) {
    if (candidate.test === undefined || passes(work, event, candidate, candidate.test)) return candidate
  }
  return undefined
}

function passes(work: Work, event: AnyEventObject, { node, transition }: Candidate, test: Test): boolean {
  try {
    return test(work, event)
  } catch (error) {
    throw guardFailed(transition.guard, event, node, error)
  }
}

/** As XState says it. */
function guardFailed(guard: unknown, event: AnyEventObject, node: AnyStateNode, error: unknown): Error {
  const type =
    typeof guard === 'string'
      ? guard
      : typeof guard === 'object'
        ? (guard as { readonly type: string }).type
        : undefined
  const name = type === undefined ? '' : `'${type}' `
  return new Error(
    `Unable to evaluate guard ${name}in transition for event '${event.type}' in state node '${node.id}':\n${(error as Error).message}`,
  )
}

function chooseEventless(work: Work, event: AnyEventObject): Candidate | undefined {
  for (const candidate of work.configuration.always) {
    if (candidate.test === undefined || candidate.test(work, event)) return candidate
  }
  return undefined
}
