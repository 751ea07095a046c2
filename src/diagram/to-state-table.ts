/** The states of a machine as a table: what a drawing with merged arrows has no room for. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { isBox, statesOf } from './arrows.ts'
import { joinWords, wordsOf } from './transition-text.ts'

/**
 * Returns the states of the machine as a Markdown table with the columns state, description and "leaves when": each state
 * at any depth, in the order of the config, with all its transitions; those that need no event come first, as XState tries
 * them first. A transition without a target "stays": the state handles the event and does not change, and outer states do
 * not get the event when the guard holds. The first row has the transitions of the whole machine, where there are any.
 */
export function toStateTable(machine: AnyStateMachine): string {
  const [root, ...states] = statesOf(machine.root) as [AnyStateNode, ...AnyStateNode[]]
  const whole = departures(root)
  const rows = [
    ...(isBox(root) || whole.length > 0 ? [row('any state', root, whole)] : []),
    ...states.map((state) => row(code(state.path.join('.')), state, departures(state))),
  ]
  return ['| state | description | leaves when |', '| --- | --- | --- |', ...rows, ''].join('\n')
}

function row(name: string, state: AnyStateNode, leaves: readonly string[]): string {
  const ending = state.type === 'final' ? ['final'] : leaves
  // The description of the machine is no description of a state.
  const description = state.parent === undefined ? '' : oneLine(state.description ?? '')
  return `| ${name} | ${description} | ${ending.join('<br>')} |`
}

function departures(state: AnyStateNode): string[] {
  return [state.always ?? [], ...state.transitions.values()].flatMap((siblings) =>
    siblings.flatMap((transition) => {
      const { event, guard } = wordsOf(transition, siblings, false)
      const text = code(joinWords(event, guard) || 'always')
      if (transition.target === undefined) return [`${text} stays`]
      return transition.target.map((target) => {
        const again = target !== state ? '' : transition.reenter ? ' (entered again)' : ' (itself)'
        return `${text} → ${code(nameFrom(state, target))}${again}`
      })
    }),
  )
}

/** The key of a sibling or child, the path of any other state. */
function nameFrom(state: AnyStateNode, target: AnyStateNode): string {
  const isNear = target.parent === state.parent || target.parent === state
  return isNear ? target.key : target.path.join('.') || target.key
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'")}\``
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')
}
