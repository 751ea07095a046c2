/** What can happen to the children of a machine that chooses, and agents that give it something to choose from. */
import { setup } from 'xstate'
import { z } from 'zod'
import { createTool, createWorkflow } from 'troupe'
import type { Outcome } from 'troupe/testing'
import type { AnyMachineSnapshot } from 'xstate'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import { noUsage } from '../../../src/actors/usage.ts'
import type { DecisionOutput } from '../../../src/machines/contract/reports.ts'
import type { LoopContext } from '../../../src/machines/loop/changes/context.ts'
import type { RoutingDecision } from '../../../src/machines/selection/routing-decision.ts'
import { loopKey, spentKey } from './loop-outcomes.ts'
import { failed, fails } from './support.ts'

const inputSchema = z.object({ q: z.string() })

const lookup = createTool({ id: 'lookup', description: 'Looks up.', inputSchema, execute: () => 'found' })

const bake = createWorkflow({
  id: 'bake',
  description: 'Bakes.',
  inputSchema,
  logic: setup({}).createMachine({ initial: 'done', states: { done: { type: 'final' } } }),
})

const researcher = { id: 'researcher', description: 'Finds facts.' }

/** An agent, a workflow and a tool. */
export const choice = Toolset.of({ lookup, bake }, { researcher })

export const onlyAgent = Toolset.of({}, { researcher })

export const nothing = Toolset.of({})

const chosen = {
  agent: { primitiveId: 'researcher', primitiveType: 'agent', prompt: 'Find facts.' },
  workflow: { primitiveId: 'bake', primitiveType: 'workflow', prompt: '{"q":"x"}' },
  tool: { primitiveId: 'lookup', primitiveType: 'tool', prompt: '{"q":"x"}' },
  none: { primitiveId: 'none', primitiveType: 'none', prompt: 'The answer.' },
} as const

/** The decision to take this one. */
export function takes(kind: keyof typeof chosen): Outcome<DecisionOutput> {
  const value: RoutingDecision = { ...chosen[kind], selectionReason: 'It fits.' }
  const output: DecisionOutput = {
    kind: 'decision',
    decision: 'made',
    value: { ...value },
    usage: noUsage,
    replies: 1,
  }
  return { name: `takes ${kind}`, value: output }
}

function undecided(name: string, code: string): Outcome<DecisionOutput> {
  const error = { ...failed, code }
  const output: DecisionOutput = { kind: 'decision', decision: 'failed', error, usage: noUsage, replies: 2 }
  return { name, value: output }
}

/** No decision. */
export const undecidedOutcomes: readonly Outcome<DecisionOutput>[] = [
  undecided('is invalid', 'INVALID_DECISION'),
  undecided('is over budget', 'BUDGET_EXCEEDED'),
  undecided('lacks usage', 'USAGE_UNKNOWN'),
  fails,
]

/** As `loopKey`, with what was chosen and whether there is something to answer with. */
export function selectionKey(snapshot: AnyMachineSnapshot): string {
  const { reply, said, calls, ledger } = snapshot.context as LoopContext
  const shortened = spentKey(snapshot, calls[0]?.call.name)
  if (shortened !== undefined) return shortened
  return JSON.stringify([
    loopKey(snapshot),
    reply === undefined,
    said.text === '',
    calls[0]?.call.name,
    ledger.steps.length,
  ])
}
