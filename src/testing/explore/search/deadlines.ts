/** The deadlines of single effects that an exploration lets pass: those that the options of an agent, a tool or a run set. */
import { workingMemoryToolName } from '../../../actors/working-memory.ts'
import { timeoutOf } from '../../../runtime/state/effects/deadline.ts'
import { isKind, modelCalledBy, type PendingEffect } from '../../../runtime/state/effects/pending-effect.ts'
import { optionTable } from '../../../runtime/options/option-table.ts'
import type { Subject } from '../world/subject.ts'

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
