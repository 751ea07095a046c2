/** All choices in a state of a run: outcomes of effects, answers of people, timers, deadlines, cancels, a crash. */
import { isChild, lastId } from '../../../actors/actor-path.ts'
import type { Choice } from '../world/choice.ts'
import type { ControlledRun } from '../world/controlled-run.ts'
import { effectChoices, lateChoices, type ChoiceOptions } from './effect-choices.ts'
import { workingMemoryToolName } from '../../../actors/toolset/working-memory.ts'
import { timeoutOf } from '../../../runtime/state/effects/deadline.ts'
import { isKind, modelCalledBy, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import { optionTable } from '../../../runtime/options/option-table.ts'
import type { Subject } from '../world/subject.ts'

export function choicesOf(world: ControlledRun, options: ChoiceOptions): readonly Choice[] {
  const { state } = world
  if (state.isSettled) return numbered(lateChoices(world, options))
  const { adversary } = options
  return numbered([
    ...[...state.effects.pending.values()].flatMap((effect) => effectChoices(effect, world, options)),
    ...lateChoices(world, options),
    ...(adversary.timers !== 'never' && state.limits.wallClock?.isRunning === true
      ? [{ type: 'expire', label: 'the time of the run is up' } as const]
      : []),
    ...(adversary.cancel && !state.signals.isClosed
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
function hasCallInDoubt({ state }: ControlledRun): boolean {
  return [...state.effects.pending.values()].some(
    ({ kind, state, isRecorded }) => kind === 'tool' && state === 'performing' && isRecorded,
  )
}

function sayingsOf({ state, said }: ControlledRun, { messages }: ChoiceOptions): readonly Choice[] {
  const message = messages[said]
  if (message === undefined || state.signals.isClosed) return []
  return [{ type: 'say', message, label: `a person says “${message}”` }]
}

function cancelsOf({ state, cancelled }: ControlledRun): readonly Choice[] {
  if (state.signals.isClosed) return []
  const open = new Set<string>()
  for (const { type, path, payload } of state.recorder.log.toArray()) {
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

// The deadlines of single effects that an exploration lets pass: those that the options of an agent, a tool or a run
// set.

/** The default of `hookTimeout` is a guard against functions that hang; a run is not expected to meet it. */
export function deadlinesOf({ registry, started }: Subject): (effect: PendingEffect) => boolean {
  return (effect) => {
    const timeout = timeoutOf(effect.request)
    if (timeout === undefined || effect.state !== 'performing') return false
    if (modelCalledBy(effect) !== undefined) return true
    if (isKind(effect, 'tool') && effect.request.input.tool !== workingMemoryToolName) return true
    const own = registry.get(effect.source.agent)?.settings
    const isSet = (own?.hookTimeout ?? started.settings.hookTimeout) !== undefined
    return isSet || timeout !== optionTable.hookTimeout.default
  }
}
