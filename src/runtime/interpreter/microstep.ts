/** One transition: it leaves states, runs its actions, and enters states. */
import type { AnyEventObject, AnyStateNode } from 'xstate'
import type { Candidate } from './configuration.ts'
import { perform } from './perform.ts'
import type { Entry } from './plan.ts'
import type { Work } from './work.ts'

/** One microstep. Returns whether it has changed the snapshot. */
export function take(work: Work, event: AnyEventObject, candidate: Candidate): boolean {
  const from = work.configuration
  const plan = from.workOf(candidate)
  work.isChanged = false
  perform(work, event, plan.before)
  enter(work, event, plan.entries)
  work.configuration = plan.next
  endMicrostep(work, event)
  work.witness?.(work.value, candidate.transition)
  return work.isChanged || plan.next !== from
}

export function enter(work: Work, event: AnyEventObject, entries: readonly Entry[]): void {
  for (const { operations, invoked, final } of entries) {
    perform(work, event, operations, invoked)
    if (final !== undefined) complete(work, event, final)
  }
}

/** A final state is entered: its parent is done, and so is the machine where that is the root. */
function complete(work: Work, event: AnyEventObject, node: AnyStateNode): void {
  const { parent } = node
  const output = (): unknown =>
    node.output === undefined || parent === undefined ? undefined : outputOf(node.output, work, event)
  if (parent?.type === 'compound') {
    work.queue.push({ type: `xstate.done.state.${parent.id}`, output: output() })
  }
  if (parent?.parent !== undefined) return
  const { root } = work.machine
  work.status = 'done'
  if (root.output === undefined) return
  const done = { type: `xstate.done.state.${node.id}`, output: output() }
  work.output = outputOf(root.output, work, done)
}

function outputOf(output: unknown, { context, scope }: Work, event: AnyEventObject): unknown {
  return typeof output === 'function'
    ? (output as (args: object) => unknown)({ context, event, self: scope.self })
    : output
}

export function endMicrostep(work: Work, event: AnyEventObject): void {
  if (work.status === 'done') perform(work, event, work.configuration.exits)
}
