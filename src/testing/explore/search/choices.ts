/** All choices in a state of a run: outcomes of effects, answers of people, timers, deadlines, cancels, a crash. */
import { isChild, lastId } from '../../../actors/actor-path.ts'
import type { Choice } from '../world/choice.ts'
import type { RunState } from '../world/run-state.ts'
import { effectChoices, lateChoices, type ChoiceOptions } from './effect-choices.ts'

export function choicesOf(world: RunState, options: ChoiceOptions): readonly Choice[] {
  const { engine } = world
  if (engine.isSettled) return numbered(lateChoices(world, options))
  const { adversary } = options
  return numbered([
    ...[...engine.effects.pending.values()].flatMap((effect) => effectChoices(effect, world, options)),
    ...lateChoices(world, options),
    ...(adversary.timers !== 'never' && engine.limits.wallClock?.isRunning === true
      ? [{ type: 'expire', label: 'the time of the run is up' } as const]
      : []),
    ...(adversary.cancel && !engine.signals.isClosed
      ? [{ type: 'cancel', label: 'the run is cancelled' } as const]
      : []),
    ...sayingsOf(world, options),
    ...(adversary.cancelDelegations ? cancelsOf(world) : []),
    ...(world.crashes < adversary.crashes && hasCallInDoubt(world)
      ? [{ type: 'crash', label: 'the process ends, and another one goes on' } as const]
      : []),
  ])
}

/** Where no tool is at work, the run that goes on is in the state of its replay, which is the present state. */
function hasCallInDoubt({ engine }: RunState): boolean {
  return [...engine.effects.pending.values()].some(
    ({ kind, state, isRecorded }) => kind === 'tool' && state === 'performing' && isRecorded,
  )
}

function sayingsOf({ engine, said }: RunState, { messages }: ChoiceOptions): readonly Choice[] {
  const message = messages[said]
  if (message === undefined || engine.signals.isClosed) return []
  return [{ type: 'say', message, label: `a person says “${message}”` }]
}

function cancelsOf({ engine, cancelled }: RunState): readonly Choice[] {
  if (engine.signals.isClosed) return []
  const open = new Set<string>()
  for (const { type, path, payload } of engine.recorder.log.toArray()) {
    if (type === 'delegation-start') open.add(path)
    else if (type === 'delegation-end') open.delete(path)
    else if (type === 'background-start' && payload.toolName !== undefined) open.add(payload.taskId)
    else if (type === 'background-end') open.delete(payload.taskId)
  }
  return [...open]
    .filter((id) => !cancelled.has(id))
    .map((id) => {
      const kind = isChild(lastId(id), 'delegation') ? 'delegation' : 'background task'
      return { type: 'cancelDelegation', id, label: `the ${kind} ${id} is cancelled` }
    })
}

/** Equal labels get numbers. */
function numbered(choices: readonly Choice[]): readonly Choice[] {
  const seen = new Map<string, number>()
  return choices.map((choice) => {
    const times = (seen.get(choice.label) ?? 0) + 1
    seen.set(choice.label, times)
    return times === 1 ? choice : { ...choice, label: `${choice.label} (${times})` }
  })
}
