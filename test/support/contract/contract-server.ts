/** A server that gives the replies of a contract, in the form of one API. */
import type { ContractReply, OpenModel } from 'troupe/testing'
import type { ChatModel } from 'troupe'
import {
  event,
  hang,
  json,
  startFaultServer,
  stream,
  type Answer,
  type FaultServer,
} from '../fault-server.ts'

/** The form of an API. */
export interface ContractWire {
  readonly reply: (said: ContractReply) => object
  readonly events: (said: ContractReply) => readonly unknown[]
  /** The events of a stream up to its first piece of text. */
  readonly beginning: (text: string) => readonly unknown[]
  /** An error as a body. */
  readonly error: (status: number, message: string) => object
}

const failures = {
  'rate-limited': [429, { 'retry-after': '2' }],
  unavailable: [503, {}],
  refused: [400, {}],
} as const

function answerTo(said: ContractReply, wire: ContractWire, isStreaming: boolean): Answer {
  const { failure, text = '' } = said
  if (failure === 'silent') return hang
  if (failure === 'cut') return stream(wire.beginning(text).map(event), 'destroy')
  if (failure !== undefined) {
    const [status, headers] = failures[failure]
    return json(status, wire.error(status, 'It cannot be done.'), headers)
  }
  return isStreaming ? stream(wire.events(said).map(event)) : json(200, wire.reply(said))
}

/** A model at a server of its own. */
export async function atServer(
  replies: readonly ContractReply[],
  wire: ContractWire,
  model: (url: string) => ChatModel,
): Promise<OpenModel & Pick<FaultServer, 'requests'>> {
  const server = await startFaultServer()
  const left = [...replies]
  server.answer = (response, request) => {
    const said = left.shift()
    const { body, path = '' } = server.requests.at(-1) ?? {}
    const { stream: asked } = (body ?? {}) as { readonly stream?: boolean }
    const isStreaming = asked === true || path.includes(':stream')
    const answer = said === undefined ? json(500, {}) : answerTo(said, wire, isStreaming)
    return answer(response, request)
  }
  return {
    model: model(server.url),
    requests: server.requests,
    received: () => JSON.stringify(server.requests.map(({ body }) => body)),
    close: () => server.close(),
  }
}

/** A text in two pieces. */
export function halves(text: string): readonly string[] {
  return [text.slice(0, 4), text.slice(4)].filter((piece) => piece !== '')
}

/** The arguments of a call as text. */
export function argumentsOf({ args, malformed }: NonNullable<ContractReply['toolCalls']>[number]): string {
  return malformed ?? JSON.stringify(args)
}
