/**
 * Each decision has one gate, and every run passes it: a hook adds the state in which it is called, and changes no other
 * step.
 */
import {
  createReflexion,
  createTool,
  createTroupe,
  type AgentConfig,
  type AgentDefinition,
  type SupervisorConfig,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'

const act = createTool({
  id: 'act',
  description: 'Acts.',
  inputSchema: z.object({}),
  execute: () => 'Acted.',
})

/** The states that each actor has come to, in their order. */
async function statesOf(agent: AgentDefinition): Promise<Readonly<Record<string, readonly string[]>>> {
  const states: Record<string, string[]> = {}
  const inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.microstep') return
    const { value } = event.snapshot as { readonly value?: unknown }
    const { id } = event.actorRef as AnyActorRef
    if (value !== undefined) (states[id] ??= []).push(JSON.stringify(value))
  }
  const troupe = createTroupe({ agents: [agent], inspect })
  const { outcome } = await (await troupe.start(agent, 'Go')).result
  await troupe.close()
  expect(outcome).toBe('completed')
  return states
}

/** The same states without one, in which a hook is called. */
function without(
  state: string,
  states: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(states).map(([id, values]) => [id, values.filter((value) => value !== state)]),
  )
}

/** A supervisor whose subagent calls a tool. */
function company(own: Partial<SupervisorConfig> = {}, ofHelper: Partial<AgentConfig> = {}): AgentDefinition {
  const helper = worker('helper', [calls({ name: 'act', args: {} }), 'Helped.'], {
    tools: { act },
    ...ofHelper,
  })
  return lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper: helper.agent }, ...own })
    .agent
}

const nothing = () => undefined
const goesOn = () => ({ continue: true })

interface Hooked {
  readonly hook: string
  readonly agent: () => AgentDefinition
  readonly actor: string
  /** The state in which it is called. */
  readonly state: string
  readonly times: number
}

const hooked: readonly Hooked[] = [
  {
    hook: 'onDelegationStart',
    agent: () => company({ delegation: { onDelegationStart: nothing } }),
    actor: 'delegation:1.1',
    state: '{"authorising":"askingStartHook"}',
    times: 1,
  },
  {
    hook: 'requireApproval of a delegation',
    agent: () => company({ delegation: { requireApproval: () => false } }),
    actor: 'delegation:1.1',
    state: '{"authorising":"askingPredicate"}',
    times: 1,
  },
  {
    hook: 'messageFilter',
    agent: () => company({ delegation: { messageFilter: ({ messages }) => [...messages] } }),
    actor: 'delegation:1.1',
    state: '{"authorising":"filteringHistory"}',
    times: 1,
  },
  {
    hook: 'onDelegationComplete',
    agent: () => company({ delegation: { onDelegationComplete: nothing } }),
    actor: 'delegation:1.1',
    state: '{"reviewing":"askingCompleteHook"}',
    times: 1,
  },
  {
    hook: 'onStepFinish of a supervisor',
    agent: () => company({ onStepFinish: nothing }),
    actor: 'boss',
    state: '{"thinking":"notifying"}',
    times: 2,
  },
  {
    hook: 'onIterationComplete',
    agent: () => company({ onIterationComplete: goesOn }),
    actor: 'boss',
    state: '{"reviewing":"askingReviewer"}',
    times: 2,
  },
  {
    hook: 'stopWhen of a supervisor',
    agent: () => company({ stopWhen: () => false }),
    actor: 'boss',
    state: '{"deciding":"askingStopWhen"}',
    times: 1,
  },
  {
    hook: 'onFinish of a supervisor',
    agent: () => company({ onFinish: nothing }),
    actor: 'boss',
    state: '{"finishing":"notifying"}',
    times: 1,
  },
  {
    hook: 'onStepFinish of a subagent',
    agent: () => company({}, { onStepFinish: nothing }),
    actor: 'helper',
    state: '{"thinking":"notifying"}',
    times: 2,
  },
  {
    hook: 'stopWhen of a subagent',
    agent: () => company({}, { stopWhen: () => false }),
    actor: 'helper',
    state: '{"deciding":"askingStopWhen"}',
    times: 1,
  },
  {
    hook: 'onFinish of a subagent',
    agent: () => company({}, { onFinish: nothing }),
    actor: 'helper',
    state: '{"finishing":"notifying"}',
    times: 1,
  },
]

describe('every gate is passed, whether a hook is there or not', () => {
  test.each(hooked)('$hook', async ({ agent, actor, state, times }) => {
    const states = await statesOf(agent())
    expect(states[actor]?.filter((value) => value === state)).toHaveLength(times)
    expect(without(state, states)).toEqual(await statesOf(company()))
  })

  test('a timeout of a delegation', async () => {
    expect(await statesOf(company({ delegation: { timeout: 60_000 } }))).toEqual(await statesOf(company()))
  })
})

test('a handoff is a call of its step: it passes the state in which calls are at work', async () => {
  const handsOff = calls({ name: 'transfer-to-billing' })
  const billing = () => worker('billing', ['Paid.']).agent
  const reflexion = createReflexion({
    id: 'thinker',
    description: 'Thinks.',
    instructions: 'Think.',
    model: scriptedModel([handsOff]),
    handoffs: [billing()],
  })
  const agents = [
    worker('solo', [handsOff], { handoffs: [billing()] }).agent,
    lead('boss', [handsOff], { agents: {}, handoffs: [billing()] }).agent,
    reflexion,
  ]
  for (const agent of agents) {
    const states = (await statesOf(agent))[agent.id] ?? []
    const acting = states.indexOf('{"acting":"working"}')
    expect(states.slice(acting - 1, acting + 2)).toEqual([
      '{"thinking":"interpreting"}',
      '{"acting":"working"}',
      '{"handingOff":"choosing"}',
    ])
  }
})
