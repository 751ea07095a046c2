/** What a receiver is shown of a run: every actor by its path, with its definition, and what becomes of it. */
import { createActor, createMachine, spawnChild, type AnyStateNode, type InspectionEvent } from 'xstate'
import {
  createScorer,
  createTool,
  createTroupe,
  RetryableError,
  type ChatModel,
  type JournalEntry,
} from 'troupe'
import { statelyInspector } from 'troupe/inspect-stately'
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { completionMachine } from '../../src/machines/completion.ts'
import { delegationMachine } from '../../src/machines/delegation.ts'
import { reactMachine } from '../../src/machines/react.ts'
import { supervisorMachine } from '../../src/machines/supervisor.ts'
import { toolCallMachine } from '../../src/machines/tool-call.ts'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { actorsIn, isRunEnd, namesIn } from './receivers.ts'

/** A lead with a scorer, whose researcher has a tool that fails once. */
function desk() {
  let attempts = 0
  const search = createTool({
    id: 'search',
    description: 'Searches.',
    inputSchema: z.object({ query: z.string() }),
    execute: () => {
      if (attempts++ === 0) throw new RetryableError('busy')
      return 'found'
    },
  })
  const researcher = worker('researcher', [calls({ name: 'search', args: { query: 'tea' } }), 'Notes.'], {
    tools: { search },
  })
  return lead('lead', [calls(to('researcher', 'Research tea')), 'Tea.', 'Tea is old.'], {
    agents: { researcher: researcher.agent },
    delegation: { onDelegationStart: () => ({ modifiedPrompt: 'Research tea well' }) },
    completion: {
      scorers: [createScorer({ id: 'old', score: ({ output }) => (output.includes('old') ? 1 : 0) })],
    },
  }).agent
}

const names = [
  'lead',
  'lead/model#1',
  'lead/delegation:1.1',
  'lead/delegation:1.1/hook:onDelegationStart#1',
  'lead/delegation:1.1/researcher',
  'lead/delegation:1.1/researcher/model#1',
  'lead/delegation:1.1/researcher/call:1.1',
  'lead/delegation:1.1/researcher/call:1.1/tool#1',
  'lead/delegation:1.1/researcher/call:1.1/timer:backoff#1',
  'lead/delegation:1.1/researcher/call:1.1/tool#2',
  'lead/delegation:1.1/researcher/model#2',
  'lead/model#2',
  'lead/completion:2',
  'lead/completion:2/timer:deadline#1',
  'lead/completion:2/scorer:0#1',
  'lead/model#3',
  'lead/completion:3',
  'lead/completion:3/timer:deadline#1',
  'lead/completion:3/scorer:0#1',
]

const machines = {
  lead: supervisorMachine(),
  'lead/delegation:1.1': delegationMachine(),
  'lead/delegation:1.1/researcher': reactMachine(),
  'lead/delegation:1.1/researcher/call:1.1': toolCallMachine(),
  'lead/completion:2': completionMachine(),
  'lead/completion:3': completionMachine(),
}

/** Runs the desk before a receiver that gets all as text, as over a network. */
async function inspectedRun() {
  const messages: StatelyInspectionEvent[] = []
  const inspector = statelyInspector({
    adapter: {
      send: (message) => void messages.push(JSON.parse(JSON.stringify(message)) as StatelyInspectionEvent),
    },
  })
  const created: string[] = []
  const inspect = (event: InspectionEvent): void => {
    if (event.type === '@xstate.actor') created.push(event.actorRef.sessionId)
    inspector.inspect(event)
  }
  const agent = desk()
  const troupe = createTroupe({ agents: [agent], inspect })
  const run = await troupe.start(agent, 'Write about tea')
  const { outcome, text } = await run.result
  await inspector.stop()
  expect(messages.some(isRunEnd)).toBe(true)
  expect({ outcome, text }).toEqual({ outcome: 'completed', text: 'Tea is old.' })
  return { troupe, run, created, messages }
}

