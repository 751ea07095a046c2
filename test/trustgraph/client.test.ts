/** A client that groups chunks by `message_id`, as the specification tells it to, reads every run. */
import { createFanOut, createScorer, createTool, createTroupe, type AnyAgent, type RunEvent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { toTrustGraphChunks, type TrustGraphChunk, type TrustGraphChunkOptions } from 'troupe/trustgraph'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { divides, enough } from '../support/agents/fan-outs.ts'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `all about ${q}`,
})

interface Message {
  readonly session: string
  type: string
  text: string
  isEnded: boolean
}

/** Assembles messages; fails where the stream breaks a promise of the protocol. */
class Client {
  readonly messages = new Map<string, Message>()
  isOver = false

  read(chunk: TrustGraphChunk, liveText = false): void {
    expect(this.isOver).toBe(false)
    const { message_id, session_id: session, message_type: type } = chunk
    const message = this.messages.get(message_id) ?? { session, type, text: '', isEnded: false }
    this.messages.set(message_id, message)
    expect(message.isEnded).toBe(false)
    expect(session).toBe(message.session)
    const mayTurn = liveText && chunk.end_of_message && message.type === 'answer' && type === 'thought'
    if (!mayTurn) expect(type).toBe(message.type)
    message.type = type
    message.text += chunk.content
    message.isEnded = chunk.end_of_message
    this.isOver = chunk.end_of_dialog
    if (chunk.end_of_dialog) expect(chunk.end_of_message).toBe(true)
  }

  get lines(): string[] {
    return Array.from(this.messages.values(), ({ session, type, text }) => `${session} ${type}: ${text}`)
  }
}

async function read(agent: AnyAgent, options: TrustGraphChunkOptions = {}): Promise<Client> {
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Go', { conversationId: 'talk' })
  const client = new Client()
  for await (const chunk of toTrustGraphChunks(run.events, options)) {
    expect(chunk.conversation_id).toBe('talk')
    client.read({ ...chunk, session_id: chunk.session_id.replace(run.id, 'run') }, options.liveText)
  }
  expect(client.isOver).toBe(true)
  expect([...client.messages.values()].every(({ isEnded }) => isEnded)).toBe(true)
  return client
}

const scouting = () =>
  lead(
    'lead',
    [
      { reasoning: 'Who knows?', text: 'Let me ask.', ...calls(to('scout', 'Tides?')) },
      { reasoning: 'So it is.', text: 'Twice a day, mostly.' },
    ],
    {
      agents: {
        scout: worker(
          'scout',
          [
            { reasoning: 'I must look.', text: 'I look.', ...calls({ name: 'look', args: { q: 'tides' } }) },
            'Tides come twice.',
          ],
          { tools: { look } },
        ).agent,
      },
    },
  ).agent

const scout = 'run/lead/delegation:1.1/scout'
const dialog = [
  'run thought: Who knows?',
  'run thought: Let me ask.',
  `${scout} thought: I must look.`,
  `${scout} thought: I look.`,
  `${scout} action: {"name":"look","args":{"q":"tides"}}`,
  `${scout} observation: all about tides`,
  `${scout} answer: Tides come twice.`,
  'run thought: So it is.',
  'run answer: Twice a day, mostly.',
]

test('each thought, call, observation and answer is one message, in the order of the run', async () => {
  expect((await read(scouting())).lines).toEqual(dialog)
})

test('with liveText as well: the end of a message decides what it was', async () => {
  expect((await read(scouting(), { liveText: true })).lines).toEqual(dialog)
})

test('an answer that is not accepted is a message of its own, and does not end the dialog', async () => {
  const judge = createScorer({ id: 'long', score: ({ output }) => (output.length > 10 ? 1 : 0) })
  const { agent } = lead('lead', ['Short.', 'Long enough, I hope.'], { completion: { scorers: [judge] } })
  expect((await read(agent)).lines).toEqual(['run answer: Short.', 'run answer: Long enough, I hope.'])
})

test('a final turn is the answer, whatever the model calls in it', async () => {
  const { agent } = worker(
    'solo',
    [
      { text: 'I look.', ...calls({ name: 'look', args: { q: 'x' } }) },
      { text: 'That is all.', ...calls({ name: 'look', args: { q: 'y' } }) },
    ],
    { tools: { look }, maxSteps: 1 },
  )
  const { lines } = await read(agent)
  expect([lines[0], lines.at(-1)]).toEqual(['run thought: I look.', 'run answer: That is all.'])
})

/** The events of a run whose models stream word by word. */
async function* wordByWord(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  for (const event of events) {
    if (event.type !== 'text-delta') {
      yield event
      continue
    }
    for (const text of event.payload.text.split(/(?= )/)) yield { ...event, payload: { text } }
  }
}

