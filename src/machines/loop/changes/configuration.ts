/** Completes a profile with the answer of `configure`: it is then like that of any other agent. */
import { AppendLog } from '../../../actors/values/append-log.ts'
import type { HookOutcome } from '../../../actors/effects/effect-kinds.ts'
import { defaultFallbacks } from '../../../actors/models/fallbacks.ts'
import { Toolset } from '../../../actors/toolset/toolset.ts'
import type { AgentInput, AgentProfile } from '../../contract/agent.ts'
import { offering, openingMessages, remembering } from '../../contract/opening.ts'
import type { MemoryProfile } from '../../contract/profile.ts'
import type { LoopChange, LoopContext } from './context.ts'

export function recordConfiguration(
  { input }: LoopContext,
  { instructions, model, fallbacks, memory, ...offered }: HookOutcome<'configure'>,
): LoopChange {
  const { profile, opening, task, resourceId } = input
  const configured: AgentProfile = {
    ...profile,
    dynamic: [],
    instructions: profile.dynamic.includes('instructions') ? instructions : profile.instructions,
    model,
    fallbacks: fallbacks && { models: fallbacks, on: profile.fallbacks?.on ?? defaultFallbacks },
    memory: profile.dynamic.includes('memory') ? inLine(opening, memory) : profile.memory,
    toolset: Toolset.described(offered, profile.toolset.successors),
  }
  const complete = offering(remembering(configured, resourceId))
  return {
    input: { ...input, profile: complete },
    messages: AppendLog.of(openingMessages(complete, opening, task)),
  }
}

/** A successor saves the exchange in the thread of its conversation, and recalls no messages. */
function inLine(
  { line }: AgentInput['opening'],
  memory: HookOutcome<'configure'>['memory'],
): MemoryProfile | undefined {
  const own = memory ?? undefined
  return line?.remembers === true ? { ...own, lastMessages: 0 } : own
}
