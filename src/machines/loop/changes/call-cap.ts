/**
 * `maxToolCallsPerStep`: how many calls of one reply are carried out. Calls beyond the cap fail without being
 * started.
 */
import { below } from '../../../actors/actor-path.ts'
import type { AgentProfile } from '../../contract/agent.ts'
import { event, type MachineEvent } from '../../contract/events.ts'
import type { LoopContext, PendingCall, SettledCall } from './context.ts'

/** Whether the call at this place of a reply, from 0, is not carried out. */
export function isBeyondCap({ maxToolCallsPerStep }: AgentProfile, place: number): boolean {
  return maxToolCallsPerStep !== undefined && place >= maxToolCallsPerStep
}

/** The calls that are not carried out, each with the result that the model reads. */
export function refusedCalls(
  { input }: Pick<LoopContext, 'input'>,
  calls: readonly PendingCall[],
): readonly SettledCall[] {
  const { maxToolCallsPerStep: cap } = input.profile
  if (cap === undefined || calls.length <= cap) return []
  return calls.slice(cap).map(({ child, call }) => {
    const message = `Not carried out: at most ${cap} calls of one reply are, and this reply has ${calls.length}. Call again what is still needed.`
    return {
      child,
      result: {
        id: below(input.path, child),
        name: call.name,
        outcome: 'failed',
        error: { name: 'ToolCallError', code: 'TOO_MANY_TOOL_CALLS', message },
      },
      content: JSON.stringify({ error: message }),
    }
  })
}

/** Announces each of them as a call, and as a failed one. */
export function refusalEvents(context: LoopContext): MachineEvent[] {
  const { calls, input } = context
  const refused = refusedCalls({ input }, calls)
  if (refused.length === 0) return []
  const argsOf = new Map(calls.map(({ child, call }) => [child, call.args]))
  return refused.flatMap(({ child, result: { id, name, error } }) => {
    const call = { toolCallId: id, toolName: name }
    return [
      event('tool-call', { ...call, args: argsOf.get(child) ?? {} }),
      event('tool-error', { ...call, outcome: 'failed', ...(error === undefined ? {} : { error }) }),
    ]
  })
}
