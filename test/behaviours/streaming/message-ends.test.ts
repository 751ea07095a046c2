/** Each message that a reader has seen begin has one end, whatever becomes of its reply. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  RetryableError,
  type ChatModel,
  type ModelCallOptions,
  type ModelReply,
  type OutputProcessor,
  type Run,
  type RunEvent,
} from 'troupe'
import { scriptedModel, virtualClock } from 'troupe/testing'
import { expect, test } from 'vitest'
import { unpaired } from '../../../src/testing/explore/rules/brackets.ts'
import { allEvents, calls, only, to, until } from '../../support/agents/agents.ts'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

type Reply = (options: ModelCallOptions) => Promise<string> | string

/** A model whose replies are functions: the last one answers all further calls. */
function speaking(...replies: readonly Reply[]): ChatModel {
  let call = 0
  return {
    provider: 'test',
    modelId: 'speaking',
    async generate(_request, options): Promise<ModelReply> {
      const answer = replies[Math.min(call++, replies.length - 1)]
      const text = (await answer?.(options)) ?? ''
      return { text, toolCalls: [], finishReason: 'stop', usage }
    },
  }
}

const say = ({ onDelta }: ModelCallOptions, text: string): void => onDelta?.({ type: 'text', text })
const aborted = ({ signal }: ModelCallOptions): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })

/** The texts and ends of messages, as one who reads along has them. */
function told(events: readonly RunEvent[]): unknown[] {
  expect(unpaired(events)).toBeUndefined()
  return only(events, 'text-start', 'text-delta', 'text-end', 'error').map(({ type, messageId, payload }) => {
    if (type === 'text-start') return `start ${messageId}`
    if (type === 'text-delta') return payload.text
    return type === 'error' ? `error ${messageId ?? ''}` : `${payload.status} ${messageId}: ${payload.text}`
  })
}

async function readAlong(run: Run) {
  const [events, result] = await Promise.all([allEvents(run), run.result])
  return { told: told(events), result, events, afterwards: told(await allEvents(run)) }
}

const solo = (model: ChatModel, outputProcessors: readonly OutputProcessor[] = []) =>
  createAgent({ id: 'solo', instructions: '', model, outputProcessors, retries: 1 })

test('of a call that failed: the message is cut, before the error', async () => {
  const clock = virtualClock()
  const model = speaking(
    (options) => {
      say(options, 'Hel')
      throw new RetryableError('The line is dead.')
    },
    (options) => {
      say(options, 'Hello')
      return 'Hello'
    },
  )
  const agent = solo(model)
  const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  const reading = readAlong(run)
  await clock.armed()
  await clock.advance(1_000)
  const read = await reading
  expect(read.told).toEqual([
    'start solo:m1',
    'Hel',
    'cut solo:m1: Hel',
    'error solo:m1',
    'start solo:m2',
    'Hello',
    'complete solo:m2: Hello',
  ])
  expect(read.afterwards).toEqual(['error solo:m1', 'start solo:m2', 'Hello', 'complete solo:m2: Hello'])
  // What is made for a reader is not in the journal: it has no seq.
  const cut = only(read.events, 'text-end')[0]
  expect(cut).toMatchObject({ agent: 'solo', path: 'solo', runId: run.id })
  expect(cut).not.toHaveProperty('seq')
})

test('of a call that failed for good, with its reasoning', async () => {
  const model = speaking((options) => {
    options.onDelta?.({ type: 'reasoning', text: 'Hm.' })
    say(options, 'Hel')
    throw new Error('broken')
  })
  const { events, result } = await readAlong(solo(model).stream('Go'))
  expect(result.outcome).toBe('failed')
  expect(only(events, 'text-end', 'reasoning-end').map(({ type, payload }) => [type, payload])).toEqual([
    ['reasoning-end', { text: 'Hm.', status: 'cut' }],
    ['text-end', { text: 'Hel', status: 'cut' }],
  ])
})

test('of a run that was cancelled', async () => {
  const model = speaking((options) => {
    say(options, 'Hel')
    return aborted(options)
  })
  const run = solo(model).stream('Go')
  const reading = readAlong(run)
  await until(run, 'text-delta')
  await run.cancel('Enough.')
  expect((await reading).told).toEqual(['start solo:m1', 'Hel', 'cut solo:m1: Hel'])
})

