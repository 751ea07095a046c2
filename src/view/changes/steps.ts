/** The steps and iterations of an agent, the scorings and critiques of them, and its compactions. */
import type { RunEvent } from '../../index.ts'
import { addUsage } from '../../kit/index.ts'
import type { AgentView, PartView } from '../contract/run-view.ts'
import type { IterationPart, ScoringPart } from '../contract/parts.ts'
import type { KeyedList } from '../lists/keyed-list.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

export function afterStepEvent(agent: AgentView, event: EventOf<'step-start' | 'step-finish'>): AgentView {
  const { step } = event.payload
  const id = `step:${step}`
  if (event.type === 'step-start') {
    const { at, payload } = event
    const parts = agent.parts.with({ type: 'step', id, at, status: 'running', ...payload })
    return { ...agent, step, parts }
  }
  const { finishReason, usage } = event.payload
  const known = agent.parts.get(id)
  const begun = known?.type === 'step' ? known : ({ type: 'step', id, at: event.at, step } as const)
  const ended = { ...begun, status: 'ended', finishReason, usage, endedAt: event.at } as const
  const parts = withoutStreaming(agent.parts).with(ended)
  return { ...agent, parts, usage: addUsage(agent.usage, usage) }
}

/** The calls of the present step that were being written are not made. */
export function withoutStreaming(parts: KeyedList<PartView>): KeyedList<PartView> {
  let changed = parts
  for (let position = parts.length - 1; position >= 0; position--) {
    const part = parts.at(position)
    if (part === undefined || part.type === 'step') break
    if ((part.type === 'tool' || part.type === 'delegation') && part.status === 'streaming') {
      changed = changed.with({ ...part, status: 'cut' })
    }
  }
  return changed
}

export function afterIterationEvent(
  agent: AgentView,
  event: EventOf<'iteration-start' | 'iteration-end' | 'iteration-feedback'>,
): AgentView {
  const { at, payload } = event
  const { iteration } = payload
  const id = `iteration:${iteration}`
  const known = agent.parts.get(id)
  const begun: IterationPart =
    known?.type === 'iteration' ? known : { type: 'iteration', id, at, iteration, status: 'running' }
  return { ...agent, iteration, parts: agent.parts.with(afterIteration(begun, event)) }
}

function afterIteration(
  part: IterationPart,
  event: EventOf<'iteration-start' | 'iteration-end' | 'iteration-feedback'>,
): IterationPart {
  switch (event.type) {
    case 'iteration-start':
      return part
    case 'iteration-end':
      return { ...part, status: 'ended', continue: event.payload.continue, endedAt: event.at }
    case 'iteration-feedback':
      return { ...part, feedback: event.payload.message }
  }
}

type ScoringEvent = EventOf<'scoring-start' | 'scorer-result' | 'scoring-complete'>

/** The path of such an event is that of the actor that scores. */
export function afterScoringEvent(agent: AgentView, event: ScoringEvent): AgentView {
  const known = agent.parts.get(event.path)
  const { at, path } = event
  const begun: ScoringPart =
    known?.type === 'scoring'
      ? known
      : { type: 'scoring', id: path, at, status: 'running', scorerIds: [], results: [] }
  return { ...agent, parts: agent.parts.with(afterScoring(begun, event)) }
}

function afterScoring(part: ScoringPart, event: ScoringEvent): ScoringPart {
  switch (event.type) {
    case 'scoring-start':
      return { ...part, scorerIds: event.payload.scorerIds }
    case 'scorer-result':
      return { ...part, results: [...part.results, event.payload] }
    case 'scoring-complete':
      return { ...part, status: event.payload.outcome, results: event.payload.results }
  }
}

/** The path of such an event is that of the actor that compacts. */
export function afterCompactionEvent(
  agent: AgentView,
  event: EventOf<'compaction-start' | 'compaction-end'>,
): AgentView {
  const { at, path } = event
  if (event.type === 'compaction-start') {
    const begun = { type: 'compaction', id: path, at, status: 'running', start: event.payload } as const
    return { ...agent, parts: agent.parts.with(begun) }
  }
  const { outcome, usage } = event.payload
  const known = agent.parts.get(path)
  const parts =
    known?.type === 'compaction'
      ? agent.parts.with({ ...known, status: outcome, end: event.payload })
      : agent.parts
  return { ...agent, parts, usage: addUsage(agent.usage, usage) }
}
