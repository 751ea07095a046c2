/** The charts that the tables do not know: XState interprets such a chart itself. */
import type { AnyStateNode, AnyTransitionDefinition } from 'xstate'

/** Names a part of a chart that the tables do not know. */
export class UnsupportedChart extends Error {
  override readonly name = 'UnsupportedChart'
}

export function unsupported(machine: string, part: string): UnsupportedChart {
  return new UnsupportedChart(`The chart "${machine}" has ${part}.`)
}

/** Throws an `UnsupportedChart`. */
export function assertSupported(node: AnyStateNode): void {
  const { machine, type, states } = node
  if (type === 'parallel' || type === 'history')
    throw unsupported(machine.id, `the ${type} state "${node.id}"`)
  if (Number.isFinite(machine.options.maxIterations)) throw unsupported(machine.id, 'a limit of iterations')
  for (const transition of [...node.transitions.values(), node.always ?? []].flat()) assertPlain(transition)
  for (const { src } of node.invoke) {
    if (typeof src !== 'string' || src.startsWith('xstate.invoke.')) {
      throw unsupported(machine.id, `a child without a name, in the state "${node.id}"`)
    }
  }
  for (const state of Object.values(states)) assertSupported(state as AnyStateNode)
}

function assertPlain({ source, target = [], reenter }: AnyTransitionDefinition): void {
  const { id, root } = source.machine
  if (target.length > 1) throw unsupported(id, 'a transition to several states')
  if (reenter && (source === root || target.includes(root)))
    throw unsupported(id, 'a transition that enters the root again')
}