describe('a run before a receiver', () => {
  const ran = inspectedRun()

  test('every actor that XState made arrives, under its path', async () => {
    const { run, created, messages } = await ran
    expect(namesIn(messages)).toEqual([`run ${run.id}`, ...names])
    expect(actorsIn(messages).map(({ sessionId }) => sessionId)).toEqual(created)
  })

  test('every actor names its parent: the one whose path it continues', async () => {
    const { run, messages } = await ran
    const actors = actorsIn(messages)
    const parents = actors.map(
      ({ parentId }) => actors.find(({ sessionId }) => sessionId === parentId)?.name ?? 'nobody',
    )
    const expected = names.map((name) => (name === 'lead' ? `run ${run.id}` : name.replace(/\/[^/]*$/, '')))
    expect(parents).toEqual(['nobody', ...expected])
    expect(new Set(messages.map(({ rootId }) => rootId))).toEqual(new Set([actors[0]?.sessionId]))
  })

  test('every machine arrives with its definition: the same states with the same descriptions', async () => {
    const { messages } = await ran
    const defined = actorsIn(messages).filter(({ definition }) => 'states' in parsed(definition))
    expect(defined.map(({ name }) => name)).toEqual(Object.keys(machines))
    for (const { name, definition } of defined) {
      const received = createMachine(parsed(definition))
      const original = machines[name as keyof typeof machines]
      expect(received.id).toBe(original.id)
      expect(descriptions(received.root)).toEqual(descriptions(original.root))
      expect(new Set(received.events)).toEqual(new Set(original.events))
    }
  })

  test('what is no machine says what it is', async () => {
    const { run, messages } = await ran
    const definitions = Object.fromEntries(
      actorsIn(messages).map(({ name, definition }) => [name, parsed(definition)]),
    )
    expect(definitions[`run ${run.id}`]).toEqual({
      id: `run ${run.id}`,
      description: 'A run: its child is the root agent.',
    })
    expect(definitions['lead/model#2']).toEqual({
      id: 'lead/model#2',
      description: 'An effect of the kind "model": performed outside of the machines.',
    })
  })

  test('effects are named as in the journal', async () => {
    const { troupe, run } = await ran
    const keys = (await troupe.journal(run.id)).flatMap(keyOf)
    const effects = names.filter((name) => name.includes('#'))
    expect(effects.filter((name) => !name.includes('timer:deadline')).toSorted()).toEqual(keys.toSorted())
  })

  test('the states of each machine arrive in their order, from the first', async () => {
    const { messages } = await ran
    const states = statesByName(messages)
    expect(states['lead']).toEqual([
      { thinking: 'calling' },
      { acting: 'working' },
      { thinking: 'calling' },
      { scoring: 'working' },
      { thinking: 'calling' },
      { scoring: 'working' },
      'completed',
    ])
    expect(states['lead/delegation:1.1']).toEqual([
      { authorising: 'askingStartHook' },
      { working: 'running' },
      'succeeded',
    ])
    expect(states['lead/delegation:1.1/researcher/call:1.1']).toEqual([
      'executing',
      'retrying',
      'executing',
      'succeeded',
    ])
  })

  test('the events arrive with who sent them and who got them', async () => {
    const { messages } = await ran
    const name = new Map(actorsIn(messages).map((actor) => [actor.sessionId, actor.name]))
    const events = messages.flatMap((message) =>
      message.type === '@xstate.event' && message.event.type.startsWith('xstate.done.actor.')
        ? [`${name.get(message.sourceId ?? '')} → ${name.get(message.sessionId)}: ${message.event.type}`]
        : [],
    )
    expect(events).toContain(
      'lead/delegation:1.1/researcher → lead/delegation:1.1: xstate.done.actor.researcher',
    )
    expect(events).toContain('lead/delegation:1.1 → lead: xstate.done.actor.delegation:1.1')
    expect(events.at(-1)).toMatch(/^lead → run .*: xstate\.done\.actor\.lead$/)
  })

  test('an effect shows what was asked for and what came back', async () => {
    const { messages } = await ran
    const tool = actorsIn(messages).find(({ name }) => name.endsWith('/tool#2'))
    expect(tool?.snapshot).toEqual({
      status: 'active',
      context: {
        kind: 'tool',
        input: {
          agent: 'researcher',
          tool: 'search',
          callId: 'lead/delegation:1.1/researcher/call:1.1',
          args: { query: 'tea' },
          hookTimeout: 60_000,
        },
      },
    })
    const snapshots = messages.filter(
      (message) => message.type === '@xstate.snapshot' && message.sessionId === tool?.sessionId,
    )
    expect(snapshots.at(-1)).toMatchObject({
      snapshot: { status: 'done', output: { type: 'returned', value: 'found' } },
    })
  })

  test('a replay shows the same actors in the same states', async () => {
    const { troupe, run, messages } = await ran
    const replayed: StatelyInspectionEvent[] = []
    const inspector = statelyInspector({ adapter: { send: (message) => void replayed.push(message) } })
    await troupe.replay(run.id, { inspect: inspector.inspect })
    await inspector.stop()
    expect(namesIn(replayed)).toEqual(namesIn(messages))
    expect(statesByName(replayed)).toEqual(statesByName(messages))
  })
})

