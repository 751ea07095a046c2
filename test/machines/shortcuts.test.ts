/** Without hooks, scorers and waiting, a chart skips the states that would decide about them. */
import { createTroupe, type AgentDefinition } from 'troupe'
import { expect, test } from 'vitest'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { calls, lead, to, worker } from '../support/agents/agents.ts'

/** The states that each actor has come to, in their order. */
async function statesOf(agent: AgentDefinition): Promise<Map<string, string[]>> {
  const states = new Map<string, string[]>()
  const inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.microstep') return
    const { value } = event.snapshot as { readonly value?: unknown }
    const { id } = event.actorRef as AnyActorRef
    states.set(id, [...(states.get(id) ?? []), JSON.stringify(value)])
  }
  const troupe = createTroupe({ agents: [agent], inspect })
  await (
    await troupe.start(agent, 'Go')
  ).result
  await troupe.close()
  return states
}

test('a delegation without hooks and timeout begins and ends at once', async () => {
  const { agent: helper } = worker('helper', ['Helped.'])
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  expect((await statesOf(agent)).get('delegation:1.1')).toEqual(['"running"', '"succeeded"'])
})

test('a delegation with a timeout, or with a hook at its end, does not', async () => {
  const { agent: helper } = worker('helper', [], { otherwise: 'Helped.' })
  const timed = lead('timed', [calls(to('helper', 'Help')), 'Done.'], {
    agents: { helper },
    delegation: { timeout: 60_000 },
  })
  const told = lead('told', [calls(to('helper', 'Help')), 'Done.'], {
    agents: { helper },
    delegation: { onDelegationComplete: () => undefined },
  })
  const reviewed = '{"reviewing":"settling"}'
  expect((await statesOf(timed.agent)).get('delegation:1.1')).toContain(reviewed)
  expect((await statesOf(told.agent)).get('delegation:1.1')).toContain(reviewed)
})
