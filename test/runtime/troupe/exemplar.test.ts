/** The runs that stay in the midst of their work, so that V8 keeps the optimised code of runs. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTroupe, type AgentDefinition, type TroupeConfig } from 'troupe'
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'
import { exemplarOf, runsBefore } from '../../../src/runtime/troupe/exemplar.ts'
import type { LiveRun } from '../../../src/runtime/run/live-run.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
})

afterEach(() => {
  vi.useRealTimers()
})

function supervisor(): AgentDefinition {
  const { agent } = worker('worker', ['Seen.'])
  return lead('lead', [calls(to('worker', 'Look.')), 'Done.'], { agents: { worker: agent } }).agent
}

/** Runs it to its end in a troupe of its own. */
async function play(agent: AgentDefinition, config: Partial<TroupeConfig> = {}): Promise<void> {
  const troupe = createTroupe({ ...config, agents: [agent] })
  const { outcome } = await (await troupe.start(agent, 'A secret task.')).result
  expect(outcome).toBe('completed')
}

describe('the exemplar of a pattern', () => {
  test('is made neither for the first runs nor for runs that XState interprets', async () => {
    for (let run = 0; run < runsBefore; run++) await play(supervisor())
    await play(supervisor(), { interpreter: 'xstate' })
    await play(supervisor(), { inspect: () => undefined })
    expect(exemplarOf('supervisor')).toBeUndefined()
  })

  test('stays in the midst of its work and has no timer', async () => {
    const before = vi.getTimerCount()
    await play(supervisor())
    const exemplar = exemplarOf('supervisor')
    await vi.waitFor(() => expect(kindsBelow(exemplar)).toEqual(['delegation', 'exemplar-worker', 'model']))
    const between = vi.getTimerCount()
    await play(supervisor())
    expect(vi.getTimerCount() - between).toBe(between - before)
    expect(exemplarOf('supervisor')).toBe(exemplar)
    expect(kindsBelow(exemplar)).toEqual(['delegation', 'exemplar-worker', 'model'])
  })

  test('knows nothing of the runs of the user', () => {
    const { started, log } = exemplarOf('supervisor') as LiveRun
    expect(started.task).toBe('exemplar')
    expect(JSON.stringify([started, log.toArray()])).not.toMatch(/secret|Look|Seen/)
  })

  test('is made for an agent that runs alone too', async () => {
    const { agent } = worker('alone', [], { otherwise: 'Done.' })
    for (let run = 0; run < runsBefore; run++) await agent.generate('A secret task.')
    expect(exemplarOf('react')).toBeUndefined()
    await agent.generate('A secret task.')
    expect((exemplarOf('react') as LiveRun).started.task).toBe('exemplar')
  })

  test('is made of the two patterns alone that have all kinds of actors', async () => {
    expect(exemplarOf('router')).toBeUndefined()
  })
})

/** The live actors of a run below its root agent: machines by their kinds, effects by their names. */
function kindsBelow(run: object | undefined): string[] {
  const kinds: string[] = []
  const walk = (snapshot: unknown): void => {
    for (const [id, child] of Object.entries((snapshot as Partial<AnyMachineSnapshot>).children ?? {})) {
      kinds.push(id.split(':')[0] as string)
      walk((child as AnyActorRef).getSnapshot())
    }
  }
  walk((run as LiveRun).agent.getSnapshot())
  return kinds
}
