/** What TrustGraph's specification says of message ids, of failures, and of the children of its supervisor. */
import {
  ConfigurationError,
  createAgent,
  createTroupe,
  memoryStore,
  textOf,
  type AnyAgent,
  type CallOptions,
  type DelegationOptions,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { fanOutDelegation, toTrustGraphChunks, type TrustGraphChunk } from 'troupe/trustgraph'
import { describe, expect, test } from 'vitest'
import { calls, lead, shown, to, worker } from '../support/agents/agents.ts'
import { divides, fanOut } from '../support/agents/fan-outs.ts'

async function chunksOf(chunks: AsyncIterable<TrustGraphChunk>): Promise<TrustGraphChunk[]> {
  const all: TrustGraphChunk[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

/** The messages of a run, as a client groups them. */
async function messagesOf(agent: AnyAgent, options: CallOptions = {}) {
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Go', options)
  const chunks = await chunksOf(toTrustGraphChunks(run.events))
  expect(chunks.filter(({ end_of_dialog }) => end_of_dialog)).toEqual([chunks.at(-1)])
  const groups = [...Map.groupBy(chunks, ({ message_id }) => message_id).values()]
  return groups.map((group) => {
    const { session_id, message_type } = group[0] as TrustGraphChunk
    expect(group.filter(({ end_of_message }) => end_of_message)).toEqual([group.at(-1)])
    const session = session_id.replace(run.id, 'run')
    return `${session} ${message_type}: ${group.map(({ content }) => content).join('')}`
  })
}

describe('message ids', () => {
  const poet = () =>
    createAgent({
      id: 'poet',
      model: scriptedModel([], {
        otherwise: ({ messages }) => `To ${textOf(messages.at(-1)?.content ?? '')}.`,
      }),
    })

  test('two runs on one topic have messages of their own', async () => {
    const agent = poet()
    const topics = await Promise.all(
      ['Ann', 'Bob'].map((name) => chunksOf(toTrustGraphChunks(agent.stream(name).events))),
    )
    const messages = new Map<string, string>()
    for (const { message_id, content } of topics.flat())
      messages.set(message_id, (messages.get(message_id) ?? '') + content)
    expect([...messages.values()]).toEqual(['To Ann.', 'To Bob.'])
  })

  test('a second reader, a replay, a restart and a run with the same id elsewhere have the same ones', async () => {
    const ids = async (events: Parameters<typeof toTrustGraphChunks>[0]) =>
      (await chunksOf(toTrustGraphChunks(events))).map(({ message_id }) => message_id)
    const store = memoryStore()
    const agent = poet()
    const first = createTroupe({ agents: [agent], store })
    const run = await first.start(agent, 'Ann', { runId: 'one' })
    const live = await ids(run.events)
    async function* replayed() {
      yield* (await first.replay('one')).events
    }
    expect(await ids(run.events)).toEqual(live)
    expect(await ids(replayed())).toEqual(live)
    await first.close()
    const second = createTroupe({ agents: [agent], store })
    expect(await ids((await second.resume('one')).events)).toEqual(live)
    const elsewhere = await createTroupe({ agents: [agent] }).start(agent, 'Ann', { runId: 'one' })
    expect(await ids(elsewhere.events)).toEqual(live)
    const other = await createTroupe({ agents: [agent] }).start(agent, 'Ann', { runId: 'two' })
    expect(await ids(other.events)).not.toEqual(live)
  })
})

describe('what has failed has a type of its own', () => {
  const broken = () => worker('broken', [{ error: new Error('The archive is closed.') }])

  test('a run that fails', async () => {
    expect(await messagesOf(broken().agent)).toEqual(['run error: The archive is closed.'])
  })

  test('a run that is refused', async () => {
    const refusing = worker('refusing', ['No.'], {
      outputProcessors: [{ id: 'guard', processOutput: ({ abort }) => abort('Not here.') }],
    })
    expect((await messagesOf(refusing.agent)).at(-1)).toBe('run error: Not here.')
  })

  test('a run that is cancelled, with its reason', async () => {
    const { promise } = Promise.withResolvers<void>()
    const slow = worker('slow', [{ text: 'Late.', until: promise }])
    const controller = new AbortController()
    const told = messagesOf(slow.agent, { signal: controller.signal })
    controller.abort(new Error('The user has left.'))
    expect(await told).toEqual(['run cancelled: The user has left.'])
  })

  test('a subagent that fails, in its own session; the run goes on to its answer', async () => {
    const { agent } = lead('lead', [calls(to('broken', 'Go')), 'Without it.'], {
      agents: { broken: broken().agent },
    })
    expect((await messagesOf(agent)).slice(-2)).toEqual([
      'run/lead/delegation:1.1/broken subagent-error: The archive is closed.',
      'run answer: Without it.',
    ])
  })

  test('a subagent that is too late', async () => {
    const { promise } = Promise.withResolvers<void>()
    const slow = worker('slow', [{ text: 'Late.', until: promise }])
    const { agent } = lead('lead', [calls(to('slow', 'Go')), 'Without it.'], {
      agents: { slow: slow.agent },
      delegation: { timeout: 20 },
    })
    expect(await messagesOf(agent)).toEqual([
      'run/lead/delegation:1.1/slow subagent-error: The agent "slow" did not finish within 20 ms.',
      'run answer: Without it.',
    ])
  })

  test('a rejected subagent has never worked, and says nothing', async () => {
    const { agent } = lead('lead', [calls(to('broken', 'Go')), 'Without it.'], {
      agents: { broken: broken().agent },
      delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'No.' }) },
    })
    expect(await messagesOf(agent)).toEqual(['run answer: Without it.'])
  })
})