test('two runs at once are two trees of the same names', async () => {
  const messages: StatelyInspectionEvent[] = []
  const inspector = statelyInspector({ adapter: { send: (message) => void messages.push(message) } })
  const { agent } = worker('scout', ['One.', 'Two.'])
  const troupe = createTroupe({ agents: [agent], inspect: inspector.inspect })
  const runs = await Promise.all([troupe.start(agent, 'Go'), troupe.start(agent, 'Go on')])
  await Promise.all(runs.map((run) => run.result))
  await inspector.stop()
  const roots = new Set(messages.map(({ rootId }) => rootId))
  expect(roots.size).toBe(2)
  const trees = Array.from(roots, (root) => namesIn(messages.filter(({ rootId }) => rootId === root)))
  expect(trees).toEqual(runs.map(({ id }) => [`run ${id}`, 'scout', 'scout/model#1']))
})

test('actors of the user are named by their ids, or by their machines', async () => {
  const messages: StatelyInspectionEvent[] = []
  const inspector = statelyInspector({ adapter: { send: (message) => void messages.push(message) } })
  const ticket = createMachine({
    id: 'ticket',
    description: 'A ticket.',
    initial: 'open',
    states: { open: {} },
  })
  const app = createMachine({
    id: 'app',
    initial: 'busy',
    states: { busy: { invoke: { id: 'first', src: ticket } } },
    entry: spawnChild(ticket),
  })
  createActor(app, { inspect: inspector.inspect }).start()
  await inspector.stop()
  expect(namesIn(messages)).toEqual(['app', 'app/ticket', 'app/first'])
  expect(actorsIn(messages).map(({ definition }) => parsed(definition).description)).toEqual([
    undefined,
    'A ticket.',
    'A ticket.',
  ])
})

