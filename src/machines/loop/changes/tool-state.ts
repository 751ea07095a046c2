/** The tool state of an agent, which selects the tools on offer. Only a tool that has succeeded changes it. */
import { below } from '../../../actors/actor-path.ts'
import type { EventPayloads } from '../../contract/events.ts'
import { offering } from '../../contract/opening.ts'
import { settledCalls, type LoopContext } from './context.ts'

export type ToolMove = EventPayloads['tool-state']

/** A child, and the name of the tool that it called. */
export interface Called {
  readonly child: string
  readonly name: string
}

/** The changes of state by these calls, in the order of the calls and not of their ends. */
export function movesOf(context: LoopContext, calls: readonly Called[]): readonly ToolMove[] {
  const { input } = context
  const { tools } = input.profile.toolset.whole
  if (!calls.some(({ name }) => tools.get(name)?.nextState !== undefined)) return []
  const outcomes = settledCalls(context)
  const moves: ToolMove[] = []
  let state = input.profile.toolState
  for (const { child, name } of calls) {
    const next = tools.get(name)?.nextState
    const hasSucceeded = outcomes.get(child)?.result.outcome === 'succeeded'
    if (next === undefined || next === state || !hasSucceeded) continue
    moves.push({
      toolCallId: below(input.path, child),
      toolName: name,
      state: next,
      previousState: state,
    })
    state = next
  }
  return moves
}

/** The agent in the new state, with the tools that it offers. */
export function moved({ input }: LoopContext, moves: readonly ToolMove[]): Pick<LoopContext, 'input'> {
  const toolState = moves.at(-1)?.state ?? input.profile.toolState
  return { input: { ...input, profile: offering({ ...input.profile, toolState }) } }
}

/** The calls of the present step. */
export function callsOf({ calls }: LoopContext): readonly Called[] {
  return calls.map(({ child, call }) => ({ child, name: call.name }))
}
