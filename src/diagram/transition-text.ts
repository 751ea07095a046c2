/** The label of an arrow: `event [guard] / actions`. */
import type { AnyTransitionDefinition } from 'xstate'
import { eventText } from './event-text.ts'
import { guardText } from './guard-text.ts'

/** `siblings`: the transitions of the same state on the same event, in the order in which they are tried. */
export function transitionText(
  transition: AnyTransitionDefinition,
  siblings: readonly AnyTransitionDefinition[],
  withActions: boolean,
): string {
  const earlier = siblings.slice(0, siblings.indexOf(transition))
  const isElse = transition.guard === undefined && earlier.some((sibling) => sibling.guard !== undefined)
  // XState consumes the event without doing anything: the states around do not see it.
  const isIgnored = transition.target === undefined && transition.actions.length === 0
  return [
    eventText(String(transition.eventType), transition.source),
    isElse ? '[else]' : transition.guard === undefined ? '' : `[${guardText(transition.guard)}]`,
    isIgnored ? '(ignored)' : '',
    withActions ? actionsText(transition.actions) : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

export function actionsText(actions: readonly unknown[]): string {
  return actions.length === 0 ? '' : `/ ${actions.map(actionName).join(', ')}`
}

function actionName(action: unknown): string {
  if (typeof action === 'string') return action
  const isNamed =
    (typeof action === 'object' || typeof action === 'function') && action !== null && 'type' in action
  if (!isNamed || typeof action.type !== 'string') return 'action'
  return action.type.replace(/^xstate\./, '')
}