describe('the children of a fan-out', () => {
  const desk = (delegation: DelegationOptions) => {
    const scout = worker('scout', [], {
      otherwise: ({ messages }) => {
        const goal = textOf(messages.at(-1)?.content ?? '')
        return goal === 'winds' ? { error: new Error('The archive is closed.') } : `About ${goal}.`
      },
    })
    const { agent, model } = fanOut('desk', [divides('tides', 'winds'), 'All told.'], {
      agents: { scout: scout.agent },
      maxRounds: 1,
      delegation,
    })
    const earlier = [
      { role: 'user' as const, content: 'I am Ann.' },
      { role: 'assistant' as const, content: 'Hello Ann.' },
      { role: 'user' as const, content: 'What moves the sea?' },
    ]
    return { scout: scout.model, model, run: () => agent.generate(earlier) }
  }
  const seenBy = (model: Parameters<typeof shown>[0]) => shown(model, 1).map(({ content }) => textOf(content))
  const synthesis = (model: Parameters<typeof shown>[0]) =>
    shown(model, 2)
      .map(({ content }) => textOf(content))
      .join('\n')

  test('begin without history, and the synthesis reads the words of an error', async () => {
    const { model, run, scout } = desk(fanOutDelegation())
    await run()
    expect(seenBy(scout)).toEqual(['I am scout.', 'tides'])
    expect(synthesis(model)).toContain(
      JSON.stringify(JSON.stringify({ error: 'The agent "scout" failed: The archive is closed.' })),
    )
  })

  test('see the conversation without these options, and no model reads the words', async () => {
    const { model, run, scout } = desk({})
    await run()
    expect(seenBy(scout)).toContain('I am Ann.')
    expect(synthesis(model)).not.toContain('The archive is closed.')
  })

  test('hooks that are given stand over the options', async () => {
    const seen: string[] = []
    const { model, run, scout } = desk(
      fanOutDelegation({
        messageFilter: ({ messages }) => messages.slice(0, 1),
        onDelegationComplete: ({ agentName, outcome }) => {
          seen.push(`${agentName} ${outcome}`)
          return outcome === 'failed' ? { resultText: 'Nothing on it.', feedback: 'Say so.' } : undefined
        },
      }),
    )
    await run()
    expect(seenBy(scout)).toEqual(['I am scout.', 'I am Ann.', 'tides'])
    expect(seen.toSorted()).toEqual(['scout failed', 'scout succeeded'])
    expect(synthesis(model)).toContain('Nothing on it.')
    expect(synthesis(model)).toContain('Say so.')
    expect(synthesis(model)).not.toContain('The archive is closed.')
  })

  test('a value that is no object is refused', () => {
    expect(() => fanOutDelegation('all' as never)).toThrow(ConfigurationError)
    expect(() => desk(fanOutDelegation({ onDelegationEnd: () => undefined } as never))).toThrow(
      'there is no option "onDelegationEnd"',
    )
  })
})
