/**
 * The state graph of a machine as a text for a file: every state, every edge, and what the machine does on it. A difference
 * of two such texts shows what a change of the machine has changed.
 */
import type { AnyStateMachine, StateValue } from 'xstate'
import { readOptions, withDefault, type Fields } from '../../actors/strict/read-options.ts'
import { adjacencyOf } from '../graph/edge-cover.ts'
import { transitionsHeading } from '../chart/golden-text.ts'
import { graphSource } from '../graph/graph-source.ts'
import type { Stimulus } from '../graph/stimulus.ts'
import type { TestState } from '../graph/test-logic.ts'
import { machineModel } from '../graph/test-model.ts'
import { transitionLabels } from '../chart/graph-of.ts'
import { workOf } from './edge-work.ts'
import { goldenList, type EdgeEntry, type Place } from './golden-lists.ts'
import { shortDigest, ValueTexts } from '../chart/value-text.ts'
import { oneOf } from '../../actors/strict/checks.ts'
import { coverFields, type CoverOptions } from '../cover/cover-options.ts'

/** The options of `goldenOf`. */
export interface GoldenOptions<
  Machine extends AnyStateMachine = AnyStateMachine,
> extends CoverOptions<Machine> {
  /**
   * `edges`: each edge is written with all that the machine does on it. `groups`: edges that differ in values alone are one
   * entry, with a digest of each; the values are listed by field. Default: `'edges'`.
   */
  readonly form?: 'edges' | 'groups'
}

const goldenFields = {
  ...coverFields,
  form: withDefault(oneOf('edges', 'groups'), 'edges'),
} satisfies Fields<GoldenOptions>

/**
 * The golden graph of `machine`, a text for a file snapshot. Nothing runs. The same machine and options always give the same
 * text. It throws as `coverMachine` does, and takes its options.
 */
export function goldenOf<Machine extends AnyStateMachine>(
  machine: Machine,
  options: GoldenOptions<NoInfer<Machine>>,
): string
export function goldenOf(machine: AnyStateMachine, given: GoldenOptions): string {
  const where = `goldenOf("${machine.id}")`
  const options = readOptions<GoldenOptions>(given, where, goldenFields)
  const source = graphSource(machine, options, where)
  const list = goldenList(options.form ?? goldenFields.form.default, new ValueTexts())
  let states = 0
  let edges = 0
  for (const [inputName, input] of Object.entries(options.inputs)) {
    const { model, traversal } = machineModel(source, input, { keepsActions: true })
    const adjacency = adjacencyOf(model.getAdjacencyMap())
    states += adjacency.size
    list.begin(inputName, adjacency.size)
    list.add(startOf(traversal.fromState))
    for (const { state, steps } of adjacency.values()) {
      edges += steps.length
      for (const step of steps) list.add(edgeOf(state, step.state, step.event))
    }
  }
  const labels = transitionLabels(source.machine)
  return [
    `# ${machine.id}`,
    '',
    `${states} states, ${edges} edges, ${labels.length} transitions`,
    '',
    transitionsHeading,
    '',
    ...labels,
    ...list.lines(),
    '',
  ].join('\n')
}

function startOf(state: TestState): EdgeEntry {
  return { from: undefined, to: placeOf(state), name: 'start', kind: 'start', work: workOf(undefined, state) }
}

function edgeOf(from: TestState, to: TestState, stimulus: Stimulus): EdgeEntry {
  const kind = stimulus.type === 'outcome' ? `${stimulus.src}: ${stimulus.outcome.name}` : stimulus.name
  return { from: placeOf(from), to: placeOf(to), name: stimulus.name, kind, work: workOf(from, to) }
}

function placeOf({ snapshot, key }: TestState): Place {
  return { value: valueText(snapshot.value as StateValue), key: shortDigest(key) }
}

/** `thinking.calling`; the regions of a parallel state in parentheses. */
function valueText(value: StateValue): string {
  if (typeof value === 'string') return value
  const inner = Object.entries(value).map(([name, part]) => {
    const text = part === undefined ? '' : valueText(part)
    return text === '' ? name : `${name}.${text}`
  })
  return inner.length === 1 ? inner.join('') : `(${inner.join(', ')})`
}
