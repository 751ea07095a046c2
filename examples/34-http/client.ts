/** A client in a few lines, as a browser would have it: `fetch`, and a reader of server-sent events. */
import type { RunEvent } from 'troupe'

/** An event with its id, which names the place to go on from. */
export interface Received {
  readonly id: string
  readonly event: RunEvent
}

export function clientOf(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return {
    async ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`${url}${path}`, { method, headers, ...sent })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    /** `after`: the id of the last event that was received. */
    async *events(runId: string, after?: string): AsyncGenerator<Received, void> {
      const since: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
      const { body } = await fetch(`${url}/runs/${runId}/events`, { headers: { ...headers, ...since } })
      if (body === null) return
      let text = ''
      for await (const piece of body.pipeThrough(new TextDecoderStream())) {
        text += piece
        const frames = text.split('\n\n')
        text = frames.pop() ?? ''
        for (const frame of frames) {
          const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(frame) ?? []
          if (id !== undefined && data !== undefined) yield { id, event: JSON.parse(data) as RunEvent }
        }
      }
    },
  }
}