test('of a subagent that another one has bailed over', async () => {
  const heard = Promise.withResolvers<void>()
  const slow = createAgent({
    id: 'slow',
    description: 'Talks.',
    model: speaking((options) => {
      say(options, 'I am st')
      heard.resolve()
      return aborted(options)
    }),
  })
  const quick = createAgent({
    id: 'quick',
    description: 'Ends.',
    model: scriptedModel([{ text: 'That is it.', until: heard.promise }]),
  })
  const lead = createSupervisor({
    id: 'lead',
    model: scriptedModel([calls(to('slow', 'Talk.'), to('quick', 'End.'))]),
    agents: { slow, quick },
    delegation: {
      onDelegationComplete({ bail }) {
        bail()
      },
    },
  })
  const { events, result } = await readAlong(lead.stream('Go'))
  expect(result.outcome).toBe('bailed')
  expect(only(events, 'text-end').map(({ agent, payload }) => [agent, payload.status])).toEqual(
    expect.arrayContaining([
      ['slow', 'cut'],
      ['quick', 'complete'],
    ]),
  )
})

test('of a reply that a processor refuses while it comes', async () => {
  const model = speaking(
    async (options) => {
      say(options, 'My secret ')
      say(options, 'is bad')
      return aborted(options)
    },
    (options) => {
      say(options, 'Fine.')
      return 'Fine.'
    },
  )
  const strict: OutputProcessor = {
    id: 'strict',
    processOutputStream({ text, abort }) {
      if (text.includes('bad')) abort('it is bad', { retry: true })
    },
  }
  const read = await readAlong(solo(model, [strict]).stream('Go'))
  expect(read.told).toEqual([
    'start solo:m1',
    'My secret ',
    'rejected solo:m1: My secret ',
    'error solo:m1',
    'start solo:m2',
    'Fine.',
    'complete solo:m2: Fine.',
  ])
  expect(JSON.stringify(read.afterwards)).not.toContain('secret')
})

const looksOn = { processOutputStream: () => undefined }
const spoken =
  (text: string): Reply =>
  (options) => {
    say(options, text)
    return text
  }

test('of a whole reply that a processor refuses, or changes, after it was shown', async () => {
  const refuses: OutputProcessor = {
    id: 'refuses',
    ...looksOn,
    processOutput({ text, abort }) {
      if (text === 'Bad.') abort('it is bad', { retry: true })
      return text === 'Good.' ? 'GOOD.' : undefined
    },
  }
  const read = await readAlong(solo(speaking(spoken('Bad.'), spoken('Good.')), [refuses]).stream('Go'))
  expect(read.told).toEqual([
    'start solo:m1',
    'Bad.',
    'rejected solo:m1: Bad.',
    'error solo:m1',
    'start solo:m2',
    'Good.',
    'rejected solo:m2: Good.',
    'start solo:m3',
    'GOOD.',
    'complete solo:m3: GOOD.',
  ])
  expect(read.result).toMatchObject({ outcome: 'completed', text: 'GOOD.' })
})

test('of a whole reply whose processor ends the run', async () => {
  const ends: OutputProcessor = { id: 'ends', ...looksOn, processOutput: ({ abort }) => abort('no') }
  const read = await readAlong(solo(speaking(spoken('Bad.')), [ends]).stream('Go'))
  expect(read.result.outcome).toBe('tripped')
  expect(read.told.slice(0, 3)).toEqual(['start solo:m1', 'Bad.', expect.any(String)])
  expect(read.told).toContain('rejected solo:m1: Bad.')
})

test('of a reply that is taken and then sent back: it is complete, and what follows is another message', async () => {
  const model = scriptedModel(['A draft.', 'The answer.'])
  const agent = createSupervisor({
    id: 'solo',
    model,
    agents: {},
    onIterationComplete: ({ iteration }) =>
      iteration === 1 ? { continue: true, feedback: 'Better.' } : undefined,
  })
  const { events } = await readAlong(agent.stream('Go'))
  expect(only(events, 'text-end').map(({ payload }) => payload)).toEqual([
    { text: 'A draft.', status: 'complete' },
    { text: 'The answer.', status: 'complete' },
  ])
})

test('of a run whose process closes: the reader who is left has the end', async () => {
  const model = speaking((options) => {
    say(options, 'Hel')
    return aborted(options)
  })
  const agent = solo(model)
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const events: RunEvent[] = []
  const reading = (async () => {
    for await (const event of run.events) events.push(event)
  })().catch(() => undefined)
  await until(run, 'text-delta')
  run.result.catch(() => undefined)
  await troupe.close()
  await reading
  expect(only(events, 'text-end').map(({ payload }) => payload)).toEqual([{ text: 'Hel', status: 'cut' }])
})
