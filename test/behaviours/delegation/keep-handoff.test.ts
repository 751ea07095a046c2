/** `keepHandoff`: a run in a thread goes on with the agent that held its conversation last. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  type AgentDefinition,
  type HandoffFilterContext,
  type Message,
  type ProcessInputContext,
  type Run,
  textOf,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { toProvenance } from 'troupe/provenance'
import { scriptedModel, type ScriptedReply } from 'troupe/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'
import { transfer } from '../../support/agents/handoffs.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'

let folder: TemporaryFolder

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(() => folder[Symbol.dispose]())

type Reply = string | ScriptedReply

const said = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => `${role}: ${textOf(content)}`)
const pathsOf = async (run: Run) => only(await allEvents(run), 'step-start').map(({ path }) => path)

/** Of the handoff that a thread goes on with. */
const resumed = { from: 'desk', to: 'billing', resumed: true }

/** A desk, billing and a lawyer; the desk hands to billing, billing to both others. They share one list of replies. */
function office(more: object = {}, ofBilling: object = {}) {
  const next: Reply[] = []
  const model = (id: string) =>
    scriptedModel([], { modelId: id, otherwise: () => next.shift() ?? `The ${id} has no reply left.` })
  const models = { desk: model('desk'), billing: model('billing'), lawyer: model('lawyer') }
  const desk: AgentDefinition = createAgent({
    id: 'desk',
    description: 'Begins.',
    instructions: 'Help.',
    model: models.desk,
    memory: true,
    keepHandoff: true,
    handoffs: [(): AgentDefinition => billing],
    ...more,
  })
  const lawyer = createAgent({
    id: 'lawyer',
    description: 'Sues.',
    instructions: 'Sue.',
    model: models.lawyer,
  })
  const billing = createAgent({
    id: 'billing',
    description: 'Pays.',
    instructions: 'Pay.',
    model: models.billing,
    handoffs: [desk, lawyer],
    ...ofBilling,
  })
  const troupe = createTroupe({ agents: [desk, billing, lawyer] })
  const say = async (prompt: string, ...replies: readonly Reply[]) => {
    next.push(...replies)
    const run = await troupe.start(desk, prompt, { threadId: 't1' })
    const result = await run.result
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(next).toEqual([])
    return { run, result }
  }
  return { models, say, troupe, desk, billing }
}

describe('a thread that was handed on', () => {
  test('goes on with the successor, and the model of the first agent is not called', async () => {
    const { models, say } = office()
    await say('Refund me', calls(transfer('billing')), 'Which order?')
    const { run, result } = await say('Order 7', 'Done.')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', by: 'billing', handoffs: [resumed] })
    expect(result.steps).toHaveLength(1)
    expect(models.desk.calls).toHaveLength(1)
    expect(said(shown(models.billing, 2))).toEqual([
      'system: Pay.',
      'user: Refund me',
      'assistant: Which order?',
      'user: Order 7',
    ])
    const events = await allEvents(run)
    expect(only(events, 'handoff').map(({ payload, path }) => ({ payload, path }))).toEqual([
      { payload: resumed, path: 'desk' },
    ])
    expect(await pathsOf(run)).toEqual(['billing~1'])
  })

  test('keeps the answers of both in the thread', async () => {
    const { say, troupe } = office()
    await say('Refund me', calls(transfer('billing')), 'Which order?')
    await say('Order 7', 'Done.')
    const messages = await troupe.memory.messages('t1')
    expect(messages.map(({ content, agent }) => [content, agent])).toEqual([
      ['Refund me', undefined],
      ['Which order?', 'billing'],
      ['Order 7', undefined],
      ['Done.', 'billing'],
    ])
  })

  test('goes on with the last of several', async () => {
    const { models, say } = office()
    await say('One', calls(transfer('billing')), calls(transfer('lawyer')), 'The law says no.')
    const { run, result } = await say('Two', 'Still no.')
    expect(result).toMatchObject({ by: 'lawyer', text: 'Still no.' })
    expect(result.handoffs).toEqual([{ from: 'desk', to: 'lawyer', resumed: true }])
    expect(await pathsOf(run)).toEqual(['lawyer~1'])
    expect(models.desk.calls).toHaveLength(1)
    expect(models.billing.calls).toHaveLength(1)
  })

  test('may be handed further, and back', async () => {
    const { models, say } = office()
    await say('One', calls(transfer('billing')), 'Which order?')
    const { run, result } = await say('Two', calls(transfer('desk')), 'Desk again.')
    expect(result).toMatchObject({ text: 'Desk again.', by: 'desk' })
    expect(result.handoffs).toEqual([resumed, { from: 'billing', to: 'desk' }])
    expect(await pathsOf(run)).toEqual(['billing~1', 'desk~2'])
    expect((await say('Three', 'Yes?')).result).not.toHaveProperty('handoffs')
    expect(models.desk.calls).toHaveLength(3)
  })

  test('stays with the agent of the last answer after a run without one', async () => {
    const { say } = office()
    await say('One', calls(transfer('billing')), 'Which order?')
    const refused = await say('Two', calls(transfer('lawyer')), { text: 'No.', finishReason: 'refusal' })
    expect(refused.result).toMatchObject({ outcome: 'failed', by: 'lawyer' })
    expect((await say('Three', 'Done.')).result).toMatchObject({ by: 'billing', text: 'Done.' })
  })
})

