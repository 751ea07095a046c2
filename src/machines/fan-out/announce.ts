/** The events of a round, as pure functions of its context: its goals, their outcomes, and the missing results. */
import type { EventPayloads } from '../contract/events.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { agentIdOf, endedGoals, idOf, isMissing, workOf } from './round.ts'

export function fanOut(context: LoopContext): EventPayloads['fan-out'] {
  const { goals, round } = workOf(context)
  return {
    correlationId: correlationIdOf(context),
    round,
    goals: context.calls.flatMap(({ child, call }, index) => {
      const goal = goals[index]
      if (goal === undefined) return []
      const { agent: agentName, ...rest } = goal
      return [{ id: idOf(context, child), ...rest, agentName, agentId: agentIdOf(context, call.name) }]
    }),
  }
}

export function fanIn(context: LoopContext): EventPayloads['fan-in'] {
  const completions = endedGoals(context).map(({ id, completion }) => [id, completion.outcome] as const)
  return {
    correlationId: correlationIdOf(context),
    round: workOf(context).round,
    completions: Object.fromEntries(completions),
  }
}

export function synthesisStart(context: LoopContext): EventPayloads['synthesis-start'] {
  return {
    correlationId: correlationIdOf(context),
    round: workOf(context).round,
    missing: endedGoals(context)
      .filter(isMissing)
      .map(({ id }) => id),
  }
}

function correlationIdOf(context: LoopContext): string {
  const { runId, path } = context.input
  return `${runId}/${path}/round-${workOf(context).round}`
}