describe('what is shown of a context', () => {
  test('a long conversation costs no more than a short one', async () => {
    const messages: StatelyInspectionEvent[] = []
    const inspector = statelyInspector({ adapter: { send: (message) => void messages.push(message) } })
    const note = createTool({
      id: 'note',
      description: 'Notes.',
      inputSchema: z.object({}),
      execute: () => 'noted '.repeat(100),
    })
    const { agent } = worker(
      'scribe',
      [...Array.from({ length: 60 }, () => calls({ name: 'note', args: {} })), 'Done.'],
      {
        tools: { note },
        maxSteps: 100,
      },
    )
    const troupe = createTroupe({ agents: [agent], inspect: inspector.inspect })
    await (
      await troupe.start(agent, 'Go')
    ).result
    await inspector.stop()

    const thinking = messages.flatMap((message) => {
      if (message.type !== '@xstate.snapshot') return []
      const { value, context } = message.snapshot as { value?: { thinking?: string }; context?: Shown }
      return value?.thinking === 'calling' && context !== undefined
        ? [{ context, size: JSON.stringify(message).length }]
        : []
    })
    expect(thinking.map(({ context }) => context.messages.length)).toEqual(
      Array.from({ length: 61 }, (_, step) => 2 + 2 * step),
    )
    expect(thinking.at(-1)?.context.messages).toEqual({
      length: 122,
      last: { role: 'tool', toolCallId: 'scripted-60-1', toolName: 'note', content: 'noted '.repeat(100) },
    })
    const sizes = thinking.slice(10).map(({ size }) => size)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(20) // the digits of the numbers in it
  })

  interface Shown {
    readonly messages: { readonly length: number; readonly last: unknown }
  }

  test('what stands behind a run is not: no engine, no definitions, no models', async () => {
    const messages: StatelyInspectionEvent[] = []
    const inspector = statelyInspector({ adapter: { send: (message) => void messages.push(message) } })
    const { agent, model } = worker('scout', ['Done.'])
    Object.assign(model satisfies ChatModel, { apiKey: 'sk-secret' })
    const troupe = createTroupe({ agents: [agent], inspect: inspector.inspect })
    await (
      await troupe.start(agent, 'Go')
    ).result
    await inspector.stop()
    const start = messages.find(
      ({ type, sessionId, rootId }) => type === '@xstate.event' && sessionId === rootId,
    )
    expect(start).toMatchObject({ event: { type: 'xstate.init', input: { door: '[RunState]' } } })
    expect(JSON.stringify(messages)).not.toContain('sk-secret')
    expect(Math.max(...messages.map((message) => JSON.stringify(message).length))).toBeLessThan(30_000)
  })
})

describe('filter and sanitize', () => {
  test('a filter holds messages back, sanitize has the last word on the rest', async () => {
    const messages: StatelyInspectionEvent[] = []
    const inspector = statelyInspector({
      adapter: { send: (message) => void messages.push(message) },
      filter: ({ type }) => type === '@xstate.actor',
      sanitize: (message) => ({ ...message, snapshot: { status: 'active' } }) as StatelyInspectionEvent,
    })
    const { agent } = worker('scout', ['Done.'])
    const run = await createTroupe({ agents: [agent], inspect: inspector.inspect }).start(agent, 'My secret')
    await run.result
    await inspector.stop()
    expect(namesIn(messages)).toEqual([`run ${run.id}`, 'scout', 'scout/model#1'])
    expect(messages.length).toBe(3)
    expect(JSON.stringify(messages)).not.toContain('My secret')
  })
})

function parsed(definition: string | undefined): Parameters<typeof createMachine>[0] {
  return JSON.parse(definition ?? '{}') as Parameters<typeof createMachine>[0]
}

function keyOf(entry: JournalEntry): string[] {
  return entry.type === 'effect.settled' || entry.type === 'timer.fired' ? [entry.key] : []
}

/** The description of every state, by its path. */
function descriptions(node: AnyStateNode): Record<string, string | undefined> {
  const own = { [node.path.join('.')]: node.description }
  return Object.assign(own, ...Object.values(node.states).map(descriptions)) as typeof own
}

/** The states of each machine, without repetitions. */
function statesByName(messages: readonly StatelyInspectionEvent[]): Record<string, unknown[]> {
  const names = new Map(actorsIn(messages).map(({ sessionId, name }) => [sessionId, name]))
  const states: Record<string, unknown[]> = {}
  for (const message of messages) {
    if (message.type === '@xstate.event') continue
    const { value } = message.snapshot as { value?: unknown }
    if (value === undefined) continue
    const shown = (states[names.get(message.sessionId) ?? ''] ??= [])
    if (JSON.stringify(shown.at(-1)) !== JSON.stringify(value)) shown.push(value)
  }
  return states
}