describe('text streams', () => {
  const contentsOf = async (agent: AnyAgent, options: TrustGraphChunkOptions = {}) => {
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    const contents: string[] = []
    for await (const chunk of toTrustGraphChunks(wordByWord(await allEvents(run)), options))
      if (chunk.session_id === run.id) contents.push(chunk.content)
    return contents
  }
  const streamed = ['A', ' full', ' answer.', '']

  test('where the model has nothing to call: in a fan-out', async () => {
    const agent = createFanOut({
      id: 'lead',
      instructions: '',
      model: scriptedModel([divides('Look.'), enough, 'A full answer.']),
      agents: { scout: worker('scout', ['Facts.']).agent },
    })
    expect(await contentsOf(agent)).toEqual(streamed)
  })

  test('in a final turn', async () => {
    const steps = [calls({ name: 'look', args: { q: 'x' } }), 'A full answer.']
    const { agent } = worker('solo', steps, { tools: { look }, maxSteps: 1 })
    expect((await contentsOf(agent)).slice(-4)).toEqual(streamed)
  })

  test('with liveText also where calls may follow, which otherwise is passed on whole', async () => {
    const { agent } = worker('solo', ['A full answer.', 'A full answer.'], { tools: { look } })
    expect(await contentsOf(agent)).toEqual(['A full answer.', ''])
    expect(await contentsOf(agent, { liveText: true })).toEqual(streamed)
  })
})

describe('a message is ended when it is complete', () => {
  test('a thought beside a delegation, before the delegation is over', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { agent } = lead('lead', [{ text: 'Let me ask.', ...calls(to('scout', 'Go')) }, 'Done.'], {
      agents: { scout: worker('scout', [{ text: 'Facts.', until: promise }]).agent },
    })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    const seen: TrustGraphChunk[] = []
    for await (const chunk of toTrustGraphChunks(run.events)) {
      seen.push(chunk)
      if (chunk.end_of_message && chunk.content === 'Let me ask.') resolve() // else the run would hang
    }
    expect(
      seen.filter(({ end_of_message }) => end_of_message).map(({ message_type }) => message_type),
    ).toEqual(['thought', 'answer', 'answer'])
  })

  test('an answer, before a delegation in the background is over', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { agent } = lead('lead', [calls(to('scout', 'Go')), 'I wait.', 'Done.'], {
      agents: { scout: worker('scout', [{ text: 'Facts.', until: promise }]).agent },
      backgroundTasks: { scout: {} },
    })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    const client = new Client()
    for await (const chunk of toTrustGraphChunks(run.events)) {
      client.read(chunk)
      if (chunk.end_of_message && chunk.content === 'I wait.') resolve()
    }
    expect(Array.from(client.messages.values(), ({ text }) => text)).toEqual(['I wait.', 'Facts.', 'Done.'])
  })

  test('an answer, before a tool in the background is over', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const dig = createTool({
      id: 'dig',
      description: 'Digs.',
      inputSchema: z.object({}),
      background: true,
      execute: () => promise,
    })
    const { agent } = worker('solo', [calls({ name: 'dig' }), 'I wait.', 'Done.'], { tools: { dig } })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    const client = new Client()
    for await (const chunk of toTrustGraphChunks(run.events)) {
      client.read(chunk)
      if (chunk.end_of_message && chunk.content === 'I wait.') resolve('Dug.')
    }
    expect(client.isOver).toBe(true)
    expect(Array.from(client.messages.values(), ({ text }) => text).filter((text) => text !== '')).toEqual([
      '{"name":"dig","args":{}}',
      'I wait.',
      'Dug.',
      'Done.',
    ])
  })

  test('the content of an answer, before a scorer has judged it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const judge = createScorer({ id: 'slow', score: () => promise.then(() => 1) })
    const { agent } = lead('lead', ['An answer.'], { completion: { scorers: [judge] } })
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    const client = new Client()
    for await (const chunk of toTrustGraphChunks(run.events)) {
      client.read(chunk)
      if ([...client.messages.values()].some(({ text }) => text === 'An answer.')) resolve()
    }
    expect(client.isOver).toBe(true)
  })
})

test('a text that was begun again after a crash is a message of its own', async () => {
  const { agent } = worker('solo', ['Hi there.'])
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
  const events = await allEvents(run)
  async function* again() {
    for (const event of events) {
      if (event.type === 'text-start') {
        const { seq: _seq, ...delta } = event
        yield { ...delta, type: 'text-delta' as const, payload: { text: 'Hi' } }
        yield { ...event, attempt: 2 }
      } else {
        yield event.type === 'text-delta' ? { ...event, attempt: 2 } : event
      }
    }
  }
  const client = new Client()
  for await (const chunk of toTrustGraphChunks(again())) client.read(chunk)
  expect(Array.from(client.messages.values(), ({ text, isEnded }) => [text, isEnded])).toEqual([
    ['Hi', true],
    ['Hi there.', true],
  ])
})
