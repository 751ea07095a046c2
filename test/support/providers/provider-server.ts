/**
 * A model server that holds to the rule of one provider: what its model has said beside text and calls must come back,
 * or it answers 400 as the provider does. It says what its script says.
 */
import { event, json, startFaultServer, stream, type FaultServer } from '../fault-server.ts'

/** One reply: a text, or calls. */
export interface Turn {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly args: Readonly<Record<string, string>> }[]
}

/** The turns of each agent, by its instructions. */
export type Script = Readonly<Record<string, readonly Turn[]>>

/** The part of a request that the script and the rule need. */
export interface Asked {
  readonly system: string
  /** How many messages of the model it has. */
  readonly answers: number
  readonly stream: boolean
}

/** The wire of a provider, and its rule. */
export interface Provider {
  readonly read: (body: Body) => Asked
  /** The words of the error for a request that breaks the rule. */
  readonly refusal: (body: Body) => string | undefined
  /** A reply as one body. `n`: how many replies came before, over all agents. */
  readonly reply: (turn: Turn, n: number) => unknown
  /** A reply as the events of a stream. */
  readonly events: (turn: Turn, n: number) => readonly unknown[]
}

export type Body = Readonly<Record<string, unknown>>

export interface ProviderServer extends Pick<FaultServer, 'url' | 'close' | 'requests'> {
  /** The words of the refusals so far. */
  readonly refusals: readonly string[]
}

export async function startProvider(provider: Provider, script: Script): Promise<ProviderServer> {
  const server = await startFaultServer()
  const refusals: string[] = []
  let replies = 0
  server.answer = (response, request) => {
    const body = server.requests.at(-1)?.body as Body
    const refusal = provider.refusal(body)
    if (refusal !== undefined) {
      refusals.push(refusal)
      return json(400, { error: { message: refusal, type: 'invalid_request_error' } })(response, request)
    }
    const asked = provider.read(body)
    const turn = script[asked.system]?.[asked.answers]
    if (turn === undefined) {
      const message = `nothing scripted for ${JSON.stringify(asked)}`
      return json(404, { error: { message } })(response, request)
    }
    const n = replies++
    const answer = asked.stream
      ? stream(provider.events(turn, n).map(event))
      : json(200, provider.reply(turn, n))
    return answer(response, request)
  }
  return { url: server.url, close: server.close, requests: server.requests, refusals }
}
