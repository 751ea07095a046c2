/** The events of a round, as pure functions of its context: its goals, their outcomes, and the missing results. */
import type { EventPayloads } from '../contract/events.ts'
import { agentIdOf, endedGoals, idOf, isMissing, type FanOutContext } from './round.ts'

export function fanOut(context: FanOutContext): EventPayloads['fan-out'] {
  const { goals, round } = context.work
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

export function fanIn(context: FanOutContext): EventPayloads['fan-in'] {
  const completions = endedGoals(context).map(({ id, completion }) => [id, completion.outcome] as const)
  return {
    correlationId: correlationIdOf(context),
    round: context.work.round,
    completions: Object.fromEntries(completions),
  }
}

export function synthesisStart(context: FanOutContext): EventPayloads['synthesis-start'] {
  return {
    correlationId: correlationIdOf(context),
    round: context.work.round,
    missing: endedGoals(context)
      .filter(isMissing)
      .map(({ id }) => id),
  }
}

function correlationIdOf(context: FanOutContext): string {
  const { runId, path } = context.input
  return `${runId}/${path}/round-${context.work.round}`
}