describe('what is not kept', () => {
  test('another thread begins with the agent itself', async () => {
    const { say, troupe, desk, models } = office()
    await say('One', calls(transfer('billing')), 'Which order?')
    const run = await troupe.start(desk, 'Hello', { threadId: 't2' })
    expect(await run.result).not.toHaveProperty('handoffs')
    expect(models.desk.calls).toHaveLength(2)
  })

  test('without the option each run begins with the agent itself', async () => {
    const { models, say } = office({ keepHandoff: false })
    await say('One', calls(transfer('billing')), 'Which order?')
    expect((await say('Two', 'Desk here.')).result).not.toHaveProperty('handoffs')
    expect(models.desk.calls).toHaveLength(2)
  })

  test('a run that remembers nothing begins with the agent itself', async () => {
    const { models, say, troupe, desk } = office()
    await say('One', calls(transfer('billing')), 'Which order?')
    const run = await troupe.start(desk, 'Two', { memory: false } as object)
    expect(await run.result).not.toHaveProperty('handoffs')
    expect(models.desk.calls).toHaveLength(2)
  })

  test('an agent to which no handoff leads does not go on', async () => {
    const { models, say, troupe } = office()
    await troupe.memory.save('t1', [
      { id: '1', role: 'user', content: 'Hi', at: 1 },
      { id: '2', role: 'assistant', content: 'Hello.', agent: 'stranger', at: 2 },
    ])
    expect((await say('One', 'Hello.')).result).not.toHaveProperty('handoffs')
    expect(models.desk.calls).toHaveLength(1)
  })

  test('a subagent that bailed with the answer does not go on, though it is a successor too', async () => {
    const helper = worker('helper', [], { otherwise: 'Helped.' })
    const model = scriptedModel([calls(to('helper', 'Help')), 'Lead here.'])
    const boss = createSupervisor({
      id: 'boss',
      description: 'Leads.',
      model,
      memory: true,
      keepHandoff: true,
      agents: { helper: helper.agent },
      handoffs: [helper.agent],
      delegation: { onDelegationComplete: ({ bail }) => bail() },
    })
    const troupe = createTroupe({ agents: [boss] })
    const first = await troupe.start(boss, 'One', { threadId: 't1' })
    expect(await first.result).toMatchObject({ outcome: 'bailed', by: 'helper' })
    expect((await troupe.memory.messages('t1')).at(-1)).toMatchObject({ agent: 'helper', holder: 'boss' })
    const second = await troupe.start(boss, 'Two', { threadId: 't1' })
    expect(await second.result).toMatchObject({ outcome: 'completed', text: 'Lead here.' })
  })
})

