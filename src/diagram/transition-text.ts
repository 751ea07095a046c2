/** The words of a transition in a drawing: `model done [hasTools] / record`. */
import type { AnyTransitionDefinition } from 'xstate'
import { actionName, eventText, guardText } from '../actors/charts/transition-words.ts'

/** The words of a transition, apart. Each may be empty. */
export interface TransitionWords {
  readonly event: string
  readonly guard: string
  /** What is done on the way. */
  readonly effect: string
}

/** `siblings`: the transitions of the same state on the same event, in the order in which they are tried. */
export function wordsOf(
  transition: AnyTransitionDefinition,
  siblings: readonly AnyTransitionDefinition[],
  withActions: boolean,
): TransitionWords {
  const earlier = siblings.slice(0, siblings.indexOf(transition))
  // XState consumes the event without doing anything: the states around do not see it.
  const isIgnored = transition.target === undefined && transition.actions.length === 0
  const isElse = transition.guard === undefined && earlier.some((sibling) => sibling.guard !== undefined)
  return {
    event: eventText(String(transition.eventType), transition.source),
    guard: isElse ? elseGuard : transition.guard === undefined ? '' : `[${guardText(transition.guard)}]`,
    effect: isIgnored ? '(ignored)' : withActions ? actionsText(transition.actions) : '',
  }
}

export const elseGuard = '[else]'

/** The words in one line. */
export function joinWords(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ')
}

export function actionsText(actions: readonly unknown[]): string {
  return actions.length === 0 ? '' : `/ ${actions.map(actionName).join(', ')}`
}
