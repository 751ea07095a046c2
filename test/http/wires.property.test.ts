/**
 * Behaviours 85 and 86: the readers of the other side take every event of random runs, with retries, cancels, bails, handoffs,
 * tasks in the background and questions, as a live reader and as a late one has them.
 */
import { HttpAgent } from '@ag-ui/client'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import fc from 'fast-check'
import type { FinalResult, RunEvent } from 'troupe'
import { expect, test } from 'vitest'
import { ClientCalls } from '../../src/http/serving/client-tools.ts'
import { toEvents } from '../../src/http/ag-ui-wire/to-events.ts'
import { toChunks } from '../../src/http/ai-sdk-wire/to-chunks.ts'
import { runNested } from '../properties/nested-patterns.ts'
import { runRandomly } from '../properties/random-troupe.ts'

type Events = readonly RunEvent[]

/** The streams of a page that answers at each question: each ends where the run waits, and the last one with the run. */
function answered(events: Events): Events[] {
  const streams: RunEvent[][] = [[]]
  for (const event of events) {
    streams.at(-1)?.push(event)
    if (event.type === 'suspended') streams.push([])
  }
  return streams
}

/** The stream of a page that comes when all is over. */
function late(events: Events): Events[] {
  return [events.filter(({ type }) => type !== 'suspended')]
}

async function* each(events: Events): AsyncGenerator<RunEvent, void> {
  yield* events
}

async function sseOf(parts: AsyncIterable<object>): Promise<Response> {
  let text = ''
  for await (const part of parts) text += `data: ${JSON.stringify(part)}\n\n`
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

/** The text that the page of AG-UI shows last; its client verifies each event. */
async function readByAgUi(streams: readonly Events[], runId: string): Promise<string> {
  const client = { threadId: 't', runId: 'page' }
  let next = 0
  const page = new HttpAgent({
    url: 'http://server.test',
    threadId: client.threadId,
    fetch: async () =>
      sseOf(
        toEvents(each(streams[next++] ?? []), {
          runId,
          client,
          clientCalls: new ClientCalls(),
          hasResult: () => false,
        }),
      ),
  })
  page.addMessage({ id: 'go', role: 'user', content: 'Go' })
  while (next < streams.length) {
    const resume = page.pendingInterrupts.map(({ id }) => {
      return { interruptId: id, status: 'resolved' as const, payload: { approved: true } }
    })
    await page.runAgent({ runId: client.runId, ...(resume.length === 0 ? {} : { resume }) })
  }
  const last = page.messages.findLast(
    (message) => message.role === 'assistant' && message.subagentRunId === undefined && message.content,
  )
  return typeof last?.content === 'string' ? last.content : ''
}

/** The message of `useChat`; the transport validates each chunk. */
async function readByAiSdk(streams: readonly Events[], runId: string): Promise<UIMessage | undefined> {
  let message: UIMessage | undefined
  for (const events of streams) {
    const transport = new DefaultChatTransport({
      api: 'http://server.test',
      fetch: async () =>
        sseOf(
          toChunks(each(events), {
            runId,
            addressOf: (ref) => `/files/${ref}`,
            clientCalls: new ClientCalls(),
          }),
        ),
    })
    const chat = { chatId: 'c', messageId: undefined, abortSignal: undefined, messages: [] }
    const stream = await transport.sendMessages({ ...chat, trigger: 'submit-message' })
    const isFailed = events.some((event) => event.type === 'run-finish' && event.payload.outcome === 'failed')
    const errors: unknown[] = []
    const read = readUIMessageStream({
      stream,
      ...(message === undefined ? {} : { message }),
      onError: (error) => errors.push(error),
    })
    for await (const one of read) message = one
    expect(errors).toHaveLength(isFailed ? 1 : 0)
  }
  return message
}

interface Random {
  readonly result: FinalResult
  /** Of several readers. */
  readonly seen: readonly Events[]
}

/** `runs`: how many are tried. `least`: of choices for one. */
const kinds: readonly (readonly [
  name: string,
  runs: number,
  least: number,
  run: (drawn: number[]) => Promise<Random>,
])[] = [
  [
    'with every kind of end',
    100,
    30,
    async (drawn) => {
      const { events, along, result } = await runRandomly(drawn)
      return { result, seen: [events, along] }
    },
  ],
  [
    'of every pattern below every other',
    60,
    200,
    async (drawn) => {
      const { along, result } = await runNested(drawn)
      return { result, seen: [along] }
    },
  ],
]

/** A subagent's answer that the agent has said before, with a text of the agent that was cut between the two. */
const saidBefore = [
  425, 864, 881, 379, 938, 949, 327, 763, 642, 362, 111, 920, 511, 33, 244, 161, 673, 609, 339, 386, 918, 95,
  666, 958, 472, 345, 420, 284, 636, 829, 266, 728, 960, 803, 445, 809, 638, 23, 765, 243, 737, 515, 75, 52,
  547, 501, 31, 650, 815, 770, 475, 328,
]

test.each(kinds)(
  'every stream of random runs %s is taken, and shows the answer',
  async (_, numRuns, least, run) => {
    const examples: [number[]][] = least > saidBefore.length ? [] : [[saidBefore]]
    const outcomes = new Set<string>()
    const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: least, maxLength: 5 * least, size: 'max' })
    await fc.assert(
      fc.asyncProperty(choices, async (drawn) => {
        const { result, seen } = await run(drawn)
        const { runId, outcome } = result
        outcomes.add(outcome)
        for (const streams of seen.flatMap((all) => [answered(all), late(all)])) {
          const text = await readByAgUi(streams, runId).catch((error: unknown) => {
            if (outcome === 'failed') return undefined // the client rejects with the failure of the run
            throw error
          })
          const message = await readByAiSdk(streams, runId)
          const texts = message?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])) ?? []
          if (outcome !== 'completed' && outcome !== 'bailed') continue
          expect(text).toBe(result.text)
          expect(texts.at(-1) ?? '').toBe(result.text)
        }
      }),
      { numRuns, endOnFailure: true, examples },
    )
    expect([...outcomes]).toEqual(expect.arrayContaining(['completed', 'failed', 'cancelled']))
  },
)