describe('a handoff that a thread goes on with', () => {
  test('is none of maxHandoffs, of the first agent or of the successor', async () => {
    const { say } = office({ maxHandoffs: 1 })
    await say('One', calls(transfer('billing')), 'Which order?')
    expect((await say('Two', calls(transfer('lawyer')), 'No.')).result).toMatchObject({
      outcome: 'completed',
      by: 'lawyer',
    })
    const capped = office({}, { maxHandoffs: 1 })
    await capped.say('One', calls(transfer('billing')), 'Which order?')
    const { result } = await capped.say('Two', calls(transfer('desk')), calls(transfer('billing')), 'Enough.')
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'handoffs', by: 'desk', text: 'Enough.' })
  })

  test('follows the input processors of the first agent', async () => {
    const { models, say } = office({
      inputProcessors: [
        {
          id: 'guard',
          processInput: ({ task, abort }: ProcessInputContext) =>
            task === 'Bad' ? abort('Not that.') : undefined,
        },
      ],
    })
    await say('One', calls(transfer('billing')), 'Which order?')
    expect((await say('Bad')).result).toMatchObject({ outcome: 'tripped', reason: 'Not that.' })
    expect(models.billing.calls).toHaveLength(1)
    expect((await say('Good', 'Done.')).result).toMatchObject({ outcome: 'completed', by: 'billing' })
  })

  test('is filtered like any other', async () => {
    const seen: unknown[] = []
    const { models, say } = office({
      handoffFilter: ({ from, to, resumed, messages }: HandoffFilterContext) => {
        seen.push([from, to, resumed])
        return messages.slice(-1)
      },
    })
    await say('One', calls(transfer('billing')), 'Which order?')
    await say('Two', 'Done.')
    expect(seen).toEqual([
      ['desk', 'billing', undefined],
      ['desk', 'billing', true],
    ])
    expect(said(shown(models.billing, 2))).toEqual(['system: Pay.', 'user: Two'])
  })

  test('is observed by onFinish of the first agent', async () => {
    const seen: unknown[] = []
    const { say } = office({
      onFinish: ({ outcome, handoffs }: { outcome: string; handoffs?: unknown }) => {
        seen.push([outcome, handoffs])
      },
    })
    await say('One', calls(transfer('billing')), 'Which order?')
    await say('Two', 'Done.')
    expect(seen.at(-1)).toEqual(['handedOff', [resumed]])
  })

  test('is a choice that no model made, in the provenance', async () => {
    const { say } = office()
    await say('One', calls(transfer('billing')), 'Which order?')
    const { run } = await say('Two', 'Done.')
    const { quads } = toProvenance(await allEvents(run))
    const criteria = quads.filter(({ predicate }) => predicate.value.endsWith('criterion'))
    expect(criteria.map(({ object }) => object.value)).toEqual(['goes on with a conversation'])
  })
})

describe('it takes effect in', () => {
  test('a delegation in a thread that goes on', async () => {
    const billing = worker('billing', ['Which order?', 'Done.'])
    const desk = worker('desk', [calls(transfer('billing'))], {
      memory: true,
      keepHandoff: true,
      handoffs: [billing.agent],
    })
    const boss = lead(
      'boss',
      [
        calls(to('desk', 'Refund them', { threadId: 't1' })),
        calls(to('desk', 'Order 7', { threadId: 't1' })),
        'So.',
      ],
      { agents: { desk: desk.agent } },
    )
    const { delegations } = await boss.agent.generate('Go')
    expect(delegations.map(({ text, by, handoffs }) => ({ text, by, handoffs }))).toEqual([
      { text: 'Which order?', by: 'billing', handoffs: [{ from: 'desk', to: 'billing' }] },
      { text: 'Done.', by: 'billing', handoffs: [resumed] },
    ])
    expect(desk.model.calls).toHaveLength(1)
  })

  test('an agent whose successors a function of the run names', async () => {
    const { models, say, billing } = office({ handoffs: (_run: unknown) => [billingOf()] })
    const billingOf = () => billing
    await say('One', calls(transfer('billing')), calls(transfer('lawyer')), 'No.')
    expect((await say('Two', 'Still no.')).result).toMatchObject({ by: 'lawyer' })
    expect(models.desk.calls).toHaveLength(1)
  })

  test('a thread in SQLite, also where messages follow the answer', async () => {
    const billing = worker('billing', ['Which order?', 'Done.'])
    const desk = worker('desk', [calls(transfer('billing'))], {
      memory: { lastMessages: 0 },
      keepHandoff: true,
      handoffs: [billing.agent],
    })
    const store = sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
    const troupe = createTroupe({ agents: [desk.agent], store })
    await (
      await troupe.start(desk.agent, 'Refund me', { threadId: 't1' })
    ).result
    await troupe.memory.save('t1', [{ id: 'note', role: 'user', content: 'A note.', at: 3 }])
    const run = await troupe.start(desk.agent, 'Order 7', { threadId: 't1' })
    expect(await run.result).toMatchObject({ text: 'Done.', handoffs: [resumed] })
    expect(said(shown(billing.model, 2))).toEqual(['system: I am billing.', 'user: Order 7'])
    await troupe.close()
    await store.close()
  })
})

describe('it is refused', () => {
  test.for<readonly [string, object, RegExp]>([
    ['without memory', { handoffs: [worker('other', []).agent] }, /keepHandoff needs memory/],
    ['without handoffs', { memory: true }, /keepHandoff and handoffFilter mean nothing without handoffs/],
  ])('%s', ([, more, message]) => {
    expect(() => createAgent({ id: 'a', model: scriptedModel([]), keepHandoff: true, ...more })).toThrow(
      message,
    )
  })
})
