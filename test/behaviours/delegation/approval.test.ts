/** The approval of a delegation: a person decides before the subagent costs anything. */
import { createTroupe, type DelegationStartContext, type RunResult } from 'troupe'
import { describe, expect, test } from 'vitest'
import {
  allEvents,
  calls,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

const id = 'lead/delegation:1.1'

function awaiting(result: RunResult): readonly unknown[] {
  if (result.outcome !== 'suspended') throw new Error(`The run is not suspended but ${result.outcome}.`)
  return result.awaiting
}

type Delegation = NonNullable<Parameters<typeof lead>[2]>['delegation']

function team(delegation: Delegation, more: Parameters<typeof lead>[2] = {}) {
  const payer = worker('payer', [], { otherwise: 'Paid.' })
  const { agent, model } = lead('lead', [calls(to('payer', 'Pay 20 euros')), 'Done.'], {
    agents: { payer: payer.agent },
    delegation: { ...delegation },
    ...more,
  })
  return { agent, model, payer, troupe: createTroupe({ agents: [agent] }) }
}

describe('a delegation that needs approval', () => {
  test('is held before its subagent runs, and goes on when it is approved', async () => {
    const { agent, payer, troupe } = team({ requireApproval: true })
    const run = await troupe.start(agent, 'Go')
    const asked = await until(run, 'tool-call-approval')
    expect(asked).toMatchObject({
      agent: 'lead',
      path: id,
      payload: { toolCallId: id, toolName: 'agent-payer', args: { prompt: 'Pay 20 euros' } },
    })
    expect(awaiting(await run.whenIdle)).toEqual([
      {
        toolCallId: id,
        type: 'approval',
        agent: 'lead',
        toolName: 'agent-payer',
        args: { prompt: 'Pay 20 euros' },
      },
    ])
    expect(payer.model.calls).toEqual([])
    await run.approve(id)
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'succeeded', text: 'Paid.' }],
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
  })

  test('denied, it is rejected with the reason, and the subagent never runs', async () => {
    const { agent, model, payer } = team({ requireApproval: true })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.deny(id, 'Too much.')
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [
        { outcome: 'rejected', error: { code: 'DENIED', message: 'Delegation denied: Too much.' } },
      ],
    })
    expect(payer.model.calls).toEqual([])
    expect(toldOfCalls(model, 2)).toEqual([
      JSON.stringify({ error: 'Delegation rejected: Too much.', rejected: true }),
    ])
    const events = await allEvents(run)
    expect(only(events, 'delegation-rejected').map(({ payload }) => payload.reason)).toEqual(['Too much.'])
    expect(only(events, 'delegation-start', 'delegation-end')).toEqual([])
  })

  test('is asked about with the prompt that a hook has modified, and not at all where the hook rejects', async () => {
    const { agent, payer } = team({
      requireApproval: true,
      onDelegationStart: () => ({ modifiedPrompt: 'Pay 10 euros' }),
    })
    const run = agent.stream('Go')
    expect((await until(run, 'tool-call-approval')).payload.args).toEqual({ prompt: 'Pay 10 euros' })
    await run.approve(id)
    await run.result
    expect(shown(payer.model, 1).at(-1)?.content).toBe('Pay 10 euros')

    const rejecting = team({ requireApproval: true, onDelegationStart: () => ({ proceed: false }) })
    expect(await rejecting.agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'rejected' }],
    })
  })

  test('silence beyond approvalTimeout rejects it', async () => {
    const clock = virtualClock()
    const { agent, model, payer } = team({ requireApproval: true, approvalTimeout: 5_000 })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await run.whenIdle
    await clock.elapse(5_000)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'rejected', error: { code: 'APPROVAL_TIMEOUT' } }],
    })
    expect(payer.model.calls).toEqual([])
    expect(toldOfCalls(model, 2).join()).toContain('there was no answer within 5000 ms')
    expect(clock.pending).toBe(0)
  })

  test('its timeout stands still while it waits', async () => {
    const clock = virtualClock()
    const { agent } = team({ requireApproval: true, timeout: 1_000 })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await run.whenIdle
    await clock.elapse(3_600_000)
    await run.approve(id)
    expect(await run.result).toMatchObject({ delegations: [{ outcome: 'succeeded' }] })
    expect(clock.pending).toBe(0)
  })

  test('holds neither its siblings nor their places', async () => {
    const payer = worker('payer', [], { otherwise: 'Paid.' })
    const finder = worker('finder', ['Found.'])
    const { agent } = lead('lead', [calls(to('payer', 'Pay'), to('finder', 'Find')), 'Done.'], {
      agents: { payer: payer.agent, finder: finder.agent },
      toolCallConcurrency: 1,
      delegation: { requireApproval: ({ agentName }) => agentName === 'payer' },
    })
    const run = agent.stream('Go')
    await until(run, 'delegation-end', ({ payload }) => payload.agentName === 'finder')
    expect(payer.model.calls).toEqual([])
    await run.approve(id)
    expect((await run.result).delegations.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded'])
  })

  test('a cancel ends the wait', async () => {
    const { agent, payer } = team({ requireApproval: true })
    const run = agent.stream('Go')
    await run.whenIdle
    await run.cancel('Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(payer.model.calls).toEqual([])
    await expect(run.approve(id)).rejects.toMatchObject({ code: 'SIGNAL_TOO_LATE' })
  })

  test('decided always, the other delegations of that supervisor to that subagent follow', async () => {
    const payer = worker('payer', [], { otherwise: 'Paid.' })
    const { agent } = lead(
      'lead',
      [calls(to('payer', 'One')), calls(to('payer', 'Two')), calls(to('payer', 'Three')), 'Done.'],
      { agents: { payer: payer.agent }, delegation: { requireApproval: true }, maxSteps: 6 },
    )
    const approving = agent.stream('Go')
    await until(approving, 'tool-call-approval')
    await approving.approve(id, { always: true })
    expect((await approving.result).delegations.map(({ outcome }) => outcome)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
    ])
    expect(only(await allEvents(approving), 'tool-call-approval')).toHaveLength(1)
  })

  test('denied always, they are rejected', async () => {
    const payer = worker('payer', [], { otherwise: 'Paid.' })
    const { agent, model } = lead('lead', [calls(to('payer', 'One')), calls(to('payer', 'Two')), 'Done.'], {
      agents: { payer: payer.agent },
      delegation: { requireApproval: true },
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.deny(id, 'Never.', { always: true })
    expect((await run.result).delegations.map(({ outcome }) => outcome)).toEqual(['rejected', 'rejected'])
    expect(payer.model.calls).toEqual([])
    expect(toldOfCalls(model, 3).at(-1)).toContain('Delegation rejected: Never.')
  })

  test('in the background it holds the end of the run, and not the model', async () => {
    const payer = worker('payer', [], { otherwise: 'Paid.' })
    const { agent } = lead('lead', [calls(to('payer', 'Pay')), 'Draft.', 'Done.'], {
      agents: { payer: payer.agent },
      backgroundTasks: { payer: {} },
      delegation: { requireApproval: true },
    })
    const run = agent.stream('Go')
    expect(awaiting(await run.whenIdle)).toHaveLength(1)
    await run.approve(id)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})

describe('requireApproval as a function', () => {
  test('decides for each delegation, with the context of onDelegationStart', async () => {
    const seen: DelegationStartContext[] = []
    const { agent } = team({
      requireApproval: async (context) => {
        seen.push(context)
        return context.prompt.includes('20')
      },
      onDelegationStart: ({ prompt }) => ({ modifiedPrompt: `${prompt}!` }),
    })
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    await run.approve(id)
    await run.result
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({
      runId: run.id,
      delegationId: id,
      toolCallId: id,
      supervisorId: 'lead',
      agentName: 'payer',
      agentId: 'payer',
      prompt: 'Pay 20 euros!',
      args: { prompt: 'Pay 20 euros' },
      iteration: 1,
    })
  })

  test('that says no lets the delegation run', async () => {
    const { agent } = team({ requireApproval: () => false })
    expect(await agent.generate('Go')).toMatchObject({ delegations: [{ outcome: 'succeeded' }] })
  })

  test('that throws fails its delegation', async () => {
    const { agent, payer } = team({
      requireApproval: () => {
        throw new Error('no rule')
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'failed', error: { message: 'no rule' }, hookError: { message: 'no rule' } }],
    })
    expect(payer.model.calls).toEqual([])
  })

  test('that throws where that is ignored leaves the decision to a person', async () => {
    const { agent, payer } = team(
      {
        requireApproval: () => {
          throw new Error('no rule')
        },
      },
      { hookErrors: 'ignore' },
    )
    const run = agent.stream('Go')
    await until(run, 'tool-call-approval')
    expect(payer.model.calls).toEqual([])
    await run.approve(id)
    expect(await run.result).toMatchObject({
      delegations: [{ outcome: 'succeeded', hookError: { message: 'no rule' } }],
    })
  })

  test('that answers with nonsense fails its delegation', async () => {
    const { agent } = team({ requireApproval: () => 'perhaps' as never })
    expect(await agent.generate('Go')).toMatchObject({
      delegations: [{ outcome: 'failed', error: { code: 'INVALID_HOOK_RESULT' } }],
    })
  })

  test('a run may bring its own, or switch it off', async () => {
    const { agent, payer } = team({ requireApproval: () => true })
    expect(await agent.generate('Go', { delegation: { requireApproval: false } })).toMatchObject({
      outcome: 'completed',
    })
    expect(payer.model.calls).toHaveLength(1)
    const other = team({})
    expect(await other.agent.generate('Go', { delegation: { requireApproval: () => true } })).toMatchObject({
      outcome: 'suspended',
    })
  })

  test('given with the run, it is given again where the run goes on', async () => {
    const { agent, troupe } = team({})
    const requireApproval = () => false
    const run = await troupe.start(agent, 'Go', { delegation: { requireApproval } })
    await run.result
    await expect(troupe.fork(run.id, { at: 1 })).rejects.toThrow(
      /Hand them in again: delegation\.requireApproval/,
    )
  })
})

test('the start hook is given the supervisor that delegates, and its call', async () => {
  const seen: DelegationStartContext[] = []
  const { agent } = team({ onDelegationStart: (context) => void seen.push(context) })
  const result = await agent.generate('Go')
  expect(seen[0]).toMatchObject({ supervisorId: 'lead', toolCallId: id })
  expect(result.steps[0]?.toolCalls[0]?.id).toBe(id)
})
