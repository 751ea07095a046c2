/** A page that speaks AG-UI: the client of the protocol, whose verifier takes every event. */
import { HttpAgent, verifyEvents, type BaseEvent } from '@ag-ui/client'
import { EventType, type Interrupt, type RunAgentInput } from '@ag-ui/core'
import { createTroupe, type AnyAgent } from 'troupe'
import { createHandler, type HandlerOptions } from 'troupe/http'

export type Seen = BaseEvent & Readonly<Record<string, unknown>>

type Input = Partial<RunAgentInput> & { readonly runId: string }

export function openPage(agent: AnyAgent, options: Partial<HandlerOptions> = {}) {
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, {
    authorize: 'everybody',
    agents: [agent],
    wire: 'ag-ui',
    ...options,
  })
  const url = `http://server.test/agents/${agent.id}/run`
  const fetch = async (address: string, init: RequestInit) => handler(new Request(address, init))
  const client = (user = '') =>
    new HttpAgent({ url, fetch, threadId: 't', headers: user === '' ? {} : { 'x-user': user } })

  /** The events that answer a request; rejects where one breaks the protocol. */
  function play(
    input: Input,
    user?: string,
    onEvent: (event: Seen) => void = () => undefined,
  ): Promise<Seen[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Seen[]>()
    const events: Seen[] = []
    verifyEvents()(client(user).run(inputOf(input))).subscribe({
      next(event) {
        events.push(event)
        onEvent(event)
      },
      error: reject,
      complete: () => resolve(events),
    })
    return promise
  }

  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    handler(
      new Request(url, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    )
  return { troupe, client, play, post }
}

function inputOf(input: Input): RunAgentInput {
  const messages: RunAgentInput['messages'] = [{ id: 'u1', role: 'user', content: 'Go' }]
  return { threadId: 't', messages, tools: [], context: [], ...input }
}

export function typesOf(events: readonly Seen[]): string[] {
  return events.map(({ type, name }) => (type === EventType.CUSTOM ? String(name) : type))
}

export function ofType(events: readonly Seen[], ...types: readonly string[]): Seen[] {
  return events.filter(({ type }) => types.includes(type))
}

/** The questions at the end of a stream. */
export function interruptsOf(events: readonly Seen[]): readonly Interrupt[] {
  const outcome = events.at(-1)?.['outcome'] as { readonly interrupts?: readonly Interrupt[] } | undefined
  return outcome?.interrupts ?? []
}
