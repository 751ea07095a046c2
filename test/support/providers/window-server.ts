/**
 * A model server with a window: it counts the tokens of a request, and refuses one that is too long as OpenAI does. Its
 * model turns pages until the last one, and then tells all facts that its conversation still has. What it answers
 * depends on the request alone.
 */
import { event, json, startFaultServer, stream, type FaultServer } from '../fault-server.ts'

interface ChatMessage {
  readonly role: string
  readonly content?: string | null
}

interface Request {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly unknown[]
  readonly stream?: boolean
}

export interface WindowServer extends Pick<FaultServer, 'url' | 'close'> {
  /** The tokens of each request, in their order. */
  readonly sizes: readonly number[]
  /** How many requests were too long. */
  readonly refusals: number
  /** How many requests were for a summary. */
  readonly summaries: number
}

interface Book {
  readonly window: number
  readonly pages: number
  /** The summary of a text; default: its facts. */
  readonly summarize?: (text: string) => string
  /** No token counts are told. */
  readonly isSilent?: boolean
}

/** What a page says: its one fact, in many words. */
export function pageOf(page: number, tokens: number): string {
  const words = 'It goes on and on about the sea. '
  return `fact-${page} stands on page ${page}. ${words.repeat(Math.ceil((tokens * 4) / words.length))}`
}

export function factsIn(text: string): readonly number[] {
  const facts = Array.from(text.matchAll(/fact-(\d+)/g), ([, page]) => Number(page))
  return [...new Set(facts)].toSorted((a, b) => a - b)
}

export function toldFacts(facts: readonly number[]): string {
  return facts.map((page) => `fact-${page}`).join(' ')
}

export async function startWindowServer({ window, pages, summarize, isSilent }: Book): Promise<WindowServer> {
  const server = await startFaultServer()
  const counts = { refusals: 0, summaries: 0 }
  const sizes: number[] = []
  const summaryOf = summarize ?? ((text: string) => `Read so far: ${toldFacts(factsIn(text))}`)
  server.answer = (response, request) => {
    const asked = server.requests.at(-1)?.body as Request
    const size = tokensOf([asked.messages, asked.tools ?? []])
    sizes.push(size)
    if (size > window) {
      counts.refusals += 1
      return json(400, tooLong(window, size))(response, request)
    }
    const shown = asked.messages.map(({ content }) => content ?? '').join('\n')
    const facts = factsIn(shown)
    const isSummary = asked.messages[0]?.content?.startsWith('You summarise') === true
    if (isSummary) counts.summaries += 1
    const next = Math.max(0, ...facts) + 1
    const message = isSummary
      ? { content: summaryOf(asked.messages[1]?.content ?? '') }
      : next > pages || asked.tools === undefined
        ? { content: toldFacts(facts) }
        : { content: null, tool_calls: [turning(next)] }
    const written = tokensOf(message)
    const usage = { prompt_tokens: size, completion_tokens: written, total_tokens: size + written }
    const reply = { id: `r${sizes.length}`, message, ...(isSilent === true ? {} : { usage }) }
    return answerOf(reply, asked.stream === true)(response, request)
  }
  return {
    url: server.url,
    close: () => server.close(),
    sizes,
    get refusals() {
      return counts.refusals
    },
    get summaries() {
      return counts.summaries
    },
  }
}

function turning(page: number) {
  return {
    index: 0,
    id: `call-${page}`,
    type: 'function',
    function: { name: 'turn', arguments: JSON.stringify({ page }) },
  }
}

interface Reply {
  readonly id: string
  readonly message: object
  readonly usage?: object
}

function answerOf({ id, message, usage }: Reply, isStream: boolean) {
  const finish = 'tool_calls' in message ? 'tool_calls' : 'stop'
  if (!isStream) {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }
    return json(200, { id, choices: [choice], ...(usage && { usage }) })
  }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id,
    choices: [{ index: 0, delta, finish_reason }],
  })
  return stream(
    [chunk(message), chunk({}, finish), ...(usage ? [{ id, choices: [], usage }] : []), '[DONE]'].map(event),
  )
}

/** Three and a half characters a token, and a few tokens for each message: not what the library estimates. */
function tokensOf(value: unknown): number {
  const overhead = Array.isArray(value) && Array.isArray(value[0]) ? 4 * value[0].length : 0
  return Math.ceil(JSON.stringify(value).length / 3.5) + overhead
}

function tooLong(window: number, size: number) {
  return {
    error: {
      message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${size} tokens. Please reduce the length of the messages.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }
}
