/** Every pattern nested in every other: right answers, usage that adds up, one tree of events, and an equal replay. */
import { createAgent, createReflexion, type RunEvent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { formatExplanation, provenanceOf, why } from 'troupe/provenance'
import { toTrustGraphChunks, type TrustGraphChunk } from 'troupe/trustgraph'
import { describe, expect, test } from 'vitest'
import { only } from '../../support/agents/agents.ts'
import { chains, pairs, playNesting, type PlayedNesting } from '../../support/agents/nestings.ts'
import { patterns, patternTree, single } from '../../support/agents/pattern-tree.ts'
import { provProblems } from '../../support/prov.ts'

/** What must hold of each run, whatever its patterns. */
const checks: readonly ((played: PlayedNesting) => void | Promise<void>)[] = [
  expectAnswer,
  expectUsage,
  expectTree,
  expectNoActorLeft,
  expectChunks,
  expectEqualReplay,
  expectProvenance,
]

function expectAnswer({ tree, result, events }: PlayedNesting): void {
  expect(result).toMatchObject({ outcome: 'completed', text: tree.answer })
  expect(tree.answer).toContain('gold')
  const streamed = only(events, 'text-delta').filter(({ delegationId }) => delegationId === undefined)
  expect(streamed.map(({ payload }) => payload.text).join('')).toBe(tree.answer)
  const finals = events.filter(({ final }) => final === true)
  expect(finals).toEqual([events.at(-1)])
  expect(finals[0]).toMatchObject({ type: 'run-finish', path: tree.agent.id })
}

/** One connected graph, in which the answer leads back to the question through everybody who worked on it. */
async function expectProvenance({ tree, troupe, runId, events }: PlayedNesting): Promise<void> {
  const graph = await provenanceOf(troupe, runId)
  expect(provProblems(graph.quads)).toEqual([])
  const explanation = formatExplanation(why(graph))
  expect(explanation.split('\n').at(-1)?.trim()).toBe('question: "Find it."')
  expect(explanation.split('\n')[0]).toBe(`${tree.agent.id} (completed)`)
  for (const { payload } of only(events, 'delegation-end')) {
    expect(explanation).toContain(`completion of ${payload.agentId} (succeeded)`)
  }
}

/** Each call of a scripted model costs 15 tokens. */
function expectUsage({ tree, result }: PlayedNesting): void {
  const spent = [...tree.models].flatMap(([id, { calls }]) =>
    calls.length === 0 ? [] : [[id, calls.length * 15] as const],
  )
  const { byAgent, totalTokens } = result.usage
  const told = Object.entries(byAgent).map(([id, usage]) => [id, usage.totalTokens] as const)
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(spent))
  expect(totalTokens).toBe(spent.reduce((sum, [, tokens]) => sum + tokens, 0))
}

/** Each delegation has one start and then one end, and whatever happens below it happens in between. */
function expectTree({ tree, events }: PlayedNesting): void {
  const root = tree.agent.id
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const { path, type, delegationId = '' } of events) {
    expect(path === root || path.startsWith(`${root}/`)).toBe(true)
    const above = path.split('/').flatMap((segment, index, segments) => {
      return segment.startsWith('delegation:') ? [segments.slice(0, index + 1).join('/')] : []
    })
    if (type === 'delegation-start') {
      expect(seen.has(delegationId)).toBe(false)
      seen.add(delegationId)
      open.add(delegationId)
    }
    for (const delegation of above) expect(open).toContain(delegation)
    if (type === 'delegation-end') expect(open.delete(delegationId)).toBe(true)
  }
  expect([...open]).toEqual([])
  expect(only(events, 'delegation-end').every(({ payload }) => payload.outcome === 'succeeded')).toBe(true)
}

/** Every child was stopped when it had reported. */
function expectNoActorLeft({ leftOver }: PlayedNesting): void {
  expect(leftOver).toEqual([])
}

/** As TrustGraph streams it: each message ends once, with its last part, and the dialog with its last message. */
async function expectChunks({ events, result, runId }: PlayedNesting): Promise<void> {
  const chunks: TrustGraphChunk[] = []
  for await (const chunk of toTrustGraphChunks(streamOf(events))) chunks.push(chunk)
  for (const parts of Map.groupBy(chunks, ({ message_id }) => message_id).values()) {
    expect(parts.map(({ end_of_message }) => end_of_message)).toEqual(
      parts.map((_, at) => at === parts.length - 1),
    )
    expect(new Set(parts.map(({ session_id, message_type }) => `${session_id} ${message_type}`)).size).toBe(1)
  }
  expect(chunks.filter(({ end_of_dialog }) => end_of_dialog)).toEqual([chunks.at(-1)])
  const answer = chunks.filter(({ message_id }) => message_id === chunks.at(-1)?.message_id)
  expect(answer.map(({ content }) => content).join('')).toBe(result.text)
  expect(chunks.at(-1)).toMatchObject({ session_id: runId, message_type: 'answer' })
}

async function* streamOf(events: readonly RunEvent[]) {
  yield* events
}

async function expectEqualReplay({ tree, troupe, runId, result, events }: PlayedNesting): Promise<void> {
  const before = [...tree.models.values()].map(({ calls }) => calls.length)
  const replay = await troupe.replay(runId)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  expect([...tree.models.values()].map(({ calls }) => calls.length)).toEqual(before)
}

const named = (nestings: typeof pairs) => nestings.map((nesting) => [nesting.join(' > '), nesting] as const)

test('there are nine patterns, and a run of each alone', async () => {
  expect(patterns).toHaveLength(9)
  for (const pattern of patterns) {
    const played = await playNesting([pattern])
    for (const check of checks) await check(played)
  }
})

describe('pairs', () => {
  test.each(named(pairs))('%s', async (_name, nesting) => {
    const played = await playNesting(nesting)
    const [outer = '', inner = ''] = nesting
    expect(played.result.usage.byAgent).toHaveProperty(`${outer}-0`)
    if (!['meta-router', 'dispatch'].includes(outer)) expect(played.result.text).toMatch(`«${outer}-0:`)
    expect(played.events.map(({ agent }) => agent)).toContain(`${inner}-1`)
    for (const check of checks) await check(played)
  })

  test.each(single)('%s has tools, and no subagents', (pattern) => {
    const { agent } = patternTree(['react'])
    const create = pattern === 'react' ? createAgent : createReflexion
    const config = { id: 'lone', instructions: '', model: scriptedModel([]), agents: { agent } }
    expect(() => create(config)).toThrow('there is no option "agents"')
  })
})

describe('chains', () => {
  test.each(named(chains))('%s', async (_name, nesting) => {
    const played = await playNesting(nesting)
    for (const check of checks) await check(played)
  })
})
